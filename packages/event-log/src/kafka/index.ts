export { connectionOptions, openKafkaLog, type KafkaLogOptions } from './kafka-log.js'
export { confluentRegistry } from './confluent-registry.js'
export { compareAcls, createAcls, type AclComparison, type FoundAcl, type KafkaAcl } from './acls.js'
export { countBrokers, deleteRecordsBefore, deleteTopic } from './topics.js'

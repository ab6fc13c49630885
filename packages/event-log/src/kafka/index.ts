export { openKafkaLog, type KafkaLogOptions } from './kafka-log.js'
export { confluentRegistry, type ConfluentRegistryOptions } from './confluent-registry.js'
export { checkProductionSettings, deleteRecordsBefore } from './topics.js'
export type { KafkaConnectionOptions, SaslCredentials } from './kafkajs.js'

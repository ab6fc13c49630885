export * from './local-stack-error.js'
export * from './process-identity.js'
export * from './child-process.js'
export * from './supervisor.js'
export * from './free-port.js'
export * from './home.js'
export * from './postgres.js'
export { ensureKafkaPrograms } from './class-archives.js'
export { ensureKafkaJars, findJava, type KafkaJars, type KafkaJarsOptions } from './maven-jars.js'
export type { KafkaAccess, KafkaCredentials } from './kafka-access.js'
export { startKafka, type KafkaOptions, type RunningKafka } from './kafka.js'
export {
  CLUSTER_BROKERS,
  keptBrokers,
  planKafkaCluster,
  type ClusterNode,
  type KafkaCluster,
  type KafkaClusterOptions,
} from './kafka-cluster.js'
export { servingCluster } from './kafka-probe.js'
export { startRegistry, type RegistryOptions, type RunningRegistry } from './registry.js'
export { ensureServiceRole, SERVICE_ROLE } from './service-role.js'

/** Starts Kafka and the schema registry in containers, on machines with Docker and without Java. */
import { freePort } from '@cupel/local-stack'
import type { TestKafkaAccess } from './test-kafka.js'

export interface TestKafka {
  readonly access: TestKafkaAccess
  readonly registryUrl: string
  stop(): Promise<void>
}

/** The versions of deploy/kafka/pom.xml. */
const IMAGES = { kafka: 'apache/kafka:4.3.1', registry: 'apicurio/apicurio-registry:3.0.9' }
const REGISTRY_PORT = 8080
/** Only a hang takes longer. */
const START_TIMEOUT_MS = 600_000

/** `images`: others with the same settings, if no registry of images is reachable. */
export async function startKafkaContainers(images = IMAGES): Promise<TestKafka> {
  // Imported here because it is large and most machines do not need it.
  const { GenericContainer, Wait } = await import('testcontainers')
  // The port is the same inside and outside, because the broker must know its announced address before it starts.
  const port = await freePort()
  const kafka = await new GenericContainer(images.kafka)
    .withExposedPorts({ container: port, host: port })
    .withEnvironment({
      CLUSTER_ID: 'Q3VwZWxUZXN0a2l0SWQwMQ',
      KAFKA_LOG_DIRS: '/var/lib/kafka/data',
      KAFKA_PROCESS_ROLES: 'broker,controller',
      KAFKA_NODE_ID: '1',
      KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
      KAFKA_LISTENERS: `PLAINTEXT://:${port},CONTROLLER://:9093`,
      KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://localhost:${port}`,
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
      KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
      KAFKA_INTER_BROKER_LISTENER_NAME: 'PLAINTEXT',
      KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
      KAFKA_MESSAGE_MAX_BYTES: '2097152',
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
      KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS: '1',
      KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
      KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
    })
    .withWaitStrategy(Wait.forListeningPorts())
    .withStartupTimeout(START_TIMEOUT_MS)
    .start()
    .catch((error: unknown) => {
      throw new Error(`Kafka could not be started in a container (${String(error)}).`, { cause: error })
    })
  return await withRegistry(kafka)

  async function withRegistry(broker: typeof kafka): Promise<TestKafka> {
    try {
      const registry = await new GenericContainer(images.registry)
        .withExposedPorts(REGISTRY_PORT)
        .withWaitStrategy(Wait.forHttp('/apis/ccompat/v7/subjects', REGISTRY_PORT))
        .withStartupTimeout(START_TIMEOUT_MS)
        .start()
      return {
        access: { brokers: [`localhost:${port}`] },
        registryUrl: `http://${registry.getHost()}:${registry.getMappedPort(REGISTRY_PORT)}/apis/ccompat/v7`,
        async stop() {
          await Promise.all([registry.stop(), broker.stop()])
        },
      }
    } catch (error) {
      await broker.stop()
      throw error
    }
  }
}

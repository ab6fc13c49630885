/** Leaders of partitions, and the owner of bulk jobs, move while everything runs. */
import { Kafka, logLevel } from 'kafkajs'
import { anyOf, type FaultKind } from '../fault.js'
import type { Cluster } from '../cluster.js'

export const moves: readonly FaultKind[] = [
  {
    name: 'leaders moved',
    async begin({ cluster }, random) {
      await preferLeadersAfter(cluster, random.below(cluster.brokers.length))
      const election = ['--election-type', 'preferred', '--all-topic-partitions']
      await cluster
        .tool('org.apache.kafka.tools.LeaderElectionCommand', '--admin.config', ...election)
        // The command fails if some partition already has its preferred leader.
        .catch(() => undefined)
      return async () => undefined
    },
  },
  {
    name: 'coordinator moved',
    async begin({ services }, random) {
      const coordinators = services.filter(({ name }) => name.startsWith('bulk-coordinator-'))
      const member = anyOf(random, coordinators)
      await member.end()
      return () => member.start()
    },
  },
  {
    name: 'broker stopped in good order',
    async begin({ cluster }, random) {
      const member = anyOf(random, cluster.brokers)
      await member.end()
      return () => member.start()
    },
  },
]

/** Makes every partition prefer another leader: its replicas stay, in another order. */
async function preferLeadersAfter({ access, brokers }: Cluster, shift: number): Promise<void> {
  const kafka = new Kafka({ brokers: [...access.brokers], sasl: access.sasl, logLevel: logLevel.NOTHING })
  const admin = kafka.admin()
  await admin.connect()
  try {
    const { topics } = await admin.fetchTopicMetadata()
    const order = (partition: number): number[] =>
      brokers.map((_, at) => brokers[(partition + shift + at) % brokers.length]!.nodeId)
    await admin.alterPartitionReassignments({
      topics: topics.map(({ name, partitions }) => ({
        topic: name,
        partitionAssignment: partitions.map(({ partitionId }) => ({
          partition: partitionId,
          replicas: order(partitionId),
        })),
      })),
    })
  } finally {
    await admin.disconnect()
  }
}

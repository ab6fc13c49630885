/** Copies the records of one cluster to another one with the same offsets, as an operator's tool would. */
import { GENESIS_TOPIC, installationTopics, type EventLog, type NewRecord } from '@cupel/event-log'
import type { TopicSpec } from '@cupel/contracts'

const BATCH = 500

/** Copies every topic of an installation, with the partitions that `from` has. */
export async function topicsToCopy(from: EventLog): Promise<readonly TopicSpec[]> {
  const specs = [{ ...installationTopics()[0]!, name: GENESIS_TOPIC, partitions: 1 }, ...installationTopics()]
  return await Promise.all(
    specs.map(async (spec) => ({ ...spec, partitions: await from.partitionCount(spec.name) })),
  )
}

/** Continues at the end of the copy. */
export async function copyRecords(
  from: EventLog,
  to: EventLog,
  topics: readonly Pick<TopicSpec, 'name' | 'partitions'>[],
): Promise<void> {
  for (const { name: topic, partitions } of topics)
    for (let partition = 0; partition < partitions; partition += 1) {
      const range = { topic, partition, from: await to.endOffset(topic, partition) }
      const end = await from.endOffset(topic, partition)
      if (range.from >= end) continue
      for await (const records of from.read({ ...range, to: end }))
        for (let first = 0; first < records.length; first += BATCH)
          await to.append('test', records.slice(first, first + BATCH).map(copyOf))
    }
}

const copyOf = ({ topic, partition, key, value, headers }: NewRecord): NewRecord => ({
  ...{ topic, partition, key, value, headers },
})

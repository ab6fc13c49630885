/** Topics and partitions, read from the database once: the partitions of a topic never change. */
import { createBatcher } from '@cupel/kit/concurrency'
import type { TopicSpec } from '@cupel/contracts'
import type { Database, Queryable } from '@cupel/postgres'
import { GENESIS_TOPIC, genesisRecord } from '../genesis.js'
import type { LogIdentity, TopicFault } from '../port.js'
import { unavailable } from './unavailable.js'
import { writeRecords } from './write-records.js'

/** A partition and the id of its rows. */
export interface PartitionAddress {
  readonly id: number
  /** Without installation prefix. */
  readonly topic: string
  readonly partition: number
}

export type TopicPartitions = readonly PartitionAddress[]

export interface TopicDirectory {
  /** Partitions of a topic in order; rejects if there is no such topic. */
  partitions(topic: string): Promise<TopicPartitions>
  /** Like `partitions`, if the answer is already known. */
  knownPartitions(topic: string): TopicPartitions | undefined
  partition(topic: string, partition: number): Promise<PartitionAddress>
  ensure(topics: readonly TopicSpec[]): Promise<readonly string[]>
  /** Topics that are missing or have another number of partitions. */
  faults(topics: readonly TopicSpec[]): Promise<readonly TopicFault[]>
  identity(): Promise<LogIdentity>
  /** The database's part of the identity, after `identity` was called. */
  logId(): string | null
}

export function openTopicDirectory(database: Database, prefix: string): TopicDirectory {
  const known = new Map<string, TopicPartitions>()
  let identity: Promise<LogIdentity> | null = null
  let logId: string | null = null

  // Topics that are needed in the same moment share a query.
  const loads = createBatcher<string, TopicPartitions>({
    run: async (topics) => {
      const rows = await readPartitions(
        database,
        topics.map((topic) => prefix + topic),
      )
      return topics.map(async (topic) => {
        const partitions = rows
          .filter((row) => row.topic === prefix + topic)
          .map(({ id, partition }) => ({ id, topic, partition }))
        if (partitions.length === 0) throw new Error(`Topic ${prefix}${topic} does not exist in this log`)
        known.set(topic, partitions)
        return partitions
      })
    },
  })

  const directory: TopicDirectory = {
    knownPartitions: (topic) => known.get(topic),
    partitions: async (topic) => known.get(topic) ?? (await loads.add(topic)),
    async partition(topic, partition) {
      const found = (await directory.partitions(topic))[partition]
      if (found === undefined) throw new RangeError(`Topic ${prefix}${topic} has no partition ${partition}`)
      return found
    },
    async ensure(topics) {
      const faults = await directory.faults(topics)
      if (faults.length === 0) return []
      await database
        .transaction({ at: 'log.genesis' }, async (transaction) => {
          await createGenesis(transaction, prefix)
          for (const { name, partitions } of topics) await createTopic(transaction, prefix + name, partitions)
        })
        .catch((error: unknown) => unavailable(error))
      return faults.map(({ topic, wanted }) => `Created the topic ${topic} (${wanted}).`)
    },
    faults: (topics) => faultsOf(database, prefix, topics).catch((error: unknown) => unavailable(error)),
    identity() {
      identity ??= readIdentity(database, prefix + GENESIS_TOPIC).then(
        (parts) => {
          logId = parts.logId
          return `embedded:${parts.logId}:${parts.genesis}`
        },
        (error: unknown) => {
          identity = null
          throw error
        },
      )
      return identity
    },
    logId: () => logId,
  }
  return directory
}

/** The partitions of the topics, which are named with their prefix, in order. */
async function readPartitions(
  database: Queryable,
  topics: readonly string[],
): Promise<{ id: number; topic: string; partition: number }[]> {
  return await database
    .query<{ id: number; topic: string; partition: number }>(
      'SELECT id, topic, partition FROM log.topic_partition WHERE topic = ANY ($1) ORDER BY topic, partition',
      [topics],
    )
    .catch((error: unknown) => unavailable(error))
}

async function readIdentity(
  database: Queryable,
  genesisTopic: string,
): Promise<{ logId: string; genesis: string }> {
  const [row] = await database
    .query<{ logId: string; genesis: string }>(
      `SELECT i.log_id AS "logId", r.key AS genesis
       FROM log.identity i, log.topic_partition p
       JOIN log.record r ON r.partition_id = p.id AND r.record_offset = 0
       WHERE p.topic = $1 AND p.partition = 0`,
      [genesisTopic],
    )
    .catch((error: unknown) => unavailable(error))
  if (row === undefined) throw new Error('The log has no genesis record yet: its topics were never created')
  return row
}

async function faultsOf(
  database: Queryable,
  prefix: string,
  topics: readonly TopicSpec[],
): Promise<TopicFault[]> {
  const rows = await database.query<{ topic: string; partitions: number }>(
    `SELECT topic, count(*) AS partitions FROM log.topic_partition
     WHERE topic <> $1 OR log.end_offset(id) > 0 GROUP BY topic`,
    [prefix + GENESIS_TOPIC],
  )
  const known = new Map(rows.map(({ topic, partitions }) => [topic, partitions]))
  const genesis = [{ name: GENESIS_TOPIC, partitions: 1, mayGrow: false }]
  return [...genesis, ...topics].flatMap(({ name, partitions, mayGrow = false }): TopicFault[] => {
    const topic = prefix + name
    const found = known.get(topic)
    if (found === partitions || (mayGrow && found !== undefined && found > partitions)) return []
    const wanted = `partitions=${partitions}`
    return found === undefined
      ? [
          {
            topic,
            setting: 'topic',
            found: null,
            wanted,
            isMended: true,
            sentence: `The topic ${topic} does not exist.`,
          },
        ]
      : [
          {
            topic,
            setting: 'partitions',
            found: String(found),
            wanted,
            isMended: false,
            sentence: partitionsSentence(topic, found, partitions),
          },
        ]
  })
}

function partitionsSentence(topic: string, found: number, wanted: number): string {
  return `Topic ${topic} has ${found} partitions, ${wanted} are configured: keys would change their partition, so the number cannot be changed`
}

async function createGenesis(transaction: Queryable, prefix: string): Promise<void> {
  const topic = prefix + GENESIS_TOPIC
  await createTopic(transaction, topic, 1)
  // The row's lock makes a second process wait; it then finds the record.
  const [row] = await transaction.query<{ id: number }>(
    'SELECT id FROM log.topic_partition WHERE topic = $1 FOR NO KEY UPDATE',
    [topic],
  )
  const [end] = await transaction.query<{ end: number }>('SELECT log.end_offset($1) AS end', [row!.id])
  if (end!.end === 0) await writeRecords(transaction, [{ partitionId: row!.id, ...genesisRecord() }])
}

async function createTopic(transaction: Queryable, name: string, partitions: number): Promise<void> {
  await transaction.execute(
    `INSERT INTO log.topic_partition (topic, partition)
     SELECT $1, generate_series(0, $2::int - 1)
     WHERE NOT EXISTS (SELECT FROM log.topic_partition WHERE topic = $1)
     ON CONFLICT DO NOTHING`,
    [name, partitions],
  )
  const [existing] = await transaction.query<{ count: number }>(
    'SELECT count(*) AS count FROM log.topic_partition WHERE topic = $1',
    [name],
  )
  if (existing!.count !== partitions) {
    throw new Error(partitionsSentence(name, existing!.count, partitions))
  }
}

/** Creates topics with all their settings, and checks whether the cluster's settings keep the log's promises. */
import { setTimeout as pause } from 'node:timers/promises'
import type { TopicSpec } from '@cupel/contracts'
import type { Admin } from 'kafkajs'
import { protocolError, type KafkaConnectionOptions } from './kafkajs.js'
import { withAdmin, type AdminOptions } from './with-admin.js'

export interface TopicCreation {
  readonly specs: readonly TopicSpec[]
  readonly topicPrefix: string
  /** By default as many replicas as there are brokers, three at most. */
  readonly replicationFactor?: number | undefined
}

const REPLICAS_WANTED = 3
const CREATE_TIMEOUT_MS = 30_000
const LEADERS_WITHIN_MS = 30_000
const LEADER_POLL_MS = 100
/** Errors of a broker that does not know a topic yet. */
const LEADERLESS = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE'])
/** With three replicas, two must have a record before it is acknowledged: the loss of one broker loses no record. */
const MIN_IN_SYNC = '2'
const CONFIG_RESOURCE_TOPIC = 2

/** Creates what is missing. Throws where a topic exists with another number of partitions: positions and ids depend on it. */
export async function createTopics(
  connection: KafkaConnectionOptions,
  creation: TopicCreation,
  options: AdminOptions = {},
): Promise<void> {
  const createMissingTopics = async (admin: Admin): Promise<void> => {
    const { brokers } = await admin.describeCluster()
    const replicas = creation.replicationFactor ?? Math.min(REPLICAS_WANTED, brokers.length)
    const existing = new Set(await admin.listTopics())
    const wanted = creation.specs.map((spec) => ({ ...spec, name: creation.topicPrefix + spec.name }))
    const missing = wanted.filter((each) => !existing.has(each.name))
    await createMissing(admin, missing, replicas)
    await untilLed(
      admin,
      missing.map((spec) => spec.name),
    )
    await requirePartitions(
      admin,
      wanted.filter((each) => existing.has(each.name)),
    )
  }
  await withAdmin(connection, createMissingTopics, options)
}

async function createMissing(admin: Admin, specs: readonly TopicSpec[], replicas: number): Promise<void> {
  if (specs.length === 0) return
  try {
    // kafkajs resolves to false where another process created the topics meanwhile: that is no failure.
    await admin.createTopics({
      timeout: CREATE_TIMEOUT_MS,
      // A broker under load does not know a new topic at once: `untilLed` waits for it.
      waitForLeaders: false,
      topics: specs.map((spec) => ({
        topic: spec.name,
        numPartitions: spec.partitions,
        replicationFactor: replicas,
        configEntries: Object.entries(configOf(spec, replicas)).map(([name, value]) => ({ name, value })),
      })),
    })
  } catch (error) {
    throw new Error(`Topics could not be created: ${failuresOf(error)}`, { cause: error })
  }
}

function configOf(spec: TopicSpec, replicas: number): Record<string, string> {
  return {
    'unclean.leader.election.enable': 'false',
    ...(replicas >= REPLICAS_WANTED ? { 'min.insync.replicas': MIN_IN_SYNC } : {}),
    ...spec.config,
  }
}

function failuresOf(error: unknown): string {
  const errors = error instanceof Error && 'errors' in error ? (error.errors as readonly unknown[]) : [error]
  return errors
    .map((each) =>
      each instanceof Error && 'topic' in each ? `${String(each.topic)}: ${each.message}` : String(each),
    )
    .join(' ')
}

/** Resolves when every partition of the topics has a leader. */
async function untilLed(admin: Admin, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  const endAt = Date.now() + LEADERS_WITHIN_MS
  for (;;) {
    try {
      const { topics } = await admin.fetchTopicMetadata({ topics: [...names] })
      if (
        topics.every(
          ({ partitions }) => partitions.length > 0 && partitions.every((each) => each.leader >= 0),
        )
      )
        return
    } catch (error) {
      if (!LEADERLESS.has(protocolError(error) ?? '')) throw error
    }
    if (Date.now() >= endAt)
      throw new Error(`The brokers did not elect leaders for new topics within ${LEADERS_WITHIN_MS} ms.`)
    await pause(LEADER_POLL_MS)
  }
}

async function requirePartitions(admin: Admin, specs: readonly TopicSpec[]): Promise<void> {
  if (specs.length === 0) return
  const { topics } = await admin.fetchTopicMetadata({ topics: specs.map((spec) => spec.name) })
  for (const spec of specs) {
    const found = topics.find((each) => each.name === spec.name)?.partitions.length
    if (found === undefined || found === spec.partitions) continue
    throw new Error(
      `The topic ${spec.name} has ${found} partitions and must have ${spec.partitions}: a record's place depends on that number, so it cannot be changed.`,
    )
  }
}

/**
 * One sentence for each setting of the cluster that breaks the promise "an acknowledged record is never lost"; empty where all
 * are right. On one broker the promise covers process kills only, which is one sentence.
 */
export async function checkProductionSettings(
  connection: KafkaConnectionOptions,
  wireTopics: readonly string[],
): Promise<string[]> {
  return await withAdmin(connection, async (admin) => {
    const { brokers } = await admin.describeCluster()
    if (brokers.length === 1)
      return [
        'There is one broker: an acknowledged record survives the kill of a process, not the loss of the machine or its power.',
      ]
    if (wireTopics.length === 0) return []
    const { topics } = await admin.fetchTopicMetadata({ topics: [...wireTopics] })
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: wireTopics.map((name) => ({
        type: CONFIG_RESOURCE_TOPIC,
        name,
        configNames: [
          'min.insync.replicas',
          'unclean.leader.election.enable',
          'retention.ms',
          'cleanup.policy',
        ],
      })),
    })
    return wireTopics.flatMap((name) => {
      const replicas = topics.find((each) => each.name === name)?.partitions[0]?.replicas.length ?? 0
      const config = new Map(
        resources
          .find((each) => each.resourceName === name)
          ?.configEntries.map((entry) => [entry.configName, entry.configValue]),
      )
      return faultsOf(name, replicas, config)
    })
  })
}

/** One sentence for each setting of the topic that breaks the promise. */
export function faultsOf(name: string, replicas: number, config: ReadonlyMap<string, string>): string[] {
  const faults: string[] = []
  if (replicas < REPLICAS_WANTED)
    faults.push(`${name} has ${replicas} replicas; three are needed to lose a broker safely.`)
  if (Number(config.get('min.insync.replicas') ?? 1) < 2)
    faults.push(`${name} acknowledges with one copy (min.insync.replicas); two are needed.`)
  if (config.get('unclean.leader.election.enable') === 'true')
    faults.push(
      `${name} may elect a leader that lacks acknowledged records (unclean.leader.election.enable).`,
    )
  if (config.get('retention.ms') !== '-1' || config.get('cleanup.policy') !== 'delete')
    faults.push(
      `${name} does not keep everything (cleanup.policy=delete and retention.ms=-1 do): it could not be replayed.`,
    )
  return faults
}

/** Deletes all records before an offset: for retention by hand, and for tests. */
export async function deleteRecordsBefore(
  connection: KafkaConnectionOptions,
  place: { wireTopic: string; partition: number; offset: number },
): Promise<void> {
  await withAdmin(connection, async (admin) => {
    // Reads the leaders first: the call below expects them to be known.
    await admin.fetchTopicOffsets(place.wireTopic)
    await admin.deleteTopicRecords({
      topic: place.wireTopic,
      partitions: [{ partition: place.partition, offset: String(place.offset) }],
    })
  })
}

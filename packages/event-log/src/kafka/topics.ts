/** Creates topics with all their settings, adds missing settings to existing ones, and reports which of them are wrong. */
import { setTimeout as pause } from 'node:timers/promises'
import type { TopicSpec } from '@cupel/contracts'
import type { Admin } from 'kafkajs'
import type { TopicFault } from '../port.js'
import type { KafkaConnectionOptions } from './kafkajs.js'
import { protocolError } from './protocol-errors.js'
import {
  CONFIG_RESOURCE_TOPIC,
  describeTopics,
  behindFault,
  faultsOf,
  replicasWanted,
  wantedConfig,
} from './topic-faults.js'
import { withAdmin, type AdminOptions } from './with-admin.js'

export interface TopicCreation {
  readonly specs: readonly TopicSpec[]
  readonly topicPrefix: string
  /** By default the number of brokers, three at most. */
  readonly replicationFactor?: number | undefined
  /** Whether an operator accepts a fault, so that it is left unchanged. */
  readonly accepts?: (fault: TopicFault) => boolean
}

const CREATE_TIMEOUT_MS = 30_000
const LEADERS_WITHIN_MS = 30_000
const LEADER_POLL_MS = 100
/** Errors of a broker that does not know a topic yet. */
const LEADERLESS = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE'])
/** The source of a setting that was set on the topic itself. Source: Kafka protocol guide, DescribeConfigs. */
const SET_ON_TOPIC = 1

/**
 * Creates missing topics and gives existing topics their settings; resolves to one sentence for each change. Throws if a topic has another
 * number of partitions and may not grow, or if it has too few replicas: positions and ids depend on the partitions, and brokers must move
 * data for replicas.
 */
export async function createTopics(
  connection: KafkaConnectionOptions,
  creation: TopicCreation,
  options: AdminOptions = {},
): Promise<readonly string[]> {
  return await withTopics(
    connection,
    creation,
    async ({ admin, replicas, wanted, found }) => {
      const missing = wanted.filter(({ name }) => !found.has(name))
      await createMissing(admin, missing, replicas)
      await untilLed(
        admin,
        missing.map(({ name }) => name),
      )
      const faults = wanted
        .filter(({ name }) => found.has(name))
        .flatMap((spec) => faultsOf(spec.name, spec, replicas, found.get(spec.name)!))
        .filter((fault) => creation.accepts?.(fault) !== true)
      const lasting = faults.filter(({ isMended }) => !isMended)
      if (lasting.length > 0) throw new Error(lasting.map(({ sentence }) => sentence).join(' '))
      await grow(admin, faults.filter(isTooFew))
      await mend(
        admin,
        faults.filter((fault) => !isTooFew(fault)),
      )
      return [
        ...missing.map(
          ({ name, partitions }) =>
            `Created the topic ${name} (partitions=${partitions}, replication.factor=${replicas}).`,
        ),
        ...faults.map(
          ({ topic, setting, wanted: value }) => `Set ${setting}=${value} on the topic ${topic}.`,
        ),
      ]
    },
    options,
  )
}

/** The differences between the topics and those that `createTopics` makes. Changes nothing. */
export async function topicFaults(
  connection: KafkaConnectionOptions,
  creation: TopicCreation,
  options: AdminOptions = {},
): Promise<readonly TopicFault[]> {
  return await withTopics(
    connection,
    creation,
    ({ replicas, wanted, found }) =>
      Promise.resolve(
        wanted.flatMap((spec) => {
          const topic = found.get(spec.name) ?? null
          const now = topic === null ? [] : behindFault(spec.name, topic)
          return [...faultsOf(spec.name, spec, replicas, topic), ...now]
        }),
      ),
    options,
  )
}

interface Topics {
  readonly admin: Admin
  readonly replicas: number
  readonly wanted: ReturnType<typeof wantedTopics>
  readonly found: Awaited<ReturnType<typeof describeTopics>>
}

/** Runs the work with the wanted topics and the cluster's current ones. */
async function withTopics<T>(
  connection: KafkaConnectionOptions,
  creation: TopicCreation,
  work: (topics: Topics) => Promise<T>,
  options: AdminOptions,
): Promise<T> {
  return await withAdmin(
    connection,
    async (admin) => {
      const { brokers } = await admin.describeCluster()
      const wanted = wantedTopics(creation)
      const found = await describeTopics(admin, wanted)
      const replicas = replicasWanted(creation.replicationFactor, brokers.length)
      return await work({ admin, replicas, wanted, found })
    },
    options,
  )
}

function wantedTopics({ specs, topicPrefix }: TopicCreation): readonly TopicSpec[] {
  return specs.map((spec) => ({ ...spec, name: topicPrefix + spec.name }))
}

const isTooFew = ({ setting }: TopicFault): boolean => setting === 'partitions'

/** Adds partitions to topics that may grow. A topic gets all of them or none. */
async function grow(admin: Admin, faults: readonly TopicFault[]): Promise<void> {
  if (faults.length === 0) return
  await admin.createPartitions({
    timeout: CREATE_TIMEOUT_MS,
    topicPartitions: faults.map(({ topic, wanted }) => ({ topic, count: Number(wanted) })),
  })
  await untilLed(
    admin,
    faults.map(({ topic }) => topic),
    new Map(faults.map(({ topic, wanted }) => [topic, Number(wanted)])),
  )
}

/** The protocol replaces all settings of a topic at once, so that the operator's own settings are sent again. */
async function mend(admin: Admin, faults: readonly TopicFault[]): Promise<void> {
  const names = [...new Set(faults.map(({ topic }) => topic))]
  if (names.length === 0) return
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: names.map((name) => ({ type: CONFIG_RESOURCE_TOPIC, name })),
  })
  await admin.alterConfigs({
    validateOnly: false,
    resources: names.map((name) => {
      const entries = resources.find((each) => each.resourceName === name)?.configEntries ?? []
      const settings = new Map(
        entries
          .filter((entry) => Number(entry.configSource) === SET_ON_TOPIC)
          .map(({ configName, configValue }) => [configName, configValue]),
      )
      for (const { topic, setting, wanted } of faults) if (topic === name) settings.set(setting, wanted)
      const configEntries = [...settings].map(([setting, value]) => ({ name: setting, value }))
      return { type: CONFIG_RESOURCE_TOPIC, name, configEntries }
    }),
  })
}

async function createMissing(admin: Admin, specs: readonly TopicSpec[], replicas: number): Promise<void> {
  if (specs.length === 0) return
  try {
    // kafkajs resolves to false if another process created the topics meanwhile: that is not a failure.
    await admin.createTopics({
      timeout: CREATE_TIMEOUT_MS,
      // A broker under load does not immediately know a new topic: `untilLed` waits for it.
      waitForLeaders: false,
      topics: specs.map((spec) => ({
        topic: spec.name,
        numPartitions: spec.partitions,
        replicationFactor: replicas,
        configEntries: Object.entries(wantedConfig(spec, replicas)).map(([name, value]) => ({ name, value })),
      })),
    })
  } catch (error) {
    throw new Error(`Topics could not be created: ${failuresOf(error)}`, { cause: error })
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

/** Resolves when every partition of the topics has a leader; `counts` is the least number of partitions, 1 by default. */
async function untilLed(
  admin: Admin,
  names: readonly string[],
  counts: ReadonlyMap<string, number> = new Map(),
): Promise<void> {
  if (names.length === 0) return
  const endAt = Date.now() + LEADERS_WITHIN_MS
  for (;;) {
    try {
      const { topics } = await admin.fetchTopicMetadata({ topics: [...names] })
      if (
        topics.every(
          ({ name, partitions }) =>
            partitions.length >= (counts.get(name) ?? 1) && partitions.every((each) => each.leader >= 0),
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

/** The current number of brokers in the cluster. */
export async function countBrokers(connection: KafkaConnectionOptions): Promise<number> {
  return await withAdmin(connection, async (admin) => (await admin.describeCluster()).brokers.length)
}

/** Deletes all records before an offset: for manual retention, and for tests. */
export async function deleteRecordsBefore(
  connection: KafkaConnectionOptions,
  place: { wireTopic: string; partition: number; offset: number },
): Promise<void> {
  await withAdmin(connection, async (admin) => {
    // Reads the leaders first: the call below expects them to be known.
    await admin.fetchTopicOffsets(place.wireTopic)
    const partitions = [{ partition: place.partition, offset: String(place.offset) }]
    await admin.deleteTopicRecords({ topic: place.wireTopic, partitions }).catch((cause: unknown) => {
      const reason = refusalOf(cause)
      throw reason === undefined
        ? cause
        : new Error(`The brokers deleted nothing from ${place.wireTopic}/${place.partition}: ${reason}`, {
            cause,
          })
    })
  })
}

/** What a broker said of the partition: kafkajs keeps it in a list of the cause, and says only that records were not deleted. */
function refusalOf(error: unknown): string | undefined {
  const { partitions } = ((error as Error).cause ?? {}) as {
    readonly partitions?: readonly { readonly error: Error }[]
  }
  return partitions?.[0]?.error.message
}

/** Deletes a topic with its records, as anyone with the rights of the brokers' operator can: for tests. Resolves once it is gone. */
export async function deleteTopic(connection: KafkaConnectionOptions, wireTopic: string): Promise<void> {
  await withAdmin(connection, async (admin) => {
    await admin.deleteTopics({ topics: [wireTopic] })
    const endAt = Date.now() + LEADERS_WITHIN_MS
    while ((await admin.listTopics()).includes(wireTopic)) {
      if (Date.now() >= endAt) throw new Error(`The brokers did not delete ${wireTopic}.`)
      await pause(LEADER_POLL_MS)
    }
  })
}

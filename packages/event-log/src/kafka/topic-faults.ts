/** Compares topics with the requirements of the log, setting by setting. */
import type { TopicSpec } from '@cupel/contracts'
import type { Admin } from 'kafkajs'
import type { TopicFault } from '../port.js'

export const REPLICAS_WANTED = 3
/** With three replicas, two must have a record before it is acknowledged: the loss of one broker loses no record. */
const MIN_IN_SYNC = '2'
export const CONFIG_RESOURCE_TOPIC = 2

/** The configured number; otherwise the number of brokers, three at most. */
export function replicasWanted(configured: number | undefined, brokers: number): number {
  return configured ?? Math.min(REPLICAS_WANTED, brokers)
}

/** Every topic setting that the guarantees of the log need. */
export function wantedConfig(spec: TopicSpec, replicas: number): Record<string, string> {
  return {
    'retention.bytes': '-1',
    'compression.type': 'producer',
    'unclean.leader.election.enable': 'false',
    'min.insync.replicas': replicas >= REPLICAS_WANTED ? MIN_IN_SYNC : '1',
    ...spec.config,
  }
}

/** A topic as the brokers describe it. */
export interface FoundTopic {
  readonly partitions: number
  /** Replicas of the partition that has the fewest. */
  readonly replicas: number
  /** Partitions of which a replica is behind or on a broker that is down. */
  readonly behind: readonly number[]
  readonly config: ReadonlyMap<string, string>
}

/** The effect of each wrong setting, as the end of a sentence. */
const consequences: Readonly<Record<string, string>> = {
  partitions: 'the place of a record depends on that number, so it cannot be changed',
  'replication.factor': 'the loss of a broker would lose records',
  'cleanup.policy': 'records would be lost, and the log could not be replayed',
  'retention.ms': 'records would expire, and the log could not be replayed',
  'retention.bytes': 'the oldest records would be deleted, and the log could not be replayed',
  'max.message.bytes': 'large reports could not be written',
  'min.insync.replicas': 'an acknowledged record could be lost with one broker',
  'unclean.leader.election.enable': 'a leader that lacks acknowledged records could be elected',
  'compression.type': 'the brokers would rewrite every batch',
}

/** Effects for a topic that keeps the last record of each key. */
const consequencesOfCompaction: Readonly<Record<string, string>> = {
  'cleanup.policy': 'a reader of the state would have to read every record that there ever was',
  'retention.ms': 'the state of quiet keys would expire',
  'delete.retention.ms': 'a reader that rests could miss that a key is gone',
  'max.compaction.lag.ms': 'records that were replaced could stay readable',
}

/** The effect for a topic that may grow. */
const TOO_FEW = 'as many processes at most can share its work'

/** One fault for each difference; a topic that does not exist has one. `wanted.replicas` is the least number. */
export function faultsOf(
  name: string,
  wanted: TopicSpec,
  replicas: number,
  found: FoundTopic | null,
): TopicFault[] {
  if (found === null)
    return [
      {
        ...{ topic: name, setting: 'topic', found: null, wanted: 'present', isMended: true },
        sentence: `The topic ${name} does not exist, or this user may not see it.`,
      },
    ]
  const faults: TopicFault[] = []
  const add = (setting: string, is: string | null, must: string, isMended: boolean): void => {
    const consequence = setting === 'partitions' && isMended ? TOO_FEW : consequenceOf(wanted, setting)
    const sentence = `The topic ${name} has ${setting}=${is ?? '(unknown)'} and must have ${must}: ${consequence ?? 'the log needs it'}.`
    faults.push({ topic: name, setting, found: is, wanted: must, isMended, sentence })
  }
  const isSmaller = found.partitions < wanted.partitions
  if (wanted.mayGrow === true ? isSmaller : found.partitions !== wanted.partitions)
    add('partitions', String(found.partitions), String(wanted.partitions), wanted.mayGrow === true)
  if (found.replicas < replicas) add('replication.factor', String(found.replicas), String(replicas), false)
  for (const [setting, must] of Object.entries(wantedConfig(wanted, replicas))) {
    const is = found.config.get(setting) ?? null
    if (!suffices(setting, is, must)) add(setting, is, must, true)
  }
  return faults
}

/** The fault of a topic of which a broker lacks records now. */
export function behindFault(name: string, { partitions, behind }: FoundTopic): TopicFault[] {
  if (behind.length === 0) return []
  const inStep = `${partitions - behind.length} of ${partitions} partitions`
  const sentence = `The topic ${name} has all replicas in step for ${inStep} only, not for ${behind.slice(0, 5).join(', ')}${behind.length > 5 ? ' …' : ''}: a broker is down or behind, and one more could stop the log.`
  return [
    {
      ...{ topic: name, setting: 'in-sync replicas', found: inStep, wanted: 'every partition' },
      ...{ isMended: false, isPassing: true, sentence },
    },
  ]
}

function consequenceOf(wanted: TopicSpec, setting: string): string | undefined {
  const own = wanted.config['cleanup.policy'] === 'compact' ? consequencesOfCompaction[setting] : undefined
  return own ?? consequences[setting]
}

/** Limits may be higher than wanted; every other setting must be equal. */
function suffices(setting: string, is: string | null, must: string): boolean {
  if (is === null) return false
  if (setting === 'max.message.bytes' || setting === 'min.insync.replicas') return Number(is) >= Number(must)
  // Neither of them makes the brokers compress: batches are stored as they came, or in a form that readers read anyway.
  if (setting === 'compression.type') return is === must || is === 'uncompressed'
  return is === must
}

/** The named topics that exist, each with the settings that `wantedConfig` names. */
export async function describeTopics(
  admin: Admin,
  specs: readonly TopicSpec[],
): Promise<ReadonlyMap<string, FoundTopic>> {
  const existing = new Set(await admin.listTopics())
  const names = specs.map((spec) => spec.name).filter((name) => existing.has(name))
  if (names.length === 0) return new Map()
  const { topics } = await admin.fetchTopicMetadata({ topics: names })
  const configNames = [...new Set(specs.flatMap((spec) => Object.keys(wantedConfig(spec, REPLICAS_WANTED))))]
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: names.map((name) => ({ type: CONFIG_RESOURCE_TOPIC, name, configNames })),
  })
  return new Map(
    topics.map(({ name, partitions }) => {
      const entries = resources.find((each) => each.resourceName === name)?.configEntries ?? []
      return [
        name,
        {
          partitions: partitions.length,
          replicas: Math.min(...partitions.map((each) => each.replicas.length)),
          behind: partitions
            .filter(({ isr, replicas }) => isr.length < replicas.length)
            .map(({ partitionId }) => partitionId),
          config: new Map(entries.map(({ configName, configValue }) => [configName, configValue])),
        },
      ]
    }),
  )
}

/** Records appended by an attacker with a broker credential but no record key: labels, policies, requests and ends of jobs. */
import { createHash, randomBytes } from 'node:crypto'
import { createClient, type Client } from '../client.js'
import { cupel } from '../command.js'
import { readRawTopic } from '../kafka-log.js'
import { until } from '../until.js'
import type { Attack } from './attack.js'
import { forgedReport, LABELLED } from './forged-report.js'
import {
  appendForged,
  countedAsLeftOut,
  eventsOf,
  FORGING_TIMEOUT_MS,
  isForged,
  type Event,
} from './forging.js'
import type { Target } from './target.js'

interface Decisive {
  readonly topic: string
  readonly type: string
  /** The event as the forger wants it, made from the last one of its type; `id` is new. */
  change(event: Event, id: string): Event
  /** The key of the record, if it follows from the event. */
  key?(event: Event): string
  /** Whether a consumer dead-letters the records that it leaves out. */
  readonly isDeadLettered?: true
}

const NOTHING_IS_RED = { orange: 99.98, red: 99.99 }

const decisive: readonly Decisive[] = [
  {
    topic: 'screening.label.events.v1',
    type: 'LabelSetPublished',
    // A set without labels that replaces the true one.
    change: ({ source, dataset, ...event }, id) => ({
      ...{ ...event, source, dataset: id, importId: `imp_${id}`, total: 0, added: 0 },
      replaces: [{ source, dataset }],
    }),
    key: ({ source, dataset }) => `${String(source)}/${String(dataset)}`,
  },
  {
    topic: 'screening.policy.events.v1',
    type: 'PolicyActivated',
    change(event) {
      const version = Number(event['version']) + 1
      const policy = JSON.parse(String(event['document'])) as object
      const document = JSON.stringify({ ...policy, version, levels: NOTHING_IS_RED })
      return { ...event, version, document, sha256: createHash('sha256').update(document).digest('hex') }
    },
  },
  {
    topic: 'screening.screen.events.v1',
    type: 'ScreenRequested',
    change: (event, id) => ({ ...event, reportId: id, answerByAt: null }),
    key: ({ reportId }) => String(reportId),
    isDeadLettered: true,
  },
  {
    topic: 'screening.bulk.events.v1',
    type: 'BulkCompleted',
    change: (event, id) => ({ ...event, jobId: `job_${id.repeat(2)}` }),
    key: ({ jobId }) => String(jobId),
    isDeadLettered: true,
  },
]

function forgedRecord({ topic, type, change, key, isDeadLettered }: Decisive): Attack {
  return {
    name: `a forged ${type} in the log`,
    threat: 'forgery',
    place: 'kafka',
    async run(target) {
      const genuine = (await eventsOf(target.installation.ready, topic, type)).at(-1)
      if (genuine === undefined) throw new Error(`${topic} holds no ${type}`)
      const before = await judgement(target)
      // The last two digits of the id of a report name its partition.
      const id = `${randomBytes(7).toString('hex')}00`
      const event = change(genuine.event, id)
      const forged = { like: genuine.record, event, key: key?.(event) ?? genuine.record.key }
      const ids = await countedAsLeftOut(target, topic, () => appendForged(target, forged))
      if (isDeadLettered === true) await deadLetters(target, ids)
      const isSame = (await judgement(target)) === before
      const report = await statusOf(target, `/v1/reports/${id}`)
      return {
        limit: 'counts for nobody',
        measured: `${ids.length} counted as left out${isDeadLettered === true ? ' and kept as dead letters' : ''}; judgement ${isSame ? 'the same' : 'another'}, report ${report}`,
        held: isSame && report === 404,
      }
    },
  }
}

/** Forged records stay in the log: these attacks come last. */
export const forgedRecords: readonly Attack[] = [
  { ...forgedReport, place: 'kafka' },
  ...decisive.map(forgedRecord),
  {
    name: 'forged records, looked for with audit verify',
    threat: 'forgery',
    place: 'kafka',
    async run({ installation: { home, ready } }) {
      const topics = ['screening.report.events.v1', ...decisive.map(({ topic }) => topic)]
      const records = (await Promise.all(topics.map((topic) => readRawTopic(ready, topic)))).flat()
      const places = records.filter(isForged).map(placeOf).sort()
      const { exitCode, stdout } = await cupel(home, ['audit', 'verify', '--json'])
      const { problems } = JSON.parse(stdout) as { problems: readonly Problem[] }
      const named = problems.filter(({ kind }) => kind === 'forged').map(placeOf)
      const isExact = named.sort().join() === places.join()
      return {
        limit: 'each is named by its place',
        measured: `exit code ${exitCode}, ${named.length} of ${places.length} named`,
        held: exitCode === 1 && places.length > 0 && isExact,
      }
    },
  },
]

interface Place {
  readonly topic: string
  readonly partition: number
  readonly offset: number
}

interface Problem extends Place {
  readonly kind: string
}

const placeOf = ({ topic, partition, offset }: Place): string => `${topic}/${partition} at ${offset}`

/** Waits until a consumer has dead-lettered each event. */
async function deadLetters({ installation }: Target, ids: readonly string[]): Promise<void> {
  await until('dead letters of forged records', FORGING_TIMEOUT_MS, async () => {
    const { stdout } = await cupel(installation.home, ['dead-letters', 'list', '--json'])
    const { dead_letters: letters } = JSON.parse(stdout) as {
      dead_letters: readonly { cause: string; event_id: string | null }[]
    }
    const forged = letters.filter(({ cause }) => cause.startsWith('forged_record'))
    return ids.every((id) => forged.some(({ event_id: eventId }) => eventId === id))
  })
}

/** The policy in force, the lists without their time-dependent fields, and the level and score of a labelled address. */
async function judgement(target: Target): Promise<string> {
  return await asVictim(target, async (client) => {
    const [policy, lists] = [await client.send('GET', '/v1/policy'), await client.send('GET', '/v1/lists')]
    const { items } = JSON.parse(lists.text) as { items: readonly Record<string, unknown>[] }
    const stable = items.map(({ source, dataset, published_at: at, labels }) => [source, dataset, at, labels])
    const risk = await until('a report', FORGING_TIMEOUT_MS, async () => {
      const { status, text } = await client.screen(LABELLED)
      return status === 200 ? (JSON.parse(text) as { risk: { level: string; score: number } }).risk : null
    })
    return JSON.stringify([policy.status, policy.text, stable, risk.level, risk.score])
  })
}

/** Waits until the read models have caught up. */
async function statusOf(target: Target, path: string): Promise<number> {
  return await asVictim(target, (client) =>
    until(`an answer to ${path}`, FORGING_TIMEOUT_MS, async () => {
      const { status } = await client.send('GET', path)
      return status === 503 ? null : status
    }),
  )
}

async function asVictim<T>({ baseUrl, victim }: Target, use: (client: Client) => Promise<T>): Promise<T> {
  const client = createClient([baseUrl], victim.key)
  try {
    return await use(client)
  } finally {
    await client.close()
  }
}

/** Forging Kafka records: records from an attacker with a broker credential that can read the topics but has no record key. */
import { randomBytes } from 'node:crypto'
import { SchemaRegistry } from '@kafkajs/confluent-schema-registry'
import type { ReadyLine } from '../installation.js'
import { appendRecord, readRawTopic, type RawRecord } from '../kafka-log.js'
import { until } from '../until.js'
import type { Target } from './target.js'

/** Without a MAC, and with the MAC of another record. */
export const FORGERIES = ['no-mac', 'wrong-mac'] as const
export type Forgery = (typeof FORGERIES)[number]

/** Only a hang takes longer. */
export const FORGING_TIMEOUT_MS = 120_000

export type Event = Readonly<Record<string, unknown>>

export interface EventRecord {
  readonly record: RawRecord
  readonly event: Event
}

/** Event ids of forged records begin with it. */
const FORGED_ID = 'forged-'
export const isForged = ({ id }: { readonly id: string }): boolean => id.startsWith(FORGED_ID)

/** The events of one type in a topic, in the order of the log. */
export async function eventsOf(ready: ReadyLine, topic: string, type: string): Promise<EventRecord[]> {
  const registry = registryOf(ready)
  const records = (await readRawTopic(ready, topic)).filter((record) => record.type === type)
  return await Promise.all(
    records.map(async (record) => ({ record, event: (await registry.decode(record.value)) as Event })),
  )
}

export interface Forged {
  /** A record of the installation: the forged one has its schema, partition and headers. */
  readonly like: RawRecord
  readonly key: string
  readonly event: Event
  readonly headers?: Readonly<Record<string, string>>
}

/** Appends a record without a MAC and one with a wrong MAC; resolves to their event ids. */
export async function appendForged(target: Target, { like, key, event, headers }: Forged): Promise<string[]> {
  const { ready } = target.installation
  const value = await registryOf(ready).encode(like.value.readInt32BE(1), event)
  const ids: string[] = []
  for (const forgery of FORGERIES) {
    const id = `${FORGED_ID}${randomBytes(8).toString('hex')}`
    const all: Record<string, string> = { ...like.headers, ...headers, ce_id: id }
    if (forgery === 'no-mac') delete all['cupel_mac']
    await appendRecord(ready, like.topic, { key, value, headers: all, partition: like.partition })
    ids.push(id)
  }
  return ids
}

/** Runs an attack on a topic, and resolves when its readers have counted records of each forgery as left out. */
export async function countedAsLeftOut<T>(
  target: Target,
  topic: string,
  attack: () => Promise<T>,
): Promise<T> {
  const counted = await Promise.all(FORGERIES.map((forgery) => leftOut(target, topic, forgery)))
  const made = await attack()
  for (const [index, forgery] of FORGERIES.entries())
    await until(
      `a ${forgery} of ${topic} that is left out`,
      FORGING_TIMEOUT_MS,
      async () => (await leftOut(target, topic, forgery)) > counted[index]!,
    )
  return made
}

/** Number of such records that the readers of the topic have left out: the metric that raises the alarm. */
async function leftOut({ installation }: Target, topic: string, forgery: Forgery): Promise<number> {
  const texts = await Promise.all(
    installation.ready.metrics_urls.map(async (url) => await (await fetch(url)).text()),
  )
  const lines = texts
    .flatMap((text) => text.split('\n'))
    .filter((line) => line.startsWith('cupel_log_forged_records_total{'))
    .filter((line) => line.includes(`topic="${topic}"`) && line.includes(`forgery="${forgery}"`))
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}

const registryOf = (ready: ReadyLine): SchemaRegistry => new SchemaRegistry({ host: ready.log.registry! })

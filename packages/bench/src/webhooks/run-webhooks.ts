/**
 * Measures webhooks: 1,000 addresses from POST to webhook, signed deliveries a second to a local receiver, and first attempts to a
 * working receiver, idle and beside fifty that hang.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { enterpriseKey, startSystem, type Profile, type RunningSystem } from '../system.js'
import { startSink, type Arrival, type Sink } from './sink.js'

export interface WebhookOptions {
  /** Folder of the checkout. */
  readonly root: string
  readonly profiles: readonly Profile[]
  readonly say: (line: string) => void
}

export interface Delays {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

export interface WebhookRow {
  readonly profile: Profile
  /** Milliseconds from the POST of a job to its webhook, one job after the other. */
  readonly postToWebhookMs: readonly number[]
  readonly deliveries: { readonly count: number; readonly perSecond: number }
  /** Milliseconds from the end of a job to the first attempt. */
  readonly idle: Delays
  readonly besideHanging: Delays
}

export interface WebhookResults {
  readonly date: string
  readonly cores: number
  readonly loadAverage: number
  readonly rows: readonly WebhookRow[]
}

const ENDPOINTS_PER_ACCOUNT = 10
const SINGLE_JOBS = 5
const ADDRESSES_PER_SINGLE_JOB = 1_000
/** Jobs whose webhooks are redelivered repeatedly, each to ten endpoints. */
const THROUGHPUT_JOBS = 100
const THROUGHPUT_ROUNDS = 5
const HANGING_ENDPOINTS = 50
const TIMED_JOBS = 100
const ARRIVAL_TIMEOUT_MS = 120_000
const LOOK_MS = 5

/** Child processes inherit these settings. */
const SETTINGS = {
  CUPEL_WEBHOOK_ALLOW: '127.0.0.0/8',
  CUPEL_WEBHOOK_ATTEMPTS_PER_SECOND: '10000',
  CUPEL_WEBHOOK_HOST_ATTEMPTS_PER_SECOND: '10000',
  CUPEL_WEBHOOK_HOST_BURST: '100000',
}

export async function runWebhooks(options: WebhookOptions): Promise<WebhookResults> {
  const loadAverage = Math.round(loadavg()[0]! * 10) / 10
  Object.assign(process.env, SETTINGS)
  const rows: WebhookRow[] = []
  for (const profile of options.profiles) rows.push(await benchProfile(profile, options))
  return { date: new Date().toISOString().slice(0, 10), cores: cpus().length, loadAverage, rows }
}

async function benchProfile(profile: Profile, { root, say }: WebhookOptions): Promise<WebhookRow> {
  const home = await mkdtemp(join(tmpdir(), `cupel-bench-webhooks-${profile}-`))
  const sink = await startSink()
  let system: RunningSystem | null = null
  try {
    say(`${profile}: start`)
    system = await startSystem({ root, home, profile })
    const postToWebhookMs = await timeJobs(system, sink, say)
    const deliveries = await countDeliveries(system, sink, say)
    const key = await enterpriseKey(system, 'Webhooks')
    await newEndpoint(system, key, `${sink.url}/timed`)
    say(`${profile}: ${TIMED_JOBS} first attempts, idle`)
    const idle = await timeFirstAttempts(system, sink, key)
    await hang(system, sink, say)
    say(`${profile}: ${TIMED_JOBS} first attempts beside ${HANGING_ENDPOINTS} hanging receivers`)
    const besideHanging = await timeFirstAttempts(system, sink, key)
    return { profile, postToWebhookMs, deliveries, idle, besideHanging }
  } finally {
    await system?.stop()
    await sink.close()
    await rm(home, { recursive: true, force: true })
  }
}

async function timeJobs(system: RunningSystem, sink: Sink, say: WebhookOptions['say']): Promise<number[]> {
  say(`${system.profile}: ${SINGLE_JOBS} jobs of ${ADDRESSES_PER_SINGLE_JOB} addresses, POST to webhook`)
  const key = await enterpriseKey(system, 'Webhooks')
  await newEndpoint(system, key, `${sink.url}/single`, 'full')
  const took: number[] = []
  // The first job is the warm-up.
  for (let n = 0; n <= SINGLE_JOBS; n += 1) {
    const since = Date.now()
    const jobId = await submit(system, key, ADDRESSES_PER_SINGLE_JOB)
    const arrival = await arrivalOf(sink, (one) => one.jobId === jobId)
    if (n > 0) took.push(arrival.atMs - since)
  }
  return took
}

async function countDeliveries(
  system: RunningSystem,
  sink: Sink,
  say: WebhookOptions['say'],
): Promise<WebhookRow['deliveries']> {
  const perRound = THROUGHPUT_JOBS * ENDPOINTS_PER_ACCOUNT
  say(`${system.profile}: ${THROUGHPUT_ROUNDS} × ${perRound} deliveries`)
  const key = await enterpriseKey(system, 'Webhooks')
  const ids: string[] = []
  for (let n = 0; n < ENDPOINTS_PER_ACCOUNT; n += 1)
    ids.push(await newEndpoint(system, key, `${sink.url}/many-${n}`))
  sink.arrivals = []
  for (let n = 0; n < THROUGHPUT_JOBS; n += 1) await submit(system, key, 1)
  await arrived(sink, perRound)
  await untilDelivered(system, key, ids)
  let [count, seconds] = [0, 0]
  for (let round = 0; round < THROUGHPUT_ROUNDS; round += 1) {
    sink.arrivals = []
    const since = Date.now()
    const again = { since: '2026-01-01T00:00:00Z', statuses: ['delivered'] }
    await Promise.all(
      ids.map((id) => call(system, key, 'POST', `/v1/webhook-endpoints/${id}/redeliver`, again)),
    )
    await arrived(sink, perRound)
    count += perRound
    seconds += (sink.arrivals.at(-1)!.atMs - since) / 1_000
    // A delivery can be sent again only once its outcome is recorded.
    await untilDelivered(system, key, ids)
  }
  return { count, perSecond: Math.round(count / seconds) }
}

async function untilDelivered(system: RunningSystem, key: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    for (;;) {
      const pending = await call(
        system,
        key,
        'GET',
        `/v1/webhook-endpoints/${id}/deliveries?status=pending&page_size=1`,
      )
      if ((pending['items'] as unknown[]).length === 0) break
      await sleep(20)
    }
  }
}

async function hang(system: RunningSystem, sink: Sink, say: WebhookOptions['say']): Promise<void> {
  say(`${system.profile}: ${HANGING_ENDPOINTS} receivers begin to hang`)
  sink.arrivals = []
  for (let account = 0; account < HANGING_ENDPOINTS / ENDPOINTS_PER_ACCOUNT; account += 1) {
    const key = await enterpriseKey(system, 'Webhooks')
    for (let n = 0; n < ENDPOINTS_PER_ACCOUNT; n += 1)
      await newEndpoint(system, key, `${sink.url}/hang-${account}-${n}`)
    for (let job = 0; job < 20; job += 1) await submit(system, key, 1)
  }
  await arrived(sink, HANGING_ENDPOINTS)
}

async function timeFirstAttempts(system: RunningSystem, sink: Sink, key: string): Promise<Delays> {
  const delays: number[] = []
  for (let n = 0; n < TIMED_JOBS; n += 1) {
    const jobId = await submit(system, key, 1)
    const { atMs, jobEndedAtMs } = await arrivalOf(
      sink,
      (one) => one.jobId === jobId && one.path === '/timed',
    )
    delays.push(atMs - jobEndedAtMs)
  }
  delays.sort((a, b) => a - b)
  const at = (share: number): number =>
    delays[Math.min(delays.length - 1, Math.floor(share * delays.length))]!
  return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: delays.at(-1)! }
}

async function arrivalOf(sink: Sink, isIt: (arrival: Arrival) => boolean): Promise<Arrival> {
  const giveUpAt = Date.now() + ARRIVAL_TIMEOUT_MS
  for (;;) {
    const found = sink.arrivals.findLast(isIt)
    if (found !== undefined) return found
    if (Date.now() > giveUpAt) throw new Error('A webhook did not arrive')
    await sleep(LOOK_MS)
  }
}

async function arrived(sink: Sink, count: number): Promise<void> {
  const giveUpAt = Date.now() + ARRIVAL_TIMEOUT_MS
  while (sink.arrivals.length < count) {
    if (Date.now() > giveUpAt) throw new Error(`${sink.arrivals.length} of ${count} webhooks arrived`)
    await sleep(LOOK_MS)
  }
}

async function newEndpoint(
  system: RunningSystem,
  key: string,
  url: string,
  payload = 'thin',
): Promise<string> {
  const made = await call(system, key, 'POST', '/v1/webhook-endpoints', { url, payload })
  const path = `/v1/webhook-endpoints/${String(made['endpoint_id'])}`
  while ((await call(system, key, 'GET', path))['proven_at'] === null) await sleep(20)
  return String(made['endpoint_id'])
}

async function submit(system: RunningSystem, key: string, count: number): Promise<string> {
  const addresses = Array.from({ length: count }, () => `0x${randomBytes(20).toString('hex')}`)
  return String((await call(system, key, 'POST', '/v1/bulk', { addresses }))['job_id'])
}

async function call(
  { line }: RunningSystem,
  key: string,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(line.base_url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 200)}`)
  return JSON.parse(text) as Record<string, unknown>
}

/**
 * Measures what a customer notices of others: the p95 of its screens in quiet phases and in phases in which strangers send bodies or
 * another customer reads at the full rate of its plan, by turns.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { benchmarkBodies } from '../addresses.js'
import { openJobs } from '../bulk/jobs.js'
import { generateLoad } from '../child-processes.js'
import { enterpriseKey, startSystem, type Profile, type RunningSystem } from '../system.js'
import { beginGets, beginStrangers, getOnce, type Get, type Intrusion } from './intruders.js'

export interface NeighboursOptions {
  /** Folder of the checkout. */
  readonly root: string
  readonly profile: Profile
  /** Of each phase. */
  readonly seconds: number
  /** Quiet phase and disturbed phase. */
  readonly pairs: number
  /** Screens a second of the customer. */
  readonly perSecond: number
  /** Only the cases whose name contains it. */
  readonly only?: string | undefined
  readonly say: (line: string) => void
}

export interface NeighbourRow {
  readonly name: string
  /** Of one call of the other customer while nobody else calls, median of several, in milliseconds; null for strangers. */
  readonly aloneMs: number | null
  /** p95 of the screens in milliseconds, by pair. */
  readonly quietMs: readonly number[]
  readonly disturbedMs: readonly number[]
  /** Disturbed ÷ quiet of each pair, ascending. */
  readonly ratios: readonly number[]
  readonly errors: number
  /** Answers to the intruders a second, by status. */
  readonly answers: Readonly<Record<string, number>>
}

export interface NeighboursResults {
  readonly date: string
  readonly cores: number
  readonly loadAverage: number
  readonly profile: Profile
  readonly seconds: number
  readonly pairs: number
  readonly perSecond: number
  readonly rows: readonly NeighbourRow[]
}

const STRANGERS = 8
/** Refill of the plan pro, calls a second. */
const PRO_PER_SECOND = 10
const JOB_ITEMS = 1_000
const ALONE_CALLS = 15
const CONNECTIONS = 64
const WARM_UP_SECONDS = 10
const JOB_POLL_MS = 100
/** After a disturbed phase; the bucket of the other customer fills again. */
const REST_MS = 1_000

interface Case {
  readonly name: string
  readonly get: Get | null
  begin(): Intrusion
}

export async function runNeighbours(options: NeighboursOptions): Promise<NeighboursResults> {
  const { root, profile, seconds, pairs, perSecond, say } = options
  const loadAverage = Math.round(loadavg()[0]! * 10) / 10
  const home = await mkdtemp(join(tmpdir(), 'cupel-bench-neighbours-'))
  let system: RunningSystem | null = null
  try {
    say('start')
    system = await startSystem({ root, home, profile })
    const victim = await openVictim(system, options)
    const greedy = await openGreedy(system)
    const rows: NeighbourRow[] = []
    for (const one of casesOf(system.line.base_url, greedy)) {
      if (options.only !== undefined && !one.name.includes(options.only)) continue
      say(one.name)
      rows.push(await measure(one, { ...options, ...greedy, baseUrl: system.line.base_url, victim }))
      say(
        `${one.name}: ${rows
          .at(-1)!
          .ratios.map((ratio) => ratio.toFixed(2))
          .join(' ')}`,
      )
    }
    const date = new Date().toISOString().slice(0, 10)
    return { date, cores: cpus().length, loadAverage, profile, seconds, pairs, perSecond, rows }
  } finally {
    await system?.stop()
    await rm(home, { recursive: true, force: true })
  }
}

interface Greedy {
  readonly key: string
  readonly jobId: string
  readonly reportId: string
}

function casesOf(baseUrl: string, { key, jobId, reportId }: Greedy): Case[] {
  const reads: readonly (readonly [string, string, string])[] = [
    ['table of a job', `/v1/bulk/${jobId}/results`, 'text/csv'],
    ['lines of a job', `/v1/bulk/${jobId}/results`, 'application/x-ndjson'],
    ['inline job', `/v1/bulk/${jobId}`, 'application/json'],
    ['one result of a job', `/v1/bulk/${jobId}/results?page_size=1`, 'application/json'],
    ['200 results, worst first', `/v1/bulk/${jobId}/results?page_size=200&sort=risk`, 'application/json'],
    ['200 audit records', '/v1/audit-log?page_size=200', 'application/json'],
    ['PDF of a job', `/v1/bulk/${jobId}/pdf`, 'application/pdf'],
    ['PDF of a report', `/v1/reports/${reportId}/pdf`, 'application/pdf'],
  ]
  return [
    {
      name: `${STRANGERS} strangers with bodies of 1 MiB`,
      get: null,
      begin: () => beginStrangers(baseUrl, STRANGERS),
    },
    ...reads.map(([name, path, accept]) => ({
      name,
      get: { path, accept },
      begin: () => beginGets(baseUrl, key, { path, accept }, PRO_PER_SECOND),
    })),
  ]
}

/** Resolves with the p95 of the screens of one phase, in milliseconds, and how many had no report. */
type Victim = (seconds: number) => Promise<{ readonly p95Ms: number; readonly errors: number }>

async function openVictim(system: RunningSystem, { perSecond }: NeighboursOptions): Promise<Victim> {
  const key = await enterpriseKey(system, 'Victim')
  const bodies = await benchmarkBodies(null)
  const baseUrls = system.line.base_urls
  const victim: Victim = async (seconds) => {
    const phase = { kind: 'open', level: perSecond, seconds } as const
    const target = { kind: 'http', baseUrls, key, bodies, connections: CONNECTIONS } as const
    const [result] = await generateLoad({ target, warmUp: null, phases: [phase] })
    return { p95Ms: result!.p95Ms, errors: result!.errors }
  }
  await victim(WARM_UP_SECONDS)
  return victim
}

async function openGreedy(system: RunningSystem): Promise<Greedy> {
  const { json: account } = await system.cupel('accounts', 'create', 'Greedy')
  const { json: issued } = await system.cupel(
    ...['keys', 'create', '--account', String(account['account_id'])],
    ...['--scope', 'read-write', '--plan', 'pro'],
  )
  const key = String(issued['key'])
  const jobs = openJobs(system.line.base_url)
  const addresses = Array.from({ length: JOB_ITEMS }, () => `0x${randomBytes(20).toString('hex')}`)
  const { job_id: jobId } = await jobs.submit(key, addresses)
  const resultOf = async (): Promise<{ completed_at: string | null }> => {
    const answer = await fetch(`${system.line.base_url}/v1/bulk/${jobId}?results=none`, {
      headers: { authorization: `Bearer ${key}` },
    })
    return (await answer.json()) as { completed_at: string | null }
  }
  while ((await resultOf()).completed_at === null) await sleep(JOB_POLL_MS)
  const answer = await fetch(`${system.line.base_url}/v1/bulk/${jobId}/results?page_size=1`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const { items } = (await answer.json()) as { items: { report: { report_id: string } }[] }
  return { key, jobId, reportId: items[0]!.report.report_id }
}

async function measure(
  one: Case,
  options: NeighboursOptions & Greedy & { readonly baseUrl: string; readonly victim: Victim },
): Promise<NeighbourRow> {
  const { pairs, seconds, victim, baseUrl, key } = options
  const aloneMs = one.get === null ? null : await timeAlone(baseUrl, key, one.get)
  const [quietMs, disturbedMs, ratios]: number[][] = [[], [], []]
  const answers = new Map<number, number>()
  let errors = 0
  for (let pair = 0; pair < pairs; pair += 1) {
    // By turns, and each comes first as often as the other.
    const phases = pair % 2 === 0 ? ['quiet', 'disturbed'] : ['disturbed', 'quiet']
    for (const phase of phases) {
      const intrusion = phase === 'quiet' ? null : one.begin()
      const result = await victim(seconds)
      for (const [status, count] of (await intrusion?.stop()) ?? [])
        answers.set(status, (answers.get(status) ?? 0) + count)
      errors += result.errors
      ;(phase === 'quiet' ? quietMs : disturbedMs)!.push(result.p95Ms)
      await sleep(REST_MS)
    }
    ratios!.push(disturbedMs!.at(-1)! / quietMs!.at(-1)!)
  }
  ratios!.sort((a, b) => a - b)
  const perSecond = (count: number): number => Math.round((10 * count) / (pairs * seconds)) / 10
  return {
    ...{ name: one.name, aloneMs, quietMs: quietMs!, disturbedMs: disturbedMs!, ratios: ratios!, errors },
    answers: Object.fromEntries([...answers].map(([status, count]) => [status, perSecond(count)])),
  }
}

/** One call after the other, slower than the plan allows. */
async function timeAlone(baseUrl: string, key: string, get: Get): Promise<number> {
  const took: number[] = []
  for (let call = 0; call < ALONE_CALLS; call += 1) {
    const { status, tookMs } = await getOnce(baseUrl, key, get)
    if (status !== 200) throw new Error(`${get.path} is answered ${status}`)
    took.push(tookMs)
    await sleep(1_000 / PRO_PER_SECOND)
  }
  return Math.round(medianOf(took))
}

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

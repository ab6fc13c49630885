/**
 * Measures the effect of others on a customer: the p95 of its screens alone, and while strangers send bodies or another customer reads at
 * the full rate of its plan. Each case has its own rounds.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { constants, cpus, loadavg, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { benchmarkBodies } from '../addresses.js'
import { openJobs } from '../bulk/jobs.js'
import { startLoadGenerator, type LoadGenerator } from '../child-processes.js'
import { compareRounds, turnsOfRound, type Comparison, type TurnKind, type TurnLatencies } from '../rounds.js'
import { enterpriseKey, startSystem, type Profile, type RunningSystem } from '../system.js'
import { beginGets, beginStrangers, getOnce, type Get, type Intrusion } from './intruders.js'

export interface NeighboursOptions {
  /** Folder of the checkout. */
  readonly root: string
  readonly profile: Profile
  /** Seconds of each turn. */
  readonly seconds: number
  /** Of each case. */
  readonly rounds: number
  /** Screens a second of the customer. */
  readonly perSecond: number
  /** Only the cases whose name contains one of these; all if there is none. */
  readonly only: readonly string[]
  readonly say: (line: string) => void
}

export interface NeighbourRow {
  readonly name: string
  /** Time of one call of the other customer while nobody else calls, median of several, in milliseconds; null for strangers. */
  readonly aloneMs: number | null
  /** p95 of the screens. */
  readonly screens: Comparison
  readonly errors: number
  /** Answers to the intruders a second, by status. */
  readonly answers: Readonly<Record<string, number>>
  /** The latencies of the screens by kind of turn and round. */
  readonly turns: Readonly<Record<TurnKind, readonly TurnLatencies[]>>
}

export interface NeighboursResults {
  readonly date: string
  readonly cores: number
  readonly loadAverage: number
  readonly profile: Profile
  readonly seconds: number
  readonly rounds: number
  readonly perSecond: number
  readonly rows: readonly NeighbourRow[]
}

const STRANGERS = 8
/** Refill of the plan pro, calls a second. */
const PRO_PER_SECOND = 10
const JOB_ITEMS = 1_000
const ALONE_CALLS = 5
const CONNECTIONS = 64
const WARM_UP_SECONDS = 10
const JOB_POLL_MS = 100
/** The screens of the first part of a turn do not count: intruders begin, or the previous turn still has its effect. */
const SETTLE_SECONDS = 0.5
const P95 = 0.95
/** Seed for the arrivals of the first round. Each round has another one, and all its turns the same. */
const FIRST_SEED = 20_261_123

interface Case {
  readonly name: string
  readonly get: Get | null
  begin(): Intrusion
}

export async function runNeighbours(options: NeighboursOptions): Promise<NeighboursResults> {
  const { root, profile, seconds, rounds, perSecond, say } = options
  const loadAverage = Math.round(loadavg()[0]! * 10) / 10
  const home = await mkdtemp(join(tmpdir(), 'cupel-bench-neighbours-'))
  let system: RunningSystem | null = null
  let victim: LoadGenerator | null = null
  try {
    say('start')
    system = await startSystem({ root, home, profile })
    const greedy = await openGreedy(system)
    const baseUrl = system.line.base_url
    const isAsked = (name: string): boolean =>
      options.only.length === 0 || options.only.some((part) => name.includes(part))
    const cases = casesOf(baseUrl, greedy).filter(({ name }) => isAsked(name))
    const alone = new Map<string, number>()
    for (const { name, get } of cases)
      if (get !== null) alone.set(name, await timeAlone(baseUrl, greedy.key, get))
    victim = await openVictim(system, options)
    // This process makes the calls of the intruders, in place of other machines. At low priority its work takes no time from the others.
    setPriority(constants.priority.PRIORITY_LOW)
    const rows: NeighbourRow[] = []
    for (const one of cases) rows.push(await measure(victim, one, alone.get(one.name) ?? null, options))
    return {
      ...{ date: new Date().toISOString().slice(0, 10), cores: cpus().length, loadAverage },
      ...{ profile, seconds, rounds, perSecond, rows },
    }
  } finally {
    victim?.stop()
    await system?.stop()
    await rm(home, { recursive: true, force: true })
  }
}

async function measure(
  victim: LoadGenerator,
  { name, begin }: Case,
  aloneMs: number | null,
  { rounds, perSecond, seconds, say }: NeighboursOptions,
): Promise<NeighbourRow> {
  const turns: Record<TurnKind, TurnLatencies[]> = { one: [], other: [], beside: [] }
  const answers = new Map<number, number>()
  let errors = 0
  const take = async (kind: TurnKind, round: number): Promise<TurnLatencies> => {
    const intrusion = kind === 'beside' ? begin() : null
    const order = { level: perSecond, seconds, seed: FIRST_SEED + round, settleSeconds: SETTLE_SECONDS }
    const turn = await victim.run({ kind: 'open', ...order })
    const answered = (await intrusion?.stop()) ?? new Map<number, number>()
    if (round >= 0) {
      errors += turn.errors
      for (const [status, count] of answered) answers.set(status, (answers.get(status) ?? 0) + count)
    }
    return turn.latenciesMs
  }
  // The first read costs more.
  await take('beside', -1)
  for (let round = 0; round < rounds; round += 1)
    for (const kind of turnsOfRound(round)) turns[kind].push(await take(kind, round))
  const screens = compareRounds(turns, P95)
  say(`${name}: ${screens.effect.value.toFixed(2)}, noise ${screens.noise.value.toFixed(2)}`)
  const ofSeconds = rounds * seconds
  const rate = (count: number): number => Math.round((10 * count) / ofSeconds) / 10
  const rates = Object.fromEntries([...answers].map(([status, count]) => [status, rate(count)]))
  return { name, aloneMs, screens, errors, answers: rates, turns }
}

interface Greedy {
  readonly key: string
  readonly jobId: string
  readonly reportId: string
}

function casesOf(baseUrl: string, { key, jobId, reportId }: Greedy): Case[] {
  const reads: readonly (readonly [string, string, string])[] = [
    // The floor: the time of the caller itself and of an HTTP call on the same cores.
    ['health, which reads nothing', '/healthz', 'application/json'],
    ['table of a job', `/v1/bulk/${jobId}/results`, 'text/csv'],
    ['lines of a job', `/v1/bulk/${jobId}/results`, 'application/x-ndjson'],
    ['inline job', `/v1/bulk/${jobId}`, 'application/json'],
    ['how a job stands', `/v1/bulk/${jobId}?results=none`, 'application/json'],
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

/** A customer that screens, warmed up. */
async function openVictim(system: RunningSystem, { perSecond }: NeighboursOptions): Promise<LoadGenerator> {
  const key = await enterpriseKey(system, 'Victim')
  const bodies = await benchmarkBodies(null)
  return await startLoadGenerator({
    target: { kind: 'http', baseUrls: system.line.base_urls, key, bodies, connections: CONNECTIONS },
    warmUp: { kind: 'open', level: perSecond, seconds: WARM_UP_SECONDS },
  })
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

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

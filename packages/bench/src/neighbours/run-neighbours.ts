/**
 * Measures what a customer notices of others: the p95 of its screens in quiet turns and in turns in which strangers send bodies or
 * another customer reads at the full rate of its plan. The turns are short and mixed, and percentiles are taken of all turns together.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { benchmarkBodies } from '../addresses.js'
import { openJobs } from '../bulk/jobs.js'
import { startLoadGenerator, type LoadGenerator } from '../child-processes.js'
import { enterpriseKey, startSystem, type Profile, type RunningSystem } from '../system.js'
import { beginGets, beginStrangers, getOnce, type Get, type Intrusion } from './intruders.js'
import { pooledPercentile, pooledRatio, type Ratio, type TurnLatencies } from './pooled.js'

export interface NeighboursOptions {
  /** Folder of the checkout. */
  readonly root: string
  readonly profile: Profile
  /** Of each turn. */
  readonly seconds: number
  /** Each has some quiet turns and one of each case, in another order than the round before. */
  readonly rounds: number
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
  /** p95 of the screens in milliseconds, and how many times that of all quiet turns it is. */
  readonly p95Ms: number
  readonly ratio: Ratio
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
  readonly rounds: number
  readonly perSecond: number
  /** p95 of the screens in all quiet turns, in milliseconds. */
  readonly quietMs: number
  /** Every other quiet turn ÷ the quiet turns between: what chance alone gives. */
  readonly noise: Ratio
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
/** Intruders are at work for so long before a turn, and are gone for so long before the next. */
const LEAD_MS = 300
const QUIET_TURNS_A_ROUND = 4
const P95 = 0.95

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
    const cases = casesOf(baseUrl, greedy).filter(({ name }) => name.includes(options.only ?? ''))
    const alone = new Map<string, number>()
    for (const { name, get } of cases)
      if (get !== null) alone.set(name, await timeAlone(baseUrl, greedy.key, get))
    victim = await openVictim(system, options)
    const turns = await takeTurns(victim, cases, options)
    const even = turns.quiet.filter((_, index) => index % 2 === 0)
    const odd = turns.quiet.filter((_, index) => index % 2 === 1)
    return {
      ...{ date: new Date().toISOString().slice(0, 10), cores: cpus().length, loadAverage },
      ...{ profile, seconds, rounds, perSecond },
      quietMs: pooledPercentile(turns.quiet, P95),
      noise: pooledRatio(even, odd, P95),
      rows: cases.map((one) => rowOf(one, alone.get(one.name) ?? null, turns, rounds * seconds)),
    }
  } finally {
    victim?.stop()
    await system?.stop()
    await rm(home, { recursive: true, force: true })
  }
}

interface CaseTurns {
  readonly latencies: TurnLatencies[]
  readonly answers: Map<number, number>
  errors: number
}

interface Turns {
  readonly quiet: TurnLatencies[]
  readonly byCase: ReadonlyMap<string, CaseTurns>
}

/** Quiet turns and those of the cases, mixed: what changes on the machine meanwhile changes all of them. */
async function takeTurns(
  victim: LoadGenerator,
  cases: readonly Case[],
  { rounds, perSecond, seconds, say }: NeighboursOptions,
): Promise<Turns> {
  const turns: Turns = {
    quiet: [],
    byCase: new Map(cases.map(({ name }) => [name, { latencies: [], answers: new Map(), errors: 0 }])),
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const one of orderOf(cases, round)) {
      const intrusion = one?.begin()
      await sleep(LEAD_MS)
      const { latenciesMs, errors } = await victim.run({ kind: 'open', level: perSecond, seconds })
      const answers = intrusion?.stop() ?? new Map<number, number>()
      await sleep(LEAD_MS)
      if (one === null) {
        turns.quiet.push(latenciesMs)
        continue
      }
      const own = turns.byCase.get(one.name)!
      own.latencies.push(latenciesMs)
      own.errors += errors
      for (const [status, count] of answers) own.answers.set(status, (own.answers.get(status) ?? 0) + count)
    }
    say(`round ${round + 1} of ${rounds}`)
  }
  return turns
}

/** The cases from another one on in each round, with the quiet turns (null) spread among them. */
function orderOf(cases: readonly Case[], round: number): (Case | null)[] {
  const from = round % cases.length
  const order: (Case | null)[] = [...cases.slice(from), ...cases.slice(0, from)]
  for (let quiet = 0; quiet < QUIET_TURNS_A_ROUND; quiet += 1)
    order.splice(Math.floor((quiet * (cases.length + quiet + 1)) / QUIET_TURNS_A_ROUND), 0, null)
  return order
}

function rowOf(
  { name }: Case,
  aloneMs: number | null,
  { quiet, byCase }: Turns,
  ofSeconds: number,
): NeighbourRow {
  const { latencies, answers, errors } = byCase.get(name)!
  const perSecond = (count: number): number => Math.round((10 * count) / ofSeconds) / 10
  return {
    ...{ name, aloneMs, errors, p95Ms: pooledPercentile(latencies, P95) },
    ratio: pooledRatio(latencies, quiet, P95),
    answers: Object.fromEntries([...answers].map(([status, count]) => [status, perSecond(count)])),
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

/**
 * Measures bulk jobs and their effect on interactive screens: one job of 1,000 addresses, twenty jobs of one account at once, and
 * sixteen accounts with ten jobs each beside an open loop of interactive screens.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { benchmarkBodies } from '../addresses.js'
import { generateLoad } from '../child-processes.js'
import type { HttpTarget } from '../http-client.js'
import type { LoadPhase, LoadResult } from '../load.js'
import { watchProcesses, type ResidentMemory } from '../process-watch.js'
import { enterpriseKey, startSystem, type Profile, type RunningSystem } from '../system.js'
import { openJobs, type Job, type Jobs } from './jobs.js'

export interface BulkOptions {
  /** Folder of the checkout. */
  readonly root: string
  readonly profiles: readonly Profile[]
  /** Length of each phase with interactive screens. */
  readonly seconds: number
  /** Interactive screens a second. */
  readonly perSecond: number
  readonly say: (line: string) => void
}

export interface BulkRow {
  readonly profile: Profile
  /** Milliseconds from the POST to a GET that shows the job ended, one job after the other. */
  readonly singleMs: readonly number[]
  readonly sustained: {
    readonly addressesPerSecond: number
    readonly memory: readonly ResidentMemory[]
  }
  readonly beside: {
    readonly idle: LoadResult
    readonly loaded: LoadResult
    /** Addresses per second of jobs that ended during the phase. */
    readonly addressesPerSecond: number
    /** Jain's index of fairness over the accounts: 1 if all got the same. */
    readonly fairness: number
  }
}

export interface BulkResults {
  readonly date: string
  readonly cores: number
  /** Before the run. Above a few tenths, other programs were using the machine. */
  readonly loadAverage: number
  readonly perSecond: number
  readonly rows: readonly BulkRow[]
}

const ADDRESSES_PER_JOB = 1_000
const SINGLE_JOBS = 5
const SUSTAINED_JOBS = 20
const ACCOUNTS = 16
const JOBS_PER_ACCOUNT = 10
const WARM_UP_JOBS = 3
/** Pause between two polls of a timed job. */
const LOOK_MS = 20
const SLOW_LOOK_MS = 250
/** How long bulk jobs run before the measured screens begin. */
const HEAD_START_MS = 2_000
const CONNECTIONS = 128
const WARM_UP: LoadPhase = { kind: 'closed', level: 16, seconds: 5 }

export async function runBulk(options: BulkOptions): Promise<BulkResults> {
  const loadAverage = Math.round(loadavg()[0]! * 10) / 10
  const rows: BulkRow[] = []
  for (const profile of options.profiles) rows.push(await benchProfile(profile, options))
  const { perSecond } = options
  return { date: new Date().toISOString().slice(0, 10), cores: cpus().length, loadAverage, perSecond, rows }
}

async function benchProfile(profile: Profile, options: BulkOptions): Promise<BulkRow> {
  const { root, say } = options
  const home = await mkdtemp(join(tmpdir(), `cupel-bench-bulk-${profile}-`))
  let system: RunningSystem | null = null
  try {
    say(`${profile}: start`)
    system = await startSystem({ root, home, profile })
    const keys: string[] = []
    for (let n = 0; n < ACCOUNTS; n += 1) keys.push(await enterpriseKey(system, `Bulk ${n}`))
    const jobs = openJobs(system.line.base_url)
    say(`${profile}: warm-up`)
    for (let n = 0; n < WARM_UP_JOBS; n += 1) await single(jobs, keys[0]!)
    say(`${profile}: ${SINGLE_JOBS} jobs one after the other`)
    const singleMs: number[] = []
    for (let n = 0; n < SINGLE_JOBS; n += 1) singleMs.push(await single(jobs, keys[0]!))
    say(`${profile}: ${SUSTAINED_JOBS} jobs of one account`)
    const sustained = await sustain(jobs, keys[0]!, system.pid)
    say(`${profile}: ${ACCOUNTS} accounts with ${JOBS_PER_ACCOUNT} jobs each, beside screens`)
    const beside = await besideScreens(system, jobs, keys, options)
    return { profile, singleMs, sustained, beside }
  } finally {
    await system?.stop()
    await rm(home, { recursive: true, force: true })
  }
}

function drawAddresses(): string[] {
  return Array.from({ length: ADDRESSES_PER_JOB }, () => `0x${randomBytes(20).toString('hex')}`)
}

async function single(jobs: Jobs, key: string): Promise<number> {
  const addresses = drawAddresses()
  const since = performance.now()
  const { job_id: jobId } = await jobs.submit(key, addresses)
  await untilEnded(jobs, key, jobId, LOOK_MS)
  return Math.round(performance.now() - since)
}

async function untilEnded(jobs: Jobs, key: string, jobId: string, lookMs: number): Promise<Job> {
  for (;;) {
    const job = await jobs.get(key, jobId)
    if (job.completed_at !== null) {
      if (job.completed !== job.total) throw new Error(`${jobId} ended with ${job.completed} of ${job.total}`)
      return job
    }
    await sleep(lookMs)
  }
}

async function sustain(jobs: Jobs, key: string, pid: number): Promise<BulkRow['sustained']> {
  const watch = await watchProcesses(pid)
  const submitted = await Promise.all(
    Array.from({ length: SUSTAINED_JOBS }, () => jobs.submit(key, drawAddresses())),
  )
  const ended: Job[] = []
  for (const { job_id: jobId } of submitted) ended.push(await untilEnded(jobs, key, jobId, SLOW_LOOK_MS))
  const { memory } = await watch.stop()
  const beganAt = Math.min(...ended.map(({ created_at: at }) => Date.parse(at)))
  const endedAt = Math.max(...ended.map(({ completed_at: at }) => Date.parse(at!)))
  const seconds = (endedAt - beganAt) / 1_000
  return { addressesPerSecond: Math.round((SUSTAINED_JOBS * ADDRESSES_PER_JOB) / seconds), memory }
}

async function besideScreens(
  system: RunningSystem,
  jobs: Jobs,
  keys: readonly string[],
  { seconds, perSecond }: BulkOptions,
): Promise<BulkRow['beside']> {
  const target: HttpTarget = {
    kind: 'http',
    baseUrls: system.line.base_urls,
    key: keys[0]!,
    bodies: await benchmarkBodies(null),
    connections: CONNECTIONS,
  }
  const phase: LoadPhase = { kind: 'open', level: perSecond, seconds }
  const [idle] = await generateLoad({ target, warmUp: WARM_UP, phases: [phase] })
  const running = await Promise.all(
    keys.flatMap((key) =>
      Array.from({ length: JOBS_PER_ACCOUNT }, async () => ({
        key,
        jobId: (await jobs.submit(key, drawAddresses())).job_id,
      })),
    ),
  )
  await sleep(HEAD_START_MS)
  const before = await completedByAccount(jobs, keys, running)
  const since = performance.now()
  const [loaded] = await generateLoad({ target, warmUp: null, phases: [phase] })
  const tookSeconds = (performance.now() - since) / 1_000
  const after = await completedByAccount(jobs, keys, running)
  await Promise.all(running.map(({ key, jobId }) => jobs.cancel(key, jobId)))
  const shares = after.map((completed, account) => completed - before[account]!)
  return {
    idle: idle!,
    loaded: loaded!,
    addressesPerSecond: Math.round(shares.reduce((sum, share) => sum + share, 0) / tookSeconds),
    fairness: Math.round(jainsIndex(shares) * 10_000) / 10_000,
  }
}

async function completedByAccount(
  jobs: Jobs,
  keys: readonly string[],
  running: readonly { readonly key: string; readonly jobId: string }[],
): Promise<number[]> {
  const counts = await Promise.all(
    running.map(async ({ key, jobId }) => ({ key, completed: (await jobs.get(key, jobId)).completed })),
  )
  return keys.map((key) => counts.reduce((sum, one) => (one.key === key ? sum + one.completed : sum), 0))
}

/** (Σx)² / (n · Σx²), Jain, Chiu and Hawe 1984; 1 if all are zero. */
export function jainsIndex(shares: readonly number[]): number {
  const sum = shares.reduce((total, share) => total + share, 0)
  const squares = shares.reduce((total, share) => total + share * share, 0)
  return squares === 0 ? 1 : (sum * sum) / (shares.length * squares)
}

/**
 * Measures how fast the log of an installation is archived and how fast the archive is verified, beside floors: reading the same
 * records without doing anything with them, and hashing the same files.
 */
import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { topicSpecs } from '@cupel/contracts'
import { openJobs, type Jobs } from '../bulk/jobs.js'
import { openLog, runningLog } from '../log-connection.js'
import {
  enterpriseKey,
  startSystem,
  type CommandResult,
  type Profile,
  type RunningSystem,
} from '../system.js'

export interface ArchiveOptions {
  /** Folder of the checkout. */
  readonly root: string
  readonly profile: Profile
  /** Minimum number of reports in the log when it is archived; each comes with the events around it. */
  readonly reports: number
  readonly say: (line: string) => void
}

export interface ArchiveResults {
  readonly date: string
  readonly cores: number
  readonly loadAverage: number
  readonly profile: Profile
  readonly events: number
  readonly reports: number
  /** Of the archive. */
  readonly bytes: number
  /** Bytes of all values of the log. */
  readonly valueBytes: number
  readonly createSeconds: number
  readonly verifySeconds: number
  /** Processor time of the command alone: the database is another process. */
  readonly createProcessorSeconds: number | null
  readonly verifyProcessorSeconds: number | null
  readonly readSeconds: number
  readonly hashSeconds: number
  /** Each number of threads, by turns. */
  readonly recomputations: readonly Recomputation[]
}

/** One run of `audit recompute --level A`, as the command states it. */
export interface Recomputation {
  readonly source: 'log' | 'archive'
  readonly threads: number
  readonly reportsPerSecond: number
  readonly reportsPerCpuSecond: number
}

const ADDRESSES_PER_JOB = 1_000
/** Concurrent jobs of one key. The key may have this many large answers under way, and an ended job with its results is one. */
const JOBS_AT_ONCE = 6
const LOOK_MS = 250
/** Runs of each kind of recomputation. */
const TURNS = 3
/** Number of jobs between two lines of progress. */
const SAID_EVERY = 20

export async function runArchive(options: ArchiveOptions): Promise<ArchiveResults> {
  const { root, profile, say } = options
  const loadAverage = Math.round(loadavg()[0]! * 10) / 10
  const home = await mkdtemp(join(tmpdir(), 'cupel-bench-archive-'))
  const folder = join(home, 'archive')
  let system: RunningSystem | null = null
  try {
    say('start')
    system = await startSystem({ root, home, profile })
    await fill(system, options)
    const floor = await readAll(system, home)
    say('archive create')
    const created = await system.cupel('archive', 'create', folder)
    say('archive verify')
    const verified = await system.cupel('archive', 'verify', folder, '--min-reports', String(options.reports))
    if (verified.json['is_proven'] !== true)
      throw new Error(`The archive is not proven: ${JSON.stringify(verified.json).slice(0, 500)}`)
    return {
      ...{ date: new Date().toISOString().slice(0, 10), cores: cpus().length, loadAverage, profile },
      events: Number(created.json['records']),
      reports: Number(verified.json['reports']),
      bytes: Number(created.json['bytes']),
      valueBytes: floor.valueBytes,
      createSeconds: created.tookMs / 1_000,
      verifySeconds: verified.tookMs / 1_000,
      createProcessorSeconds: secondsOf(created),
      verifyProcessorSeconds: secondsOf(verified),
      readSeconds: floor.seconds,
      hashSeconds: await hashSeconds(folder),
      recomputations: await recomputations(system, folder, say),
    }
  } finally {
    await system?.stop()
    await rm(home, { recursive: true, force: true })
  }
}

const secondsOf = ({ processorMs }: CommandResult): number | null =>
  processorMs === null ? null : processorMs / 1_000

/** Runs bulk jobs until there are enough reports. */
async function fill(system: RunningSystem, { reports, say }: ArchiveOptions): Promise<void> {
  const key = await enterpriseKey(system, 'Archive')
  const jobs = openJobs(system.line.base_url)
  let left = Math.ceil(reports / ADDRESSES_PER_JOB)
  say(`${left} jobs of ${ADDRESSES_PER_JOB} addresses`)
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await ended(jobs, key)
      if (left > 0 && left % SAID_EVERY === 0) say(`${left} jobs left`)
    }
  }
  await Promise.all(Array.from({ length: JOBS_AT_ONCE }, one))
}

async function ended(jobs: Jobs, key: string): Promise<void> {
  const addresses = Array.from({ length: ADDRESSES_PER_JOB }, () => `0x${randomBytes(20).toString('hex')}`)
  const { job_id: jobId } = await jobs.submit(key, addresses)
  for (;;) {
    const { completed_at: endedAt, completed, total } = await jobs.get(key, jobId)
    if (endedAt === null) await sleep(LOOK_MS)
    else if (completed === total) return
    else throw new Error(`${jobId} ended with ${completed} of ${total}`)
  }
}

async function readAll(
  system: RunningSystem,
  home: string,
): Promise<{ readonly seconds: number; readonly valueBytes: number }> {
  const { log, close } = await openLog(await runningLog(system.profile, home), 'bench-archive')
  const since = performance.now()
  let valueBytes = 0
  try {
    for (const { name: topic } of topicSpecs)
      for (let partition = 0; partition < (await log.partitionCount(topic)); partition += 1) {
        const [from, to] = await Promise.all([
          log.startOffset(topic, partition),
          log.endOffset(topic, partition),
        ])
        if (from < to)
          for await (const records of log.read({ topic, partition, from, to }))
            for (const { value } of records) valueBytes += value.length
      }
    return { seconds: (performance.now() - since) / 1_000, valueBytes }
  } finally {
    await close()
  }
}

/** By turns, so that other work on the machine affects all equally. */
async function recomputations(
  system: RunningSystem,
  folder: string,
  say: ArchiveOptions['say'],
): Promise<readonly Recomputation[]> {
  const runs: Recomputation[] = []
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const source of ['log', 'archive'] as const)
      for (const threads of [1, cpus().length]) {
        say(`audit recompute, ${source}, ${threads} threads`)
        const place = source === 'log' ? [] : ['--archive', folder]
        const asked = ['audit', 'recompute', '--level', 'A', '--threads', String(threads), ...place]
        const { json } = await system.cupel(...asked)
        if (json['is_proven'] !== true)
          throw new Error(`Nothing is proven: ${JSON.stringify(json).slice(0, 500)}`)
        const measured = json['measured'] as Readonly<Record<string, number>>
        runs.push({
          ...{ source, threads },
          reportsPerSecond: measured['reports_per_second']!,
          reportsPerCpuSecond: measured['reports_per_cpu_second']!,
        })
      }
  return runs
}

async function hashSeconds(folder: string): Promise<number> {
  const since = performance.now()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      await pipeline(createReadStream(join(entry.parentPath, entry.name)), createHash('sha256'))
  return (performance.now() - since) / 1_000
}

/**
 * `archive`: how fast the log of an installation is archived, verified and recomputed and a view is built anew, with two floors: reading the same records
 * without doing anything with them, and hashing the same files.
 */
import { scan } from '@cupel/event-log'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { topicSpecs } from '@cupel/contracts'
import type { BenchOptions, Outcome } from './options.js'
import { openJobs } from './jobs.js'
import { openLog, runningLog } from './log-connection.js'
import { newKey, withSystem, type Command, type RunningSystem } from './system.js'
import { conditionsOf, table, thousands } from './table.js'

const ADDRESSES_PER_JOB = 1_000
const JOBS_AT_ONCE = 6
const LOOK_MS = 250
const MIB = 1_048_576
const THREADS = [1, cpus().length]

export async function runArchive(options: BenchOptions): Promise<Outcome> {
  const conditions = conditionsOf(options)
  const [profile] = options.profiles
  return await withSystem(options, profile!, async (system) => {
    await fill(system, options)
    options.say('archive create, archive verify')
    const folder = join(system.home, 'archive')
    const floor = await readAll(system)
    const created = await system.cupel('archive', 'create', folder)
    const verified = await system.cupel('archive', 'verify', folder, '--min-reports', String(options.size))
    const hashed = await hashSeconds(folder)
    options.say('audit verify')
    const ofLog: Command[] = []
    for (const threads of THREADS)
      ofLog.push(await system.cupel('audit', 'verify', '--threads', `${threads}`))
    options.say('audit replay')
    const replayed = await system.cupel('audit', 'replay', '--target', 'report-view')
    options.say('audit recompute')
    const recomputed: Command[] = []
    for (const threads of THREADS)
      recomputed.push(
        await system.cupel(
          'audit',
          'recompute',
          '--level',
          'A',
          '--threads',
          `${threads}`,
          '--archive',
          folder,
        ),
      )
    const isRight = [verified, ...ofLog, ...recomputed].every(({ json }) => json['is_proven'] === true)
    const events = Number(created.json['records'])
    const reports = Number(verified.json['reports'])
    const row = (name: string, seconds: number, processor: number | null, of: number) => [
      ...[name, `${seconds.toFixed(1)} s`, thousands(of / seconds)],
      processor === null ? '—' : `${processor.toFixed(1)} s`,
    ]
    const command = (name: string, { seconds, processorSeconds }: Command, of: number) =>
      row(name, seconds, processorSeconds, of)
    const rows = [
      row('read the log (floor of create)', floor.seconds, null, events),
      command('`archive create`', created, events),
      row('hash the files (floor of verify)', hashed, null, events),
      command('`archive verify`', verified, events),
      ...ofLog.map((verify, at) =>
        command(`\`audit verify\`, ${threadsText(THREADS[at]!)}`, verify, Number(verify.json['records'])),
      ),
      command('`audit replay --target report-view`, reports', replayed, reports),
      ...recomputed.map((run, at) =>
        command(`\`audit recompute --level A\`, ${threadsText(THREADS[at]!)}, reports`, run, reports),
      ),
    ]
    const text = `${conditions} ${profile} profile; ${thousands(events)} events, ${thousands(reports)} of them reports; ${thousands(floor.bytes / MIB)} MiB of values became an archive of ${thousands(Number(created.json['bytes']) / MIB)} MiB. Commands include their start.`
    const figures = {
      conditions,
      events,
      reports,
      floor,
      hashed,
      created,
      verified,
      ofLog,
      replayed,
      recomputed,
    }
    return { table: `${text}\n\n${table(['what', 'took', 'a second', 'processor'], rows)}`, figures, isRight }
  })
}

const threadsText = (threads: number): string => `${threads} ${threads === 1 ? 'thread' : 'threads'}`

/** Runs bulk jobs until there are enough reports. */
async function fill(system: RunningSystem, { size, say }: BenchOptions): Promise<void> {
  const jobs = openJobs(system.line.base_url, await newKey(system, 'Archive'))
  let left = Math.ceil(size / ADDRESSES_PER_JOB)
  say(`${left} jobs of ${ADDRESSES_PER_JOB} addresses`)
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await jobs.ended(await jobs.submit(ADDRESSES_PER_JOB), LOOK_MS)
    }
  }
  await Promise.all(Array.from({ length: JOBS_AT_ONCE }, one))
}

async function readAll({
  home,
}: RunningSystem): Promise<{ readonly seconds: number; readonly bytes: number }> {
  const log = openLog(await runningLog(home), 'bench-archive')
  const since = performance.now()
  let bytes = 0
  try {
    for await (const { value } of scan(log, topicSpecs)) bytes += value.length
    return { seconds: (performance.now() - since) / 1_000, bytes }
  } finally {
    await log.close()
  }
}

async function hashSeconds(folder: string): Promise<number> {
  const since = performance.now()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      await pipeline(createReadStream(join(entry.parentPath, entry.name)), createHash('sha256'))
  return (performance.now() - since) / 1_000
}

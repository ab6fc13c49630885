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
    const folder = join(system.home, 'archive')
    const floor = await readAll(system)
    const commands: (readonly [name: string, command: Command, of: number])[] = []
    const timed = async (name: string, of: number, ...args: readonly string[]): Promise<Command['json']> => {
      options.say(name)
      const command = await system.cupel(...args)
      commands.push([name, command, of || Number(command.json['records'])])
      return command.json
    }
    const created = await timed('archive create', 0, 'archive', 'create', folder)
    const events = Number(created['records'])
    const least = ['--min-reports', String(options.size)]
    const verified = await timed('archive verify', events, 'archive', 'verify', folder, ...least)
    const hashed = await hashSeconds(folder)
    const reports = Number(verified['reports'])
    const proofs = [verified]
    for (const count of THREADS)
      proofs.push(
        await timed(`audit verify, threads ${count}`, 0, 'audit', 'verify', '--threads', `${count}`),
      )
    await timed('audit replay, reports', reports, 'audit', 'replay', '--target', 'report-view')
    for (const count of THREADS) {
      const how = ['--level', 'A', '--threads', `${count}`, '--archive', folder]
      const name = `audit recompute at level A, threads ${count}, reports`
      proofs.push(await timed(name, reports, 'audit', 'recompute', ...how))
    }
    const row = (name: string, seconds: number, processor: number | null, of: number) => [
      ...[name, `${seconds.toFixed(1)} s`, thousands(of / seconds)],
      processor === null ? '—' : `${processor.toFixed(1)} s`,
    ]
    const rows = [
      row('read the log (floor of create)', floor.seconds, null, events),
      row('hash the files (floor of verify)', hashed, null, events),
      ...commands.map(([name, { seconds, processorSeconds }, of]) =>
        row(name, seconds, processorSeconds, of),
      ),
    ]
    const text = `${conditions} ${profile} profile; ${thousands(events)} events, ${thousands(reports)} of them reports; ${thousands(floor.bytes / MIB)} MiB of values became an archive of ${thousands(Number(created['bytes']) / MIB)} MiB. Commands include their start.`
    return {
      table: `${text}\n\n${table(['what', 'took', 'a second', 'processor'], rows)}`,
      figures: { conditions, events, reports, floor, hashed, commands },
      isRight: proofs.every((json) => json['is_proven'] === true),
    }
  })
}

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

/** Resources of the started command and its children so far, from /proc (proc(5)). Empty on a system without /proc. */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { descendants } from '@cupel/system-tests'

export interface Use {
  cpuMs: number
  /** Number of times that threads went to sleep and were woken again. */
  wakeUps: number
  /** Peak resident memory of the largest process of this name; 0 for programs whose memory their configuration sets. */
  peakMib: number
}

/** By service, broker or database: all processes of a name together. */
export type Uses = ReadonlyMap<string, Use>

/** USER_HZ is 100 on every Linux that Node runs on. */
const MS_PER_TICK = 10

export async function usesOf(rootPid: number): Promise<Uses> {
  const uses = new Map<string, Use>()
  if (!existsSync('/proc')) return uses
  for (const { pid, command } of [
    ...descendants(rootPid),
    { pid: rootPid, command: 'node cupel.mjs start' },
  ]) {
    const status = await textOf(`/proc/${pid}/status`)
    const name = nameOf(command)
    const use = uses.get(name) ?? { cpuMs: 0, wakeUps: 0, peakMib: 0 }
    const peakKib = /(^|\/)node\s/.test(command) ? Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) : 0
    uses.set(name, {
      cpuMs: use.cpuMs + (await cpuMsOf(pid)),
      wakeUps: use.wakeUps + (await wakeUpsOf(pid)),
      peakMib: Math.max(use.peakMib, Math.round(peakKib / 1_024)),
    })
  }
  return uses
}

const textOf = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '')

/** Time that the processors spent on the command and its children, to the microsecond: a call of the API takes less than a tick. */
export async function processorMs(rootPid: number): Promise<number> {
  const pids = [rootPid, ...descendants(rootPid).map(({ pid }) => pid)]
  const ofThreads = pids.map(async (pid) => {
    const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
    return await Promise.all(threads.map((thread) => textOf(`/proc/${pid}/task/${thread}/schedstat`)))
  })
  const stats = (await Promise.all(ofThreads)).flat()
  return stats.reduce((sum, stat) => sum + Number(stat.split(' ')[0]), 0) / 1_000_000
}

/** What is in memory of the command and its children: a page that several share counts once. */
export async function memoryMibOf(rootPid: number): Promise<number> {
  const pids = [rootPid, ...descendants(rootPid).map(({ pid }) => pid)]
  const all = await Promise.all(pids.map((pid) => textOf(`/proc/${pid}/smaps_rollup`)))
  return all.reduce((sum, one) => sum + Number(/^Pss:\s+(\d+)/m.exec(one)?.[1] ?? 0), 0) / 1_024
}

/** User and system time, with that of children that ended, because backends of Postgres come and go. */
async function cpuMsOf(pid: number): Promise<number> {
  const stat = await textOf(`/proc/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) * MS_PER_TICK
}

async function wakeUpsOf(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const counts = threads.map(async (thread) =>
    Number(
      /^voluntary_ctxt_switches:\s+(\d+)/m.exec(await textOf(`/proc/${pid}/task/${thread}/status`))?.[1] ?? 0,
    ),
  )
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

/**
 * `dist/scorer.js`, or `services/scorer/dist/main.js` of the stored build → scorer; the started command itself is the supervisor or the whole
 * embedded system.
 */
function nameOf(command: string): string {
  const service = /\/(?:services|dist)\/([a-z-]+)(?:\/dist\/main)?\.js\b/.exec(command)?.[1]
  if (service !== undefined) return service
  if (/^postgres|\/postgres(\s|$)/.test(command)) return 'postgres'
  if (/kafka\.Kafka/.test(command)) return 'kafka broker'
  if (/apicurio/.test(command)) return 'schema registry'
  return /start\.mjs|cupel\.mjs/.test(command) ? 'cupel start' : command.slice(0, 60).trim()
}

/** CPU milliseconds of each name between two readings, largest first. */
export function cpuBetween(before: Uses, after: Uses): readonly (readonly [name: string, ms: number])[] {
  return [...after]
    .map(([name, { cpuMs }]) => [name, Math.max(0, cpuMs - (before.get(name)?.cpuMs ?? 0))] as const)
    .filter(([, ms]) => ms > 0)
    .sort(([, one], [, other]) => other - one)
}

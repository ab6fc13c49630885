/** Resources of the started command and its children so far, from /proc (proc(5)). Empty on a system without /proc. */
import { readdir, readFile } from 'node:fs/promises'

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
  for (const { pid, cpuMs } of await family(rootPid)) {
    const command = (await textOf(`/proc/${pid}/cmdline`)).replaceAll('\0', ' ')
    const status = await textOf(`/proc/${pid}/status`)
    const name = nameOf(command)
    const use = uses.get(name) ?? { cpuMs: 0, wakeUps: 0, peakMib: 0 }
    const peakKib = /(^|\/)node\s/.test(command) ? Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) : 0
    uses.set(name, {
      cpuMs: use.cpuMs + cpuMs,
      wakeUps: use.wakeUps + (await wakeUpsOf(pid)),
      peakMib: Math.max(use.peakMib, Math.round(peakKib / 1_024)),
    })
  }
  return uses
}

const textOf = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '')

/** The process and all its current descendants. Their CPU includes children that ended, because backends of Postgres come and go. */
async function family(rootPid: number): Promise<{ pid: number; cpuMs: number }[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const all = await Promise.all(
    pids.map(async (pid) => {
      const stat = await textOf(`/proc/${pid}/stat`)
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
      return { pid: Number(pid), parent: Number(fields[1]), cpuMs: ticks * MS_PER_TICK }
    }),
  )
  const members = new Set([rootPid])
  // A child may come before its parent: repeat until no process is added.
  for (let size = 0; size !== members.size;) {
    size = members.size
    for (const { pid, parent } of all) if (members.has(parent)) members.add(pid)
  }
  return all.filter(({ pid }) => members.has(pid))
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

/** `services/scorer/dist/main.js` → scorer; the started command itself is the supervisor or the whole embedded system. */
function nameOf(command: string): string {
  const service = /services\/([a-z-]+)\/(?:dist|src)\/main/.exec(command)?.[1]
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

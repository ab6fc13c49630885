/**
 * Resident memory and CPU time of the started command and its children. CPU time comes from /proc, if there is one. On a shared
 * machine, CPU per screen is steadier than a rate. `ps` lists the processes before and after; in between only /proc is read, because
 * a `ps` every half second takes 2 % of two cores.
 */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface ResidentMemory {
  /** Name of the service. Each instance has an entry. */
  readonly process: string
  readonly peakMib: number
}

export interface CpuTime {
  /** Service, broker or database: all its processes together. */
  readonly process: string
  readonly seconds: number
}

export interface ProcessFigures {
  /** Node processes only: the broker's and the database's memory are set by their configuration. */
  readonly memory: readonly ResidentMemory[]
  /** Empty where there is no /proc. */
  readonly cpu: readonly CpuTime[]
}

export interface ProcessWatch {
  stop(): Promise<ProcessFigures>
}

const EVERY_MS = 500
/** Unit of the times in /proc/PID/stat: USER_HZ, 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100

/** Samples every half second until stopped. Keeps the largest memory of each process, and the CPU time between start and stop. */
export async function watchProcesses(rootPid: number): Promise<ProcessWatch> {
  const peaks = new Map<number, { name: string; kib: number }>()
  const members = (await family(rootPid)).filter(({ isNode }) => isNode)
  const look = async (): Promise<void> => {
    const now = (await residentKib(members)) ?? (await family(rootPid)).filter(({ isNode }) => isNode)
    for (const { pid, name, kib } of now) if (kib > (peaks.get(pid)?.kib ?? 0)) peaks.set(pid, { name, kib })
  }
  const before = await cpuByProcess(rootPid)
  let looking = look()
  const timer = setInterval(() => (looking = looking.then(look)), EVERY_MS)
  return {
    async stop() {
      clearInterval(timer)
      await looking
      return {
        memory: [...peaks.values()].map(({ name, kib }) => ({
          process: name,
          peakMib: Math.round(kib / 1_024),
        })),
        cpu: passed(before, await cpuByProcess(rootPid)),
      }
    },
  }
}

/** The same processes with their current memory; null if there is no /proc. Source: proc(5), VmRSS. */
async function residentKib(members: readonly Member[]): Promise<Member[] | null> {
  const found: Member[] = []
  for (const member of members) {
    const status = await readFile(`/proc/${member.pid}/status`, 'utf8').catch(() => null)
    const resident = /^VmRSS:\s+(\d+) kB/m.exec(status ?? '')?.[1]
    if (resident !== undefined) found.push({ ...member, kib: Number(resident) })
  }
  return found.length === 0 ? null : found
}

export interface Member {
  readonly pid: number
  readonly name: string
  readonly kib: number
  readonly isNode: boolean
}

/** The process and all its current descendants, as `ps` lists them. */
export async function family(rootPid: number): Promise<Member[]> {
  const { stdout } = await run('ps', ['-eo', 'pid=,ppid=,rss=,args='], { maxBuffer: 8_000_000 })
  const rows = stdout.split('\n').flatMap(readRow)
  const pids = new Set([rootPid])
  // `ps` may list a child before its parent: repeat until no process is added.
  for (let size = 0; size !== pids.size;) {
    size = pids.size
    for (const row of rows) if (pids.has(row.parent)) pids.add(row.pid)
  }
  return rows
    .filter(({ pid }) => pids.has(pid))
    .map(({ pid, kib, command }) => ({ pid, kib, name: processName(command), isNode: isNode(command) }))
}

function readRow(line: string): { pid: number; parent: number; kib: number; command: string }[] {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line)
  if (match === null) return []
  return [{ pid: Number(match[1]), parent: Number(match[2]), kib: Number(match[3]), command: match[4]! }]
}

const isNode = (command: string): boolean => /(^|\/)node(\s|$)/.test(`${command.split(' ', 1)[0]!} `)

/** `services/scorer/dist/main.js` → scorer; the started command itself is the supervisor or the whole embedded system. */
function processName(command: string): string {
  const service = /services\/([a-z-]+)\/(?:dist|src)\/main/.exec(command)?.[1]
  if (service !== undefined) return service
  if (/^postgres|\/postgres(\s|$)/.test(command)) return 'postgres'
  if (/kafka\.Kafka/.test(command)) return 'kafka broker'
  if (/apicurio/.test(command)) return 'schema registry'
  if (/bare-echo-process/.test(command)) return 'bare echo'
  if (/load-process/.test(command)) return 'load generator'
  return /start\.mjs|cupel\.mjs/.test(command) ? 'cupel start' : command.slice(0, 60)
}

async function cpuByProcess(rootPid: number): Promise<ReadonlyMap<string, number>> {
  const seconds = new Map<string, number>()
  for (const { pid, name } of await family(rootPid)) {
    const own = await cpuSeconds(pid)
    if (own !== null) seconds.set(name, (seconds.get(name) ?? 0) + own)
  }
  return seconds
}

/**
 * User and system time in seconds, including children that ended, because backends of Postgres come and go. Null if the process has
 * ended or there is no /proc. Source: proc(5), fields 14 to 17.
 */
export async function cpuSeconds(pid: number): Promise<number | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields.slice(11, 15).reduce((ticks, field) => ticks + Number(field), 0) / TICKS_PER_SECOND
  } catch {
    // The process has ended, or there is no /proc: the figure is left out.
    return null
  }
}

function passed(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): CpuTime[] {
  return [...after]
    .map(([process, seconds]) => ({ process, seconds: Math.max(0, seconds - (before.get(process) ?? 0)) }))
    .filter(({ seconds }) => seconds > 0)
    .sort((a, b) => b.seconds - a.seconds)
}

/** Resident memory of every Node process below the started command, as `ps` sees it. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface ResidentMemory {
  /** Service and, where there are several of it, their number. */
  readonly process: string
  readonly peakMib: number
}

export interface MemoryWatch {
  stop(): Promise<readonly ResidentMemory[]>
}

const EVERY_MS = 500

/** Looks every half second until stopped and keeps each process's largest figure. */
export function watchMemory(rootPid: number): MemoryWatch {
  const peaks = new Map<number, { name: string; kib: number }>()
  const look = async (): Promise<void> => {
    for (const { pid, name, kib } of await nodeProcesses(rootPid)) {
      if (kib > (peaks.get(pid)?.kib ?? 0)) peaks.set(pid, { name, kib })
    }
  }
  let looking = look()
  const timer = setInterval(() => (looking = looking.then(look)), EVERY_MS)
  return {
    async stop() {
      clearInterval(timer)
      await looking
      return [...peaks.values()].map(({ name, kib }) => ({ process: name, peakMib: Math.round(kib / 1_024) }))
    },
  }
}

interface ProcessRow {
  readonly pid: number
  readonly parent: number
  readonly kib: number
  readonly command: string
}

async function nodeProcesses(rootPid: number): Promise<{ pid: number; name: string; kib: number }[]> {
  const { stdout } = await run('ps', ['-eo', 'pid=,ppid=,rss=,args='], { maxBuffer: 8_000_000 })
  const rows = stdout.split('\n').flatMap(readRow)
  const family = new Set([rootPid])
  // Children are listed after their parents only as a rule: go round until nobody is added.
  for (let size = 0; size !== family.size;) {
    size = family.size
    for (const row of rows) if (family.has(row.parent)) family.add(row.pid)
  }
  return rows
    .filter(({ pid, command }) => family.has(pid) && /(^|\/)node(\s|$)/.test(command.split(' ', 1)[0]! + ' '))
    .map(({ pid, kib, command }) => ({ pid, kib, name: processName(command) }))
}

function readRow(line: string): ProcessRow[] {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line)
  if (match === null) return []
  return [{ pid: Number(match[1]), parent: Number(match[2]), kib: Number(match[3]), command: match[4]! }]
}

/** `services/scorer/dist/main.js` → scorer; the started command itself is the supervisor or the whole embedded system. */
function processName(command: string): string {
  return (
    /services\/([a-z-]+)\/(?:dist|src)\/main/.exec(command)?.[1] ??
    (/start\.mjs|cupel\.mjs/.test(command) ? 'cupel start' : command.slice(0, 60))
  )
}

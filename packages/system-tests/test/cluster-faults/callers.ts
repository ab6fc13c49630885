/** Finds the process that holds a port of the loopback address, so that a relay knows its caller. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

// Source: proc(5), /proc/net/tcp: local address and port in hex are the 2nd field, the inode the 10th.
const LOCAL = 1
const INODE = 9

/** The name among `pids` of the process whose connection uses this local port; null for any other process. */
export function callerAt(port: number, pids: ReadonlyMap<string, number>): string | null {
  const inode = inodeOf(port)
  if (inode === null) return null
  for (const [name, pid] of pids) if (holds(pid, `socket:[${inode}]`)) return name
  return null
}

function inodeOf(port: number): string | null {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  for (const table of ['tcp6', 'tcp']) {
    for (const line of readFileSync(`/proc/net/${table}`, 'utf8').split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/)
      if (fields[LOCAL]?.endsWith(suffix) === true && fields[INODE] !== '0') return fields[INODE] ?? null
    }
  }
  return null
}

function holds(pid: number, socket: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => isLink(`/proc/${pid}/fd/${fd}`, socket))
  } catch {
    // The process has ended.
    return false
  }
}

function isLink(path: string, target: string): boolean {
  try {
    return readlinkSync(path) === target
  } catch {
    return false
  }
}

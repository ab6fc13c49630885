/** Finds the process that made a connection on this machine. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Of these processes the one that has the local port of a TCP connection on this machine; undefined if it has ended. */
export function ownerOfPort(pids: readonly number[], port: number): number | undefined {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const sockets = ['tcp', 'tcp6']
    .flatMap((table) => readFileSync(`/proc/net/${table}`, 'utf8').split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(local))
    .map((fields) => `socket:[${fields[9]}]`)
  return pids.find((pid) => openFiles(pid).some((file) => sockets.includes(file)))
}

function openFiles(pid: number): string[] {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).flatMap((name) => {
      try {
        return [readlinkSync(`${folder}/${name}`)]
      } catch {
        // It was closed between the listing and the reading.
        return []
      }
    })
  } catch {
    return []
  }
}

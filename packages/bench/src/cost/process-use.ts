/** The resource use of processes so far, from /proc: CPU time, wake-ups and bytes. Empty if there is no /proc. */
import { readdir, readFile } from 'node:fs/promises'
import { cpuSeconds, family } from '../process-watch.js'

/** Values by line of the table; totals since the processes began. */
export type Uses = ReadonlyMap<string, number>

/** All processes below `rootPid`, those of one name together. CPU in milliseconds. */
export async function readUses(rootPid: number): Promise<Uses> {
  const uses = new Map<string, number>()
  const add = (line: string, value: number): void => void uses.set(line, (uses.get(line) ?? 0) + value)
  for (const { pid, name } of await family(rootPid)) {
    const seconds = await cpuSeconds(pid)
    if (seconds === null) continue
    add(`CPU ms: ${name}`, seconds * 1_000)
    add(`wake-ups: ${name}`, await wakeUps(pid))
    const { read, written } = await bytes(pid)
    add(`kB in: ${name}`, read / 1_000)
    add(`kB out: ${name}`, written / 1_000)
  }
  return uses
}

/** Number of times that its threads went to sleep and were woken again. Source: proc(5), voluntary_ctxt_switches. */
async function wakeUps(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  let count = 0
  for (const thread of threads) {
    const status = await readFile(`/proc/${pid}/task/${thread}/status`, 'utf8').catch(() => '')
    count += Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0)
  }
  return count
}

/**
 * Bytes of read and write calls, for files and sockets alike. Postgres uses other calls for its sockets, so that its figures contain
 * only its files. Source: proc(5), rchar and wchar.
 */
async function bytes(pid: number): Promise<{ read: number; written: number }> {
  const io = await readFile(`/proc/${pid}/io`, 'utf8').catch(() => '')
  const of = (name: string): number => Number(new RegExp(`^${name}: (\\d+)`, 'm').exec(io)?.[1] ?? 0)
  return { read: of('rchar'), written: of('wchar') }
}

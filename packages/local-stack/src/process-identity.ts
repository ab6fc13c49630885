/** Identifies a process. Pids are reused, so a record of a process also holds its start time: only both together identify it. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Boot and start time of the process as one comparable text; null if no such process runs (a zombie does not run). */
export function processIdentity(pid: number): string | null {
  return process.platform === 'linux' ? identityFromProc(pid) : identityFromPs(pid)
}

export function isSameProcess(record: { readonly pid: number; readonly identity: string }): boolean {
  return processIdentity(record.pid) === record.identity
}

// Fields after the command name, which may itself hold blanks and brackets: state is the 1st, start time the 20th.
// Source: proc(5), /proc/pid/stat, fields 3 and 22.
const STATE_FIELD = 0
const START_TIME_FIELD = 19

function identityFromProc(pid: number): string | null {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    // No such folder: the process ended.
    return null
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const state = fields[STATE_FIELD]
  if (state === 'Z' || state === 'X') return null
  return `${bootId()}/${fields[START_TIME_FIELD]}`
}

let knownBootId: string | null = null

function bootId(): string {
  knownBootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  return knownBootId
}

function identityFromPs(pid: number): string | null {
  let answer: string
  try {
    answer = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    // ps ends with 1 if it finds no such process.
    return null
  }
  const [state, ...startedAt] = answer.split(/\s+/)
  return state === undefined || state.startsWith('Z') ? null : startedAt.join(' ')
}

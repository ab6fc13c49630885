// Reads processor time on Linux, for the account of a test run (CONTRIBUTING.md). Elsewhere children count as nothing.
import { readFileSync, readdirSync } from 'node:fs'

/** Linux tells times in hundredths of a second, whatever the machine. */
const TICK_MS = 10

/** Milliseconds of this process, of all its threads, since it began. */
export function ownMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** Milliseconds of the processes that this one started and has waited for, and of those that they waited for. */
export const endedChildrenMs = () => timesOf('self').ended

/** Milliseconds of all processes that this one started, and of theirs. Those that outlive their parent are lost. */
export const childrenMs = () => endedChildrenMs() + sum(childrenOf('self').map(familyMs))

/** Programs that this process started and that still run: command line, and milliseconds of each with its children. */
export const runningChildren = () =>
  childrenOf('self').map((pid) => ({
    command: read(`/proc/${pid}/cmdline`).replaceAll('\0', ' '),
    ms: familyMs(pid),
  }))

function familyMs(pid) {
  const { own, ended } = timesOf(pid)
  return own + ended + sum(childrenOf(pid).map(familyMs))
}

function timesOf(pid) {
  const stat = read(`/proc/${pid}/stat`)
  return stat === '' ? { own: 0, ended: 0 } : timesIn(stat)
}

/** proc(5): the name is in brackets and may contain any character; the 14th to 17th fields are times of the process and of its children. */
export function timesIn(stat) {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map(Number)
  return { own: (user + system) * TICK_MS, ended: (endedUser + endedSystem) * TICK_MS }
}

const childrenOf = (pid) =>
  list(`/proc/${pid}/task`)
    .flatMap((thread) => read(`/proc/${pid}/task/${thread}/children`).split(' '))
    .filter((child) => child !== '')

const ROUNDS = 3
const STEPS = 40_000_000

/** Milliseconds of processor time for a fixed loop: the shortest of three. A busy machine takes a little longer, a slow one much. */
export function calibrationMs(steps = STEPS) {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const before = ownMs()
    const result = loop(steps)
    return { result, ms: ownMs() - before }
  })
  return Math.min(...rounds.map(({ ms }) => ms))
}

/** Each step needs the one before it, so no compiler leaves it out. */
function loop(steps) {
  let state = 1
  for (let step = 0; step < steps; step += 1)
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) ^ (state >>> 13)
  return state
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0)
const list = (folder) => orNothing(() => readdirSync(folder), [])
const read = (file) => orNothing(() => readFileSync(file, 'utf8'), '')

/** A process may end between two reads. */
function orNothing(look, nothing) {
  try {
    return look()
  } catch {
    return nothing
  }
}

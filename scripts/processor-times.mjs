// Reads the processor time of a process and of those that it started, by part. It needs Linux; elsewhere the result is empty.
import { readFileSync, readdirSync } from 'node:fs'

/** Part and milliseconds of each process and thread. */
export function processorTimes(pid) {
  const times = new Map()
  for (const one of familyOf(String(pid)))
    for (const thread of list(`/proc/${one}/task`)) {
      const folder = `/proc/${one}/task/${thread}`
      const [stat, schedstat] = [read(`${folder}/stat`), read(`${folder}/schedstat`)]
      if (stat !== '' && schedstat !== '')
        times.set(`${one}/${thread}`, {
          part: partOf(stat, one === thread),
          ms: Number(schedstat.split(' ')[0]) / 1e6,
        })
    }
  return times
}

/** Milliseconds by part. A thread that ended meanwhile is not counted. */
export function spentBetween(before, after) {
  const spent = {}
  for (const [thread, { part, ms }] of after)
    spent[part] = (spent[part] ?? 0) + ms - (before.get(thread)?.ms ?? 0)
  return spent
}

/** `stat` is described in proc(5): the name is in brackets and may contain any character, niceness is the 19th field. */
function partOf(stat, isFirst) {
  const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
  const niceness = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
  if (name.startsWith('postgres')) return 'database'
  if (niceness > 0) return 'renderer'
  return isFirst ? 'event loop' : 'other threads'
}

const familyOf = (pid) => [
  pid,
  ...list(`/proc/${pid}/task`)
    .flatMap((thread) => read(`/proc/${pid}/task/${thread}/children`).split(' '))
    .filter((child) => /^\d+$/.test(child))
    .flatMap(familyOf),
]

const list = (folder) => orNothing(() => readdirSync(folder), [])
const read = (file) => orNothing(() => readFileSync(file, 'utf8'), '')

/** A thread may end between two reads. */
function orNothing(look, nothing) {
  try {
    return look()
  } catch {
    return nothing
  }
}

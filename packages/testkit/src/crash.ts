/**
 * A death inside the process of a test: work is cut off at a named point, and whatever it does afterwards reaches no log and no database.
 * It costs no process, so a test can afford every point. It does not replace SIGKILL: memory, files and locks of the process remain.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { failpointNames, onVisit } from '@cupel/kit/failpoints'

export class CrashError extends Error {
  override readonly name = 'CrashError'
}

/** What work can know of its own life. */
export interface Mortal {
  isOver(): boolean
  /** Resolves when the life is over. */
  readonly ended: Promise<void>
}

interface Life {
  /** A side of a failpoint, or `any`. */
  readonly crashesAt: string
  /** Visits of the point before the one at which this life ends. */
  left: number
  isOver: boolean
  end(): void
}

/** The life to which running code belongs, through all calls and promises. */
const lives = new AsyncLocalStorage<Life>()

const ANY = 'any'
const POINT = /^(any|(?:before|after):(.+)):([1-9]\d*)$/
const names: readonly string[] = failpointNames

/**
 * Runs the work until it reaches the point. Resolves when the work has ended with that crash; rejects if it ended in another way. Code that
 * catches the crash cannot repair anything: each later append and commit of the same life crashes as well, because each of them visits a
 * point. The work opens what it uses and closes it in the end, as nothing else does.
 * @param point the n-th visit of a failpoint, from 1, such as `before:policy.activate:1`; `any:7` is the seventh visit of all failpoints
 */
export async function crashAt(point: string, work: (life: Mortal) => Promise<unknown>): Promise<void> {
  const [, crashesAt, name, visit] = POINT.exec(point) ?? []
  if (crashesAt === undefined || !(crashesAt === ANY || names.includes(name!)))
    throw new Error(`There is no point ${point}.`)
  let end: () => void
  const ended = new Promise<void>((resolve) => (end = resolve))
  const life: Life = { crashesAt, left: Number(visit) - 1, isOver: false, end: () => end() }
  onVisit(crashIfDue)
  try {
    await lives.run(life, () => work({ isOver: () => life.isOver, ended }))
  } catch (error) {
    if (!life.isOver) throw error
  }
  if (!life.isOver) throw new Error(`The work ended before ${point}.`)
}

function crashIfDue(point: string): void {
  const life = lives.getStore()
  if (life === undefined) return
  if (!life.isOver) {
    if (life.crashesAt !== ANY && point !== life.crashesAt) return
    if (life.left > 0) {
      life.left -= 1
      return
    }
    life.isOver = true
    life.end()
  }
  throw new CrashError(`crashed at ${life.crashesAt}`)
}

/** Waits for work, but no longer than a limit. The work itself continues: its later result or error is ignored. */
import { createDeadlineQueue } from './deadline-queue.js'

/** A wait resolves to this if the work did not settle in time. */
export const LATE = Symbol('late')

/** Settles as the work does, or resolves to LATE after the limit. */
export type TimeLimit = <T>(work: Promise<T>) => Promise<T | typeof LATE>

/** For work that occurs many times a second: all of it shares one limit and one timer. */
export function createTimeLimit(limitMs: number): TimeLimit {
  const deadlines = createDeadlineQueue<() => void>((expired) => {
    for (const giveUp of expired) giveUp()
  })
  return <T>(work: Promise<T>) =>
    new Promise<T | typeof LATE>((resolve, reject) => {
      const giveUp = (): void => resolve(LATE)
      deadlines.add(giveUp, limitMs)
      settleWith(work, resolve, reject, () => deadlines.delete(giveUp))
    })
}

/** For a single piece of work. A limit of 0 or less gives it one turn of the event loop. */
export function withinMs<T>(limitMs: number, work: Promise<T>): Promise<T | typeof LATE> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(LATE), Math.max(0, limitMs))
    settleWith(work, resolve, reject, () => clearTimeout(timer))
  })
}

function settleWith<T>(
  work: Promise<T>,
  resolve: (result: T) => void,
  reject: (error: unknown) => void,
  whenSettled: () => void,
): void {
  work.then(
    (result) => {
      whenSettled()
      resolve(result)
    },
    (error: unknown) => {
      whenSettled()
      reject(error)
    },
  )
}

/**
 * Reading your writes: wait until a consumer's checkpoint has passed an offset. All waiters of a process share one query
 * per turn, so a burst of readers costs the database no more than one.
 */
import type { Database } from '@cupel/postgres'
import { placeOf, type GroupPartition } from './checkpoint.js'

/** Between two looks while somebody waits: a projection usually catches up within one or two of them. */
const LOOK_INTERVAL_MS = 10
/** Between two looks once nobody came for a while: the projection is behind, looking often does not help it. */
const SLOW_LOOK_INTERVAL_MS = 50
const SLOW_AFTER_MS = 500

export interface WaitUntilProjectedOptions extends GroupPartition {
  readonly database: Database
  /** The projection has passed it when everything below this offset is applied: pass the end of the partition. */
  readonly offset: number
  readonly timeoutMs: number
  /** Ends the wait as the time limit does. */
  readonly signal?: AbortSignal
}

/** `true` once the checkpoint is at or beyond `offset`, `false` at the time limit or where the signal is aborted. Rejects if the database cannot be asked. */
export async function waitUntilProjected(options: WaitUntilProjectedOptions): Promise<boolean> {
  if (options.offset <= 0) return true
  let watcher = watchers.get(options.database)
  if (watcher === undefined) watchers.set(options.database, (watcher = watchCheckpoints(options.database)))
  return await watcher.wait(options)
}

interface Waiter extends GroupPartition {
  readonly offset: number
  readonly since: number
  readonly settle: (passed: boolean) => void
  readonly reject: (error: unknown) => void
}

const watchers = new WeakMap<Database, { wait(options: WaitUntilProjectedOptions): Promise<boolean> }>()

const LOOK = {
  name: 'projection.look-checkpoints',
  text: `SELECT c.group_name, c.topic, c.partition, c.next
         FROM unnest($1::text[], $2::text[], $3::int4[]) AS w (group_name, topic, partition)
         JOIN projection.checkpoint c USING (group_name, topic, partition)`,
}

function watchCheckpoints(database: Database): {
  wait(options: WaitUntilProjectedOptions): Promise<boolean>
} {
  const waiters = new Set<Waiter>()
  let looking = false

  async function look(): Promise<void> {
    if (looking) return
    looking = true
    try {
      while (waiters.size > 0) {
        // Those who come in the same turn are part of the first look.
        await turn()
        await lookOnce([...waiters])
        if (waiters.size > 0) await pause(intervalMs())
      }
    } finally {
      looking = false
    }
  }

  async function lookOnce(asking: readonly Waiter[]): Promise<void> {
    try {
      const wanted = [...new Map(asking.map((waiter) => [keyOf(waiter), waiter])).values()]
      const rows = await database.query<{
        group_name: string
        topic: string
        partition: number
        next: number
      }>(LOOK, [
        wanted.map((waiter) => waiter.group),
        wanted.map((waiter) => waiter.topic),
        wanted.map((waiter) => waiter.partition),
      ])
      const next = new Map(rows.map((row) => [keyOf({ ...row, group: row.group_name }), row.next]))
      for (const waiter of asking) {
        if ((next.get(keyOf(waiter)) ?? 0) >= waiter.offset) waiter.settle(true)
      }
    } catch (error) {
      for (const waiter of asking) waiter.reject(error)
    }
  }

  function intervalMs(): number {
    const youngest = Math.max(...[...waiters].map((waiter) => waiter.since))
    return performance.now() - youngest < SLOW_AFTER_MS ? LOOK_INTERVAL_MS : SLOW_LOOK_INTERVAL_MS
  }

  return {
    wait: ({ group, topic, partition, offset, timeoutMs, signal }) =>
      new Promise<boolean>((resolve, reject) => {
        const leave = (): void => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', giveUp)
          waiters.delete(waiter)
        }
        const waiter: Waiter = {
          group,
          topic,
          partition,
          offset,
          since: performance.now(),
          settle: (passed) => (leave(), resolve(passed)),
          reject: (error) => (leave(), reject(error instanceof Error ? error : new Error(String(error)))),
        }
        const giveUp = (): void => waiter.settle(false)
        const timer = setTimeout(giveUp, signal?.aborted === true ? 0 : timeoutMs)
        signal?.addEventListener('abort', giveUp)
        waiters.add(waiter)
        void look()
      }),
  }
}

function keyOf({ group, topic, partition }: GroupPartition): string {
  return `${group}/${placeOf({ topic, partition })}`
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs))
}

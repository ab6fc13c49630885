/**
 * Reading your writes: waits until the checkpoint of a consumer has passed an offset. All readers of a process share one query,
 * so that a burst of readers costs the database only one.
 */
import { placeOf } from '@cupel/event-log'
import { setTimeout as startTimer } from 'node:timers'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Database } from '@cupel/postgres'
import { nudge } from './nudges.js'
import type { GroupPartition } from './checkpoint.js'

/** Time between two checks: a projection usually catches up within one or two of them. */
const LOOK_INTERVAL_MS = 10
/** The same when no reader has come for a while: the projection is behind, and frequent checks do not help it. */
const SLOW_LOOK_INTERVAL_MS = 50
const SLOW_AFTER_MS = 500

export interface WaitUntilProjectedOptions extends GroupPartition {
  readonly database: Database
  /** The projection has passed it when everything below this offset is applied: pass the end of the partition. */
  readonly offset: number
  readonly timeoutMs: number
  /** Ends the wait in the same way as the time limit. */
  readonly signal?: AbortSignal
}

/** `true` once the checkpoint is at or beyond `offset`, `false` at the time limit or if the signal aborts. Rejects if the query fails. */
export async function waitUntilProjected(options: WaitUntilProjectedOptions): Promise<boolean> {
  if (options.offset <= 0) return true
  let watcher = watchers.get(options.database)
  if (watcher === undefined) watchers.set(options.database, (watcher = watchCheckpoints(options.database)))
  return await watcher.wait(options)
}

interface Waiter extends GroupPartition {
  readonly offset: number
  readonly since: number
  hasNudged: boolean
  readonly settle: (passed: boolean) => void
  readonly reject: (error: unknown) => void
}

interface Watcher {
  wait(options: WaitUntilProjectedOptions): Promise<boolean>
}

const watchers = new WeakMap<Database, Watcher>()

function watchCheckpoints(database: Database): Watcher {
  const waiters = new Set<Waiter>()
  let isLooking = false

  async function look(): Promise<void> {
    if (isLooking) return
    isLooking = true
    try {
      while (waiters.size > 0) {
        // Readers that arrive in the same turn are part of the first check.
        await setImmediate()
        await lookOnce(database, [...waiters])
        await hurry(database, waiters)
        if (waiters.size > 0) await setTimeout(intervalMs(waiters))
      }
    } finally {
      isLooking = false
    }
  }

  return {
    wait: (options) =>
      new Promise<boolean>((resolve, reject) => {
        addWaiter(waiters, options, { resolve, reject })
        void look()
      }),
  }
}

function addWaiter(
  waiters: Set<Waiter>,
  { group, topic, partition, offset, timeoutMs, signal }: WaitUntilProjectedOptions,
  { resolve, reject }: { resolve: (passed: boolean) => void; reject: (error: unknown) => void },
): void {
  const leave = (): void => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
    waiters.delete(waiter)
  }
  const waiter: Waiter = {
    ...{ group, topic, partition, offset, since: performance.now(), hasNudged: false },
    settle: (passed) => (leave(), resolve(passed)),
    reject: (error) => (leave(), reject(error)),
  }
  const giveUp = (): void => waiter.settle(false)
  const timer = startTimer(giveUp, signal?.aborted === true ? 0 : timeoutMs)
  signal?.addEventListener('abort', giveUp)
  waiters.add(waiter)
}

const LOOK = {
  name: 'projection.look-checkpoints',
  text: `SELECT c.group_name, c.topic, c.partition, c.next
         FROM unnest($1::text[], $2::text[], $3::int4[]) AS w (group_name, topic, partition)
         JOIN projection.checkpoint c USING (group_name, topic, partition)`,
}

async function lookOnce(database: Database, asking: readonly Waiter[]): Promise<void> {
  try {
    const wanted = [...new Map(asking.map((waiter) => [keyOf(waiter), waiter])).values()]
    const rows = await database.query<{ group_name: string; topic: string; partition: number; next: number }>(
      LOOK,
      [
        wanted.map((waiter) => waiter.group),
        wanted.map((waiter) => waiter.topic),
        wanted.map((waiter) => waiter.partition),
      ],
    )
    const next = new Map(rows.map((row) => [keyOf({ ...row, group: row.group_name }), row.next]))
    for (const waiter of asking) if ((next.get(keyOf(waiter)) ?? 0) >= waiter.offset) waiter.settle(true)
  } catch (error) {
    for (const waiter of asking) waiter.reject(error)
  }
}

/** The consumers that readers wait for may rest: each waiter nudges its consumer once. */
async function hurry(database: Database, waiters: ReadonlySet<Waiter>): Promise<void> {
  const fresh = [...waiters].filter((waiter) => !waiter.hasNudged)
  if (fresh.length === 0) return
  for (const waiter of fresh) waiter.hasNudged = true
  try {
    await nudge(
      database,
      fresh.map(({ group }) => group),
    )
  } catch {
    // The checkpoint moves without the nudge, only later; the next check shows whether the database answers.
  }
}

function intervalMs(waiters: ReadonlySet<Waiter>): number {
  const youngest = Math.max(...[...waiters].map((waiter) => waiter.since))
  return performance.now() - youngest < SLOW_AFTER_MS ? LOOK_INTERVAL_MS : SLOW_LOOK_INTERVAL_MS
}

function keyOf({ group, topic, partition }: GroupPartition): string {
  return `${group}/${placeOf({ topic, partition })}`
}

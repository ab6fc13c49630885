/**
 * Finishes in the background what was too late for one report, or failed, and keeps the result for the next screen of the address. It runs one
 * piece at a time and leaves nine tenths of a thread to screens that are examined there. A result belongs to one state of ledger, labels and policy.
 */
import { createSlots, LATE, sleep, withinMs } from '@cupel/kit/concurrency'

/** Pieces of work that wait or run; further ones are not taken, and the next screen of such an address tries again itself. */
const MAX_WAITING = 256
/** A piece of work may take this long. */
export const MAX_WORK_MS = 60_000
/** Work without a result is tried again after each of these pauses. */
const RETRY_AFTER_MS = [250, 1_000, 4_000]
/** Work that hangs does not keep the process from ending. */
const STOP_MS = 1_000
const MAX_KEPT = 1_000
const MAX_KEPT_BYTES = 64 * 1024 * 1024

/** What is examined, and the state in which. */
export interface WorkKey {
  readonly chain: string
  readonly address: string
  /** The sequences of ledger and labels, and what else decides the result. */
  readonly state: string
}

export interface Finished<R> {
  readonly result: R
  /** The first moment at which the clock can change the result, as milliseconds since 1970. */
  readonly holdsUntilMs: number
}

export interface LateWork<R> {
  /** The result as it would be at that moment. */
  find(key: WorkKey, atMs: number): R | undefined
  /** The end of the work for this key, which does not reject; undefined if there is none under way. */
  underWay(key: WorkKey): Promise<void> | undefined
  /** Begins the work unless it is under way. Null is no result. */
  finish(key: WorkKey, work: () => Promise<Finished<R> | null>): void
  /** Resolves when no work for the address is under way, in whatever state. */
  settled(place: Pick<WorkKey, 'chain' | 'address'>): Promise<unknown>
  stop(): Promise<void>
}

export function createLateWork<R extends object>(
  onError: (error: unknown) => void,
  { maxWaiting = MAX_WAITING, maxWorkMs = MAX_WORK_MS, maxKeptBytes = MAX_KEPT_BYTES } = {},
): LateWork<R> {
  /** The oldest first. */
  const kept = new Map<string, Finished<R> & { readonly bytes: number }>()
  let keptBytes = 0
  const running = new Map<string, { readonly place: string; readonly ended: Promise<void> }>()
  const inTurn = createSlots(1)
  const stopping = new AbortController()

  async function run(name: string, work: () => Promise<Finished<R> | null>): Promise<boolean> {
    if (stopping.signal.aborted) return true
    // Work that hangs in the database gives its turn to the next.
    const finished = await withinMs(maxWorkMs, work())
    if (finished === LATE) return true
    if (finished !== null) keep(name, finished)
    return finished !== null
  }

  async function runUntilDone(name: string, work: () => Promise<Finished<R> | null>): Promise<void> {
    for (const pauseMs of RETRY_AFTER_MS) {
      if (await inTurn(() => run(name, work))) return
      await sleep(pauseMs, stopping.signal)
    }
    await inTurn(() => run(name, work))
  }

  function keep(name: string, finished: Finished<R>): void {
    const bytes = JSON.stringify(finished.result).length
    keptBytes -= kept.get(name)?.bytes ?? 0
    kept.set(name, { ...finished, bytes })
    keptBytes += bytes
    for (const [oldest, one] of kept) {
      if (kept.size <= MAX_KEPT && keptBytes <= maxKeptBytes) break
      kept.delete(oldest)
      keptBytes -= one.bytes
    }
  }

  return {
    find(key, atMs) {
      const finished = kept.get(nameOf(key))
      return finished === undefined || atMs >= finished.holdsUntilMs ? undefined : finished.result
    },
    underWay: (key) => running.get(nameOf(key))?.ended,
    finish(key, work) {
      const name = nameOf(key)
      if (stopping.signal.aborted || running.has(name) || running.size >= maxWaiting) return
      const ended = runUntilDone(name, work)
        .catch(onError)
        .finally(() => running.delete(name))
      running.set(name, { place: placeOf(key), ended })
    },
    settled: (place) =>
      Promise.all([...running.values()].flatMap((one) => (one.place === placeOf(place) ? [one.ended] : []))),
    async stop() {
      stopping.abort()
      await withinMs(STOP_MS, Promise.all([...running.values()].map(({ ended }) => ended)))
    },
  }
}

const placeOf = ({ chain, address }: Pick<WorkKey, 'chain' | 'address'>): string => `${chain} ${address}`

const nameOf = (key: WorkKey): string => `${placeOf(key)} ${key.state}`

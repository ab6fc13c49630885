/**
 * Finishes in the background what was too late for one report, or failed, and keeps the result for the next screen of the address. It runs one
 * piece at a time and leaves nine tenths of a thread to screens that are examined there. Accounts take turns. A result belongs to one state of
 * ledger, labels and policy, and to no account.
 */
import { createSlots, LATE, sleep, withinMs } from '@cupel/kit/concurrency'

/**
 * Pieces of work that wait or run; further ones are not taken, and the next screen of such an address tries again itself. An account has another
 * one as long as it has fewer than there is room for.
 */
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
  /** Begins the work unless it is under way. What is under way for another owner is done in the turn of the owner who comes first. Null is no result. */
  finish(owner: string, key: WorkKey, work: () => Promise<Finished<R> | null>): void
  /** Resolves when no work for the address is under way, in whatever state. */
  settled(place: Pick<WorkKey, 'chain' | 'address'>): Promise<unknown>
  stop(): Promise<void>
}

export function createLateWork<R extends object>(
  onError: (error: unknown) => void,
  { maxWaiting = MAX_WAITING, maxWorkMs = MAX_WORK_MS, maxKeptBytes = MAX_KEPT_BYTES } = {},
): LateWork<R> {
  const kept = createKept<R>(maxKeptBytes)
  const pieces = new Map<string, Piece>()
  const places = createPlaces(maxWaiting)
  const inTurn = createSlots(1)
  const stopping = new AbortController()

  /** Whether nothing is left to do. */
  async function run(name: string, work: () => Promise<Finished<R> | null>): Promise<boolean> {
    if (stopping.signal.aborted) return true
    // Work that hangs in the database gives its turn to the next.
    const finished = await withinMs(maxWorkMs, work())
    if (finished === LATE) return true
    if (finished !== null) kept.keep(name, finished)
    return finished !== null
  }

  async function runUntilDone(owner: string, piece: Piece, attempt: () => Promise<boolean>): Promise<void> {
    const once = async (): Promise<boolean> => (piece.isDone ||= await attempt())
    for (const pauseMs of RETRY_AFTER_MS) {
      if (await inTurn(once, { owner })) return
      await sleep(pauseMs, stopping.signal)
    }
    await inTurn(once, { owner })
  }

  return {
    find(key, atMs) {
      const finished = kept.get(nameOf(key))
      return finished === undefined || atMs >= finished.holdsUntilMs ? undefined : finished.result
    },
    underWay: (key) => pieces.get(nameOf(key))?.ended,
    finish(owner, key, work) {
      const name = nameOf(key)
      const piece = pieces.get(name) ?? createPiece(placeOf(key))
      if (stopping.signal.aborted || piece.owners.has(owner) || !places.take(owner)) return
      pieces.set(name, piece)
      piece.owners.add(owner)
      void runUntilDone(owner, piece, () => run(name, work))
        .catch(onError)
        .finally(() => {
          places.leave(owner)
          piece.owners.delete(owner)
          if (!piece.isDone && piece.owners.size > 0) return
          if (pieces.get(name) === piece) pieces.delete(name)
          piece.end()
        })
    },
    settled: (place) =>
      Promise.all([...pieces.values()].flatMap((one) => (one.place === placeOf(place) ? [one.ended] : []))),
    async stop() {
      stopping.abort()
      await withinMs(STOP_MS, Promise.all([...pieces.values()].map(({ ended }) => ended)))
    },
  }
}

/** Results by name; the oldest is dropped first. */
function createKept<R extends object>(maxBytes: number) {
  const kept = new Map<string, Finished<R> & { readonly bytes: number }>()
  let keptBytes = 0
  return {
    get: (name: string): Finished<R> | undefined => kept.get(name),
    keep(name: string, finished: Finished<R>): void {
      const bytes = JSON.stringify(finished.result).length
      keptBytes -= kept.get(name)?.bytes ?? 0
      kept.set(name, { ...finished, bytes })
      keptBytes += bytes
      for (const [oldest, one] of kept) {
        if (kept.size <= MAX_KEPT && keptBytes <= maxBytes) break
        kept.delete(oldest)
        keptBytes -= one.bytes
      }
    },
  }
}

/** Places for work that waits, of all owners. */
function createPlaces(max: number): { take(owner: string): boolean; leave(owner: string): void } {
  const taken = new Map<string, number>()
  let all = 0
  const change = (owner: string, by: 1 | -1): void => {
    const count = (taken.get(owner) ?? 0) + by
    all += by
    if (count === 0) taken.delete(owner)
    else taken.set(owner, count)
  }
  return {
    take(owner) {
      if ((taken.get(owner) ?? 0) >= max - all) return false
      change(owner, 1)
      return true
    },
    leave: (owner) => change(owner, -1),
  }
}

/** Work for one key: it waits for a turn of each of its owners, and is done in the first. */
interface Piece {
  readonly place: string
  readonly owners: Set<string>
  isDone: boolean
  readonly ended: Promise<void>
  end(): void
}

function createPiece(place: string): Piece {
  let end = (): void => undefined
  const ended = new Promise<void>((resolve) => (end = resolve))
  return { place, owners: new Set(), isDone: false, ended, end }
}

const placeOf = ({ chain, address }: Pick<WorkKey, 'chain' | 'address'>): string => `${chain} ${address}`

const nameOf = (key: WorkKey): string => `${placeOf(key)} ${key.state}`

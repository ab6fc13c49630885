/**
 * The screens this instance waits for. One entry per report id, registered before its request is appended, settled by the
 * first record with that id. Deadlines are equally long, so entries expire in the order they came and one timer, for the
 * oldest, is enough to watch them all.
 */
import type { Logger } from '@cupel/contracts'

export interface ScreenInWait {
  readonly reportId: string
  readonly accountId: string
  readonly livemode: boolean
}

export type ScreenOutcome =
  /** The report as recorded. */
  | { readonly kind: 'report'; readonly document: string }
  | { readonly kind: 'failed'; readonly code: string }
  /** Not ready in time; the id is noted as pending. */
  | { readonly kind: 'late' }
  /** Not ready in time, and nobody knows that its request was accepted or that its id was noted: it must not be handed out. */
  | { readonly kind: 'lost' }

export interface PendingTable {
  readonly size: () => number
  /** Age of the oldest entry, 0 where there is none. */
  readonly oldestAgeMs: () => number
  /** Resolves once, never rejects. */
  register(screen: ScreenInWait): Promise<ScreenOutcome>
  /** Its request was acknowledged by the log: from here on the id may be handed out. */
  accept(reportId: string): void
  /** The entry of an id this instance waits for; other ids are of no interest. */
  find(reportId: string): ScreenInWait | undefined
  settle(reportId: string, outcome: ScreenOutcome): void
  /** Gives an id up without an outcome, where its request was never accepted by the log. */
  withdraw(reportId: string): void
  /** Resolves when nothing is waited for any more. */
  drained(): Promise<void>
  close(): void
}

export interface PendingTableOptions {
  readonly deadlineMs: number
  /** Notes ids as pending, so that they can be handed out. */
  readonly note: (screens: readonly ScreenInWait[]) => Promise<void>
  readonly logger: Logger
}

interface Entry {
  readonly screen: ScreenInWait
  readonly sinceMs: number
  isAccepted: boolean
  isNoting: boolean
  readonly resolve: (outcome: ScreenOutcome) => void
}

/** Time the note may take before the id is given up. */
const NOTE_TIMEOUT_MS = 1_000

export function createPendingTable(options: PendingTableOptions): PendingTable {
  const entries = new Map<string, Entry>()
  let waitingForDrain: (() => void)[] = []

  const finish = (reportId: string, outcome: ScreenOutcome | null): void => {
    const entry = entries.get(reportId)
    if (entry === undefined) return
    entries.delete(reportId)
    if (outcome !== null) entry.resolve(outcome)
    if (entries.size > 0) return
    for (const resolve of waitingForDrain) resolve()
    waitingForDrain = []
  }
  const expire = async (expired: readonly Entry[]): Promise<void> => {
    for (const entry of expired) entry.isNoting = true
    let outcome: ScreenOutcome = { kind: 'late' }
    try {
      await withTimeout(options.note(expired.map(({ screen }) => screen)), NOTE_TIMEOUT_MS)
    } catch (error) {
      options.logger.error(
        { err: error, screens: expired.length },
        'Late screens could not be noted as pending',
      )
      outcome = { kind: 'lost' }
    }
    // A report that came meanwhile has settled its entry already.
    for (const { screen } of expired) finish(screen.reportId, outcome)
  }
  let watch: NodeJS.Timeout | null = null
  const watchOldest = (inMs: number): void => {
    watch = setTimeout(look, Math.ceil(inMs))
  }
  const look = (): void => {
    watch = null
    const late = performance.now() - options.deadlineMs
    const expired: Entry[] = []
    for (const entry of entries.values()) {
      if (entry.sinceMs > late) {
        watchOldest(entry.sinceMs - late)
        break
      }
      // A request the log never acknowledged may not be there: its id is a promise nobody could keep.
      if (!entry.isAccepted) finish(entry.screen.reportId, { kind: 'lost' })
      else if (!entry.isNoting) expired.push(entry)
    }
    if (expired.length > 0) void expire(expired)
  }

  return {
    size: () => entries.size,
    oldestAgeMs() {
      for (const entry of entries.values()) return performance.now() - entry.sinceMs
      return 0
    },
    register: (screen) =>
      new Promise((resolve) => {
        if (entries.has(screen.reportId)) throw new Error(`Report id ${screen.reportId} was handed out twice`)
        entries.set(screen.reportId, {
          screen,
          sinceMs: performance.now(),
          isAccepted: false,
          isNoting: false,
          resolve,
        })
        if (watch === null) watchOldest(options.deadlineMs)
      }),
    accept(reportId) {
      const entry = entries.get(reportId)
      if (entry !== undefined) entry.isAccepted = true
    },
    find: (reportId) => entries.get(reportId)?.screen,
    settle: finish,
    withdraw: (reportId) => finish(reportId, null),
    drained: () =>
      entries.size === 0 ? Promise.resolve() : new Promise((resolve) => waitingForDrain.push(resolve)),
    close: () => clearTimeout(watch ?? undefined),
  }
}

async function withTimeout(work: Promise<void>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`Not done within ${timeoutMs} ms`)), timeoutMs)
  })
  try {
    await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}

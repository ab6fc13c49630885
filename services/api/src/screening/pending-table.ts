/**
 * The screens this instance waits for. One entry per report id, registered before its request is appended, settled by the
 * first record with that id.
 */
import { createDeadlineQueue, LATE, withinMs } from '@cupel/concurrency'
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
  /** Not ready in time, and neither its request nor its note as pending is acknowledged: no caller may be given its id. */
  | { readonly kind: 'lost' }

export interface PendingTable {
  readonly size: () => number
  /** Age of the oldest entry, 0 where there is none. */
  readonly oldestAgeMs: () => number
  /** Resolves once, never rejects. */
  register(screen: ScreenInWait): Promise<ScreenOutcome>
  /** Its request was acknowledged by the log: from here on the id may be handed out. */
  accept(reportId: string): void
  /** The entry of an id that this instance waits for; undefined for other ids. */
  find(reportId: string): ScreenInWait | undefined
  settle(reportId: string, outcome: ScreenOutcome): void
  /** Deletes an entry without an outcome, where the log did not accept its request. */
  withdraw(reportId: string): void
  /** Resolves when no entry is left. */
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
    deadlines.delete(entry)
    if (outcome !== null) entry.resolve(outcome)
    if (entries.size > 0) return
    for (const resolve of waitingForDrain) resolve()
    waitingForDrain = []
  }
  const expire = async (expired: readonly Entry[]): Promise<void> => {
    let outcome: ScreenOutcome = { kind: 'late' }
    try {
      const noting = options.note(expired.map(({ screen }) => screen))
      if ((await withinMs(NOTE_TIMEOUT_MS, noting)) === LATE)
        throw new Error(`Not noted within ${NOTE_TIMEOUT_MS} ms`)
    } catch (error) {
      options.logger.error(
        { err: error, screens: expired.length },
        'Late screens could not be noted as pending',
      )
      outcome = { kind: 'lost' }
    }
    // A report that arrived meanwhile has settled its entry already.
    for (const { screen } of expired) finish(screen.reportId, outcome)
  }
  const deadlines = createDeadlineQueue<Entry>((expired) => {
    // The log never acknowledged these requests. They may not be in it, and then their ids would never be found.
    for (const { screen, isAccepted } of expired) if (!isAccepted) finish(screen.reportId, { kind: 'lost' })
    const accepted = expired.filter(({ isAccepted }) => isAccepted)
    if (accepted.length > 0) void expire(accepted)
  })

  return {
    size: () => entries.size,
    oldestAgeMs() {
      for (const entry of entries.values()) return performance.now() - entry.sinceMs
      return 0
    },
    register: (screen) =>
      new Promise((resolve) => {
        if (entries.has(screen.reportId)) throw new Error(`Report id ${screen.reportId} was handed out twice`)
        const entry = { screen, sinceMs: performance.now(), isAccepted: false, resolve }
        entries.set(screen.reportId, entry)
        deadlines.add(entry, options.deadlineMs)
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
    close: () => deadlines.close(),
  }
}

/**
 * The screens this instance waits for. One entry per report id, registered before its request is appended, settled by the
 * first record with that id.
 */
import type { LateScreen } from '@cupel/gate/access'
import { isTransferRefusal, type TransferRefusalCode } from '@cupel/contracts'
import { createDeadlineQueue } from '@cupel/kit/concurrency'

export interface ScreenInWait extends LateScreen {
  /** Set by the acknowledgement of the log, or by the outbox. */
  isAccepted: boolean
  /** The caller waits for late stages, for this time at most; otherwise it has the deadline of every screen. */
  readonly patienceMs?: number | undefined
}

export type ScreenOutcome =
  /** The report as recorded. */
  | {
      readonly kind: 'report'
      readonly document: string
      /** From the record of the report, if it was read there. */
      readonly traceparent?: string | undefined
    }
  | { readonly kind: 'failed'; readonly code: string }
  /** Nothing was wrong with the screening: what the caller stated cannot be screened. `detail` is a sentence. */
  | { readonly kind: 'refused'; readonly code: TransferRefusalCode; readonly detail: string }
  /** Not ready in time. The id is noted as pending, and the log or the outbox has the request. */
  | { readonly kind: 'late' }
  /** The log refused the request, and the outbox has it: the screening begins when the log takes requests again. */
  | { readonly kind: 'deferred' }
  /** Not ready in time, and the note could not be stored yet: whether the request was accepted is not known. */
  | { readonly kind: 'unknown' }

/** How a screening ended that has no report. */
export const withoutReport = ({
  code,
  detail,
}: {
  readonly code: string
  readonly detail: string
}): Extract<ScreenOutcome, { readonly kind: 'failed' | 'refused' }> =>
  isTransferRefusal(code) ? { kind: 'refused', code, detail } : { kind: 'failed', code }

export interface PendingTable {
  /** Number of entries without patience: the others have limits of their own. */
  readonly size: () => number
  /** Age of the oldest entry without patience, 0 if there is none. */
  readonly oldestAgeMs: () => number
  /** Resolves once, never rejects. */
  register(screen: ScreenInWait): Promise<ScreenOutcome>
  /** The entry of an id that this instance waits for; undefined for other ids. */
  find(reportId: string): ScreenInWait | undefined
  /** Returns whether this is the outcome. A spoiled wait fails instead. */
  settle(reportId: string, outcome: ScreenOutcome): boolean
  /**
   * The outcome of another screening has this id. It settles nothing. A later report cannot belong to this id either, because readers
   * would not find it. The wait fails with its own outcome, or at its deadline.
   */
  spoil(reportId: string): void
  /** Ends the wait for an id before its deadline, as late: the log did not accept its request. */
  expire(reportId: string): void
  /** Resolves when no entry is left. */
  drained(): Promise<void>
  close(): void
}

export interface PendingTableOptions {
  readonly deadlineMs: number
  /** Notes ids as pending, so that they can be handed out. Resolves to false if that is not done yet; never rejects. */
  readonly note: (screens: readonly ScreenInWait[]) => Promise<boolean>
}

interface Entry {
  readonly screen: ScreenInWait
  readonly sinceMs: number
  isExpired: boolean
  isSpoiled: boolean
  readonly resolve: (outcome: ScreenOutcome) => void
}

const SPOILED: ScreenOutcome = { kind: 'failed', code: 'internal_error' }

export function createPendingTable(options: PendingTableOptions): PendingTable {
  const entries = new Map<string, Entry>()
  let patient = 0
  let waitingForDrain: (() => void)[] = []

  const finish = (reportId: string, outcome: ScreenOutcome): boolean => {
    const entry = entries.get(reportId)
    if (entry === undefined) return false
    entries.delete(reportId)
    if (entry.screen.patienceMs !== undefined) patient -= 1
    deadlines.delete(entry)
    entry.resolve(entry.isSpoiled ? SPOILED : outcome)
    if (entries.size === 0) {
      for (const resolve of waitingForDrain) resolve()
      waitingForDrain = []
    }
    return !entry.isSpoiled
  }
  const expire = async (expired: readonly Entry[]): Promise<void> => {
    for (const { screen, isSpoiled } of expired) if (isSpoiled) finish(screen.reportId, SPOILED)
    const unspoiled = expired.filter(({ isSpoiled }) => !isSpoiled)
    if (unspoiled.length === 0) return
    const isNoted = await options.note(unspoiled.map(({ screen }) => screen))
    // A report that arrived meanwhile has settled its entry already.
    for (const { screen } of unspoiled) finish(screen.reportId, { kind: isNoted ? 'late' : 'unknown' })
  }
  const deadlines = createDeadlineQueue<Entry>((expired) => {
    for (const entry of expired) entry.isExpired = true
    void expire(expired)
  })

  return {
    size: () => entries.size - patient,
    oldestAgeMs() {
      for (const { screen, sinceMs } of entries.values())
        if (screen.patienceMs === undefined) return performance.now() - sinceMs
      return 0
    },
    register: (screen) =>
      new Promise((resolve) => {
        if (entries.has(screen.reportId)) throw new Error(`Report id ${screen.reportId} was handed out twice`)
        const entry = { screen, sinceMs: performance.now(), isExpired: false, isSpoiled: false, resolve }
        entries.set(screen.reportId, entry)
        if (screen.patienceMs !== undefined) patient += 1
        deadlines.add(entry, screen.patienceMs ?? options.deadlineMs)
      }),
    find: (reportId) => entries.get(reportId)?.screen,
    settle: finish,
    spoil(reportId) {
      const entry = entries.get(reportId)
      if (entry !== undefined) entry.isSpoiled = true
    },
    expire(reportId) {
      const entry = entries.get(reportId)
      if (entry === undefined || entry.isExpired) return
      deadlines.delete(entry)
      entry.isExpired = true
      void expire([entry])
    },
    drained: () =>
      entries.size === 0 ? Promise.resolve() : new Promise((resolve) => waitingForDrain.push(resolve)),
    close: () => deadlines.close(),
  }
}

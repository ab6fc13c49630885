/**
 * Splits the differences of changed reports among labels, funds, policy, scorer, time and what was not examined, if that delays nothing: a
 * change is told without its split where too many changes come at once, or where their reports take long to read.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import type { Logger, Metrics, ReportGenerated } from '@cupel/contracts'
import { ChangeRefusedError, explainChange, type ChangePart, type RecordedDecision } from '@cupel/domain'
import { LogStoppedError, type EventCodec, type EventLog } from '@cupel/event-log'
import {
  MissingSharedInputError,
  openSharedInputs,
  readReportsAt,
  type ReportPlace,
} from '@cupel/evidence/proofs'
import type { FoundChange, ReportAt, SplitChanges, SplitMissing, Splitting } from '../index.js'

/** Differences that are split at once after a rest: some 10 ms of work each. */
export const MAX_SPLIT_AT_ONCE = 200
/** Further differences that are split in each second after that. */
export const SPLIT_PER_SECOND = 20
/** Differences whose reports are in memory at once. */
const CHUNK = 25
/** Time from the first read of a step until the remaining changes are told without a split. */
const MAX_SPLIT_MS = 5_000

export interface SplitChangesOptions {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly logger: Logger
  readonly metrics: Metrics
  /** Milliseconds of a clock that never goes back. */
  readonly nowMs?: () => number
  readonly maxMs?: number
}

const busy: Splitting = { split: null, missing: 'busy' }

export function createSplitChanges(options: SplitChangesOptions): SplitChanges {
  const { log, codec, logger, metrics, nowMs = () => performance.now(), maxMs = MAX_SPLIT_MS } = options
  const split = metrics.counter(
    'watches_split_total',
    'Changes of watched addresses, by what became of their split',
    ['outcome'],
  )
  const allowance = createAllowance(nowMs)
  const readDecisions = createReader({ log, codec })
  /** Whether a reading goes on that a step did not wait for: until it ends, no further one begins. */
  let isReading = false

  return async (changes) => {
    const count = isReading ? 0 : allowance.take(changes.length)
    const endsAt = nowMs() + maxMs
    const known = new Map<FoundChange, Splitting>()
    if (count > 0) {
      isReading = true
      const work = splitInto(known, changes.slice(0, count), endsAt)
        .catch((error: unknown) => {
          logger.warn(
            { err: error },
            `Changes of watched addresses are told without their split: ${String(error)}`,
          )
        })
        .finally(() => (isReading = false))
      await within(maxMs, work)
    }
    const splittings = changes.map((change) => known.get(change) ?? busy)
    for (const { missing } of splittings) split.inc({ outcome: missing ?? 'split' })
    return splittings
  }

  async function splitInto(
    known: Map<FoundChange, Splitting>,
    changes: readonly FoundChange[],
    endsAt: number,
  ): Promise<void> {
    for (let from = 0; from < changes.length; from += CHUNK) {
      const chunk = changes.slice(from, from + CHUNK)
      const decisions = await readDecisions(chunk)
      for (const change of chunk) {
        if (nowMs() >= endsAt) return
        known.set(change, splitOf(decisions.get(change.told.reportId), decisions.get(change.next.reportId)))
        // Other work of this process goes on in between.
        await breathe()
      }
    }
  }
}

const missing = (why: SplitMissing): Splitting => ({ split: null, missing: why })

function placeOf({ reportId, place }: ReportAt): ReportPlace[] {
  return place === null ? [] : [{ reportId, ...place }]
}

function splitOf(told: RecordedDecision | undefined, next: RecordedDecision | undefined): Splitting {
  if (told === undefined || next === undefined) return missing('unreadable')
  try {
    const { parts } = explainChange(told, next)
    const added = Object.fromEntries(
      parts.map(({ part, addedHundredths }) => [part, addedHundredths / 100]),
    ) as Record<ChangePart, number>
    const { not_examined: notExamined, ...others } = added
    return { split: { ...others, notExamined }, missing: null }
  } catch (error) {
    // A scorer that this version does not contain is a RangeError.
    if (error instanceof ChangeRefusedError || error instanceof RangeError) return missing('refused')
    throw error
  }
}

/** Gives out a number of pieces at once, and further ones at a rate per second. */
function createAllowance(nowMs: () => number): { take(wanted: number): number } {
  let left = MAX_SPLIT_AT_ONCE
  let at = nowMs()
  return {
    take(wanted) {
      const now = nowMs()
      left = Math.min(MAX_SPLIT_AT_ONCE, left + ((now - at) * SPLIT_PER_SECOND) / 1_000)
      at = now
      const taken = Math.min(wanted, Math.floor(left))
      left -= taken
      return taken
    },
  }
}

/** Resolves with the work, or after the time. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const time = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))
  try {
    await Promise.race([work, time])
  } finally {
    clearTimeout(timer)
  }
}

/** Returns a function that reads both decisions of each change, by report id. Decisions that left the log are left out. */
function createReader({
  log,
  codec,
}: Pick<SplitChangesOptions, 'log' | 'codec'>): (
  changes: readonly FoundChange[],
) => Promise<Map<string, RecordedDecision>> {
  const shared = openSharedInputs({ log, codec })
  return async (changes) => {
    const decisions = new Map<string, RecordedDecision>()
    for (const livemode of new Set(changes.map((change) => change.livemode))) {
      const places = changes
        .filter((change) => change.livemode === livemode)
        .flatMap(({ told, next }) => [...placeOf(told), ...placeOf(next)])
      for (const recorded of await readReports(livemode, places)) {
        const decision = await withShared(recorded)
        if (decision !== null) decisions.set(recorded.reportId, decision)
      }
    }
    return decisions
  }

  async function readReports(livemode: boolean, places: readonly ReportPlace[]): Promise<ReportGenerated[]> {
    const found: ReportGenerated[] = []
    try {
      for await (const stored of readReportsAt({ log, codec, livemode, places, onMissing: () => undefined }))
        found.push(...stored.map(({ report }) => report.data))
      return found
    } catch (error) {
      if (!(error instanceof LogStoppedError)) throw error
      // The front of a partition was deleted, and one of the reports with it: the others are read one by one.
      if (places.length <= 1) return []
      return (await Promise.all(places.map((place) => readReports(livemode, [place])))).flat()
    }
  }

  async function withShared(recorded: ReportGenerated): Promise<RecordedDecision | null> {
    try {
      return { recorded, shared: await shared.of(recorded) }
    } catch (error) {
      if (error instanceof MissingSharedInputError) return null
      throw error
    }
  }
}

/** Measures how bulk and interactive screens fare, and sets the window by it. */
import type { Metrics } from '@cupel/contracts'
import { INITIAL_WINDOW_ITEMS, nextWindow } from '@cupel/domain'

export interface Pace {
  /** Screenings that may be under way at once. */
  window(): number
  released(reportIds: readonly string[]): void
  ended(reportIds: readonly string[]): void
  /** The window was full with more to release. */
  wasFull(): void
  /** Time an interactive screen waited for its decision, in milliseconds. */
  interactive(dwellMs: number): void
  /** Closes a period of measurement and sets the window for the next. */
  adapt(): void
}

export interface PaceOptions {
  readonly dwellTargetMs: number
  readonly metrics: Metrics
  /** Clock readings in milliseconds. */
  readonly now?: () => number
}

/** Between two decisions about the window. */
export const PACE_INTERVAL_MS = 250
/** What was measured loses this much per period: a machine that became slower is believed after some minutes. */
const CAPACITY_KEPT = 0.998
/** Weight of the newest round trip in the average. */
const ROUND_TRIP_WEIGHT = 0.1
/** Interactive screens looked at per period. */
const MAX_DWELL_SAMPLES = 256
/** Screenings whose release is remembered: those beyond the largest window were lost to a restart or a cancelled job. */
const MAX_REMEMBERED = 8_192

export function createPace({ dwellTargetMs, metrics, now = () => performance.now() }: PaceOptions): Pace {
  const releasedAt = new Map<string, number>()
  const windowGauge = metrics.gauge(
    'bulk_window_items',
    'Screenings of bulk jobs that may be under way at once',
  )
  const dwellGauge = metrics.gauge(
    'bulk_interactive_dwell_seconds',
    'Time interactive screens waited for their decision, 95th percentile, as the bulk coordinator sees it',
  )
  const capacityGauge = metrics.gauge(
    'bulk_capacity_items_per_second',
    'Screenings of bulk jobs a second at best',
  )
  const endedCount = metrics.counter('bulk_items_ended_total', 'Screenings of bulk jobs that ended')
  let window = INITIAL_WINDOW_ITEMS
  let capacityPerSecond: number | null = null
  let roundTripMs: number | null = null
  let dwellsMs: number[] = []
  let endedInPeriod = 0
  let isFull = false
  let periodBegan = now()

  return {
    window: () => window,
    released(reportIds) {
      const at = now()
      for (const reportId of reportIds) releasedAt.set(reportId, at)
      for (const oldest of releasedAt.keys()) {
        if (releasedAt.size <= MAX_REMEMBERED) break
        releasedAt.delete(oldest)
      }
    },
    ended(reportIds) {
      const at = now()
      endedInPeriod += reportIds.length
      endedCount.inc({}, reportIds.length)
      for (const reportId of reportIds) {
        const since = releasedAt.get(reportId)
        if (since === undefined) continue
        releasedAt.delete(reportId)
        roundTripMs =
          roundTripMs === null ? at - since : roundTripMs + ROUND_TRIP_WEIGHT * (at - since - roundTripMs)
      }
    },
    wasFull() {
      isFull = true
    },
    interactive(dwellMs) {
      if (dwellsMs.length < MAX_DWELL_SAMPLES) dwellsMs.push(dwellMs)
    },
    adapt() {
      const seconds = (now() - periodBegan) / 1_000
      const rate = seconds > 0 ? endedInPeriod / seconds : 0
      // Only a period in which there was work enough says what could be done.
      if (isFull && endedInPeriod > 0)
        capacityPerSecond = Math.max(rate, (capacityPerSecond ?? 0) * CAPACITY_KEPT)
      const interactiveDwellMs = percentile95(dwellsMs)
      window = nextWindow(window, {
        ...{ interactiveDwellMs, dwellTargetMs, capacityPerSecond, roundTripMs },
        wasFull: isFull,
      })
      windowGauge.set(window)
      dwellGauge.set((interactiveDwellMs ?? 0) / 1_000)
      capacityGauge.set(capacityPerSecond ?? 0)
      dwellsMs = []
      endedInPeriod = 0
      isFull = false
      periodBegan = now()
    },
  }
}

/** Null where there is nothing to say. */
function percentile95(values: number[]): number | null {
  if (values.length === 0) return null
  values.sort((a, b) => a - b)
  return values[Math.min(values.length - 1, Math.floor(values.length * 0.95))]!
}

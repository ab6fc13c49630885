/** Measures how long bulk and interactive screens take, and sets the window accordingly. */
import type { Metrics } from '@cupel/contracts'
import { INITIAL_WINDOW_ITEMS, nextWindow } from '@cupel/domain'

export interface Pace {
  /** Screenings that may be under way at once. */
  window(): number
  released(reportIds: readonly string[]): void
  ended(reportIds: readonly string[]): void
  /** The window was full while screenings waited. */
  wasFull(): void
  /** Time an interactive screen waited for its decision, in milliseconds. */
  interactive(dwellMs: number): void
  /** Closes a period of measurement, and sets the window for the next one. */
  adapt(): void
}

export interface PaceOptions {
  readonly dwellTargetMs: number
  readonly metrics: Metrics
  /** Clock readings in milliseconds. */
  readonly now?: () => number
}

/** Time between two decisions about the window. */
export const PACE_INTERVAL_MS = 250
/** The measured capacity shrinks by this factor per period: after some minutes it follows a machine that became slower. */
const CAPACITY_KEPT = 0.998
/** Weight of the newest round trip in the average. */
const ROUND_TRIP_WEIGHT = 0.1
/** Interactive screens measured per period. */
const MAX_DWELL_SAMPLES = 256
/** Releases remembered: more than the largest window. Older ones belong to cancelled jobs or to an earlier coordinator. */
const MAX_REMEMBERED = 8_192

export function createPace({ dwellTargetMs, metrics, now = () => performance.now() }: PaceOptions): Pace {
  const releasedAt = new Map<string, number>()
  const figures = createFigures(metrics)
  let window = INITIAL_WINDOW_ITEMS
  let capacityPerSecond: number | null = null
  let roundTripMs: number | null = null
  const interactive = createDwells(dwellTargetMs)
  let endedInPeriod = 0
  let isFull = false
  let periodBegan = now()

  return {
    window: () => window,
    released(reportIds) {
      const at = now()
      for (const reportId of reportIds) releasedAt.set(reportId, at)
      keepNewest(releasedAt, MAX_REMEMBERED)
    },
    ended(reportIds) {
      const at = now()
      endedInPeriod += reportIds.length
      figures.ended(reportIds.length)
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
    interactive: (dwellMs) => interactive.add(dwellMs),
    adapt() {
      const seconds = (now() - periodBegan) / 1_000
      const endedPerSecond = seconds > 0 ? endedInPeriod / seconds : 0
      const { screens, lateScreens, dwellMs } = interactive.take()
      // Only a period with enough work shows the capacity.
      if (isFull && endedPerSecond > 0)
        capacityPerSecond = Math.max(endedPerSecond, (capacityPerSecond ?? 0) * CAPACITY_KEPT)
      window = nextWindow(window, {
        isInteractiveLate: isLate(screens, lateScreens),
        ...{ capacityPerSecond, roundTripMs, wasFull: isFull },
      })
      endedInPeriod = 0
      isFull = false
      periodBegan = now()
      figures.adapted({ window, capacityPerSecond, dwellMs })
    },
  }
}

function keepNewest(map: Map<string, number>, count: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= count) break
    map.delete(oldest)
  }
}

/** Counts interactive screens, and gives the 95th percentile of how long some of them waited; null if there were none. */
function createDwells(targetMs: number): {
  add(dwellMs: number): void
  take(): { readonly screens: number; readonly lateScreens: number; readonly dwellMs: number | null }
} {
  let screens = 0
  let lateScreens = 0
  let samples: number[] = []
  return {
    add(dwellMs) {
      screens += 1
      if (dwellMs > targetMs) lateScreens += 1
      if (samples.length < MAX_DWELL_SAMPLES) samples.push(dwellMs)
    },
    take() {
      const taken = { screens, lateScreens, dwellMs: percentile95(samples) }
      screens = 0
      lateScreens = 0
      samples = []
      return taken
    },
  }
}

function createFigures(metrics: Metrics) {
  const window = metrics.gauge('bulk_window_items', 'Screenings of bulk jobs that may be under way at once')
  const dwell = metrics.gauge(
    'bulk_interactive_dwell_seconds',
    'Time interactive screens waited for their decision, 95th percentile, as the bulk coordinator sees it',
  )
  const capacity = metrics.gauge('bulk_capacity_items_per_second', 'Screenings of bulk jobs a second at best')
  const ended = metrics.counter('bulk_items_ended_total', 'Screenings of bulk jobs that ended')
  return {
    ended: (items: number) => ended.inc({}, items),
    adapted(now: { window: number; capacityPerSecond: number | null; dwellMs: number | null }) {
      dwell.set((now.dwellMs ?? 0) / 1_000)
      window.set(now.window)
      capacity.set(now.capacityPerSecond ?? 0)
    },
  }
}

/** Whether the 95th percentile of the screens is above the target. */
function isLate(screens: number, lateScreens: number): boolean {
  return lateScreens > 0 && lateScreens >= screens - Math.min(screens - 1, Math.floor(screens * 0.95))
}

/** Null if there are no values. */
function percentile95(values: number[]): number | null {
  if (values.length === 0) return null
  values.sort((a, b) => a - b)
  return values[Math.min(values.length - 1, Math.floor(values.length * 0.95))]!
}

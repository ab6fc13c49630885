/** Measures how long bulk and interactive screens take, and sets the window accordingly. */
import type { Metrics } from '@cupel/contracts'
import type { Dwells } from '@cupel/projections/heartbeats'
import { INITIAL_WINDOW_ITEMS, nextWindow } from '@cupel/domain'

export interface Pace {
  /** Screenings that may be under way at once. */
  window(): number
  released(reportIds: readonly string[]): void
  ended(reportIds: readonly string[]): void
  /** The window was full while screenings waited. */
  wasFull(): void
  /** Closes a period of measurement, and sets the window for the next one. `interactive`: what scorers told of the period. */
  adapt(interactive: Dwells): void
}

export interface PaceOptions {
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
/** Releases remembered: more than the largest window. Older ones belong to cancelled jobs or to an earlier coordinator. */
const MAX_REMEMBERED = 8_192

export function createPace({ metrics, now = () => performance.now() }: PaceOptions): Pace {
  const releasedAt = new Map<string, number>()
  const figures = createFigures(metrics)
  let window = INITIAL_WINDOW_ITEMS
  let capacityPerSecond: number | null = null
  let roundTripMs: number | null = null
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
    adapt(interactive) {
      const seconds = (now() - periodBegan) / 1_000
      const endedPerSecond = seconds > 0 ? endedInPeriod / seconds : 0
      // Only a period with enough work shows the capacity.
      if (isFull && endedPerSecond > 0)
        capacityPerSecond = Math.max(endedPerSecond, (capacityPerSecond ?? 0) * CAPACITY_KEPT)
      window = nextWindow(window, {
        isInteractiveLate: isLate(interactive),
        ...{ capacityPerSecond, roundTripMs, wasFull: isFull },
      })
      endedInPeriod = 0
      isFull = false
      periodBegan = now()
      figures.adapted({ window, capacityPerSecond })
    },
  }
}

function keepNewest(map: Map<string, number>, count: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= count) break
    map.delete(oldest)
  }
}

function createFigures(metrics: Metrics) {
  const window = metrics.gauge('bulk_window_items', 'Screenings of bulk jobs that may be under way at once')
  const capacity = metrics.gauge('bulk_capacity_items_per_second', 'Screenings of bulk jobs a second at best')
  const ended = metrics.counter('bulk_items_ended_total', 'Screenings of bulk jobs that ended')
  return {
    ended: (items: number) => ended.inc({}, items),
    adapted(now: { window: number; capacityPerSecond: number | null }) {
      window.set(now.window)
      capacity.set(now.capacityPerSecond ?? 0)
    },
  }
}

/** Whether the 95th percentile of the screens is above the target. */
function isLate({ screens, lateScreens }: Dwells): boolean {
  return lateScreens > 0 && lateScreens >= screens - Math.min(screens - 1, Math.floor(screens * 0.95))
}

/**
 * The number of items that may be in progress at once. Interactive screens come first: the window halves while they wait longer than their
 * target, and grows by a quarter otherwise. It never closes. Work in progress, divided by the time it takes, is the rate (Little 1961), so
 * that a window of 15 % of the measured capacity times the current round trip keeps 15 % of the rate.
 */

export interface WindowReading {
  /** Whether interactive screens recently waited longer than their target for their decision. */
  readonly isInteractiveLate: boolean
  /** Highest number of items per second, measured while there was enough work; null before the first measurement. */
  readonly capacityPerSecond: number | null
  /** Average time from the release of an item to its end; null before the first measurement. */
  readonly roundTripMs: number | null
  /** Whether the window limited the release. */
  readonly wasFull: boolean
}

export const INITIAL_WINDOW_ITEMS = 256
export const MIN_WINDOW_ITEMS = 8
export const MAX_WINDOW_ITEMS = 2_048
/** Share of the capacity that bulk keeps, even when interactive screens are busy. */
export const GUARANTEED_SHARE = 0.15
/** A cancelled job cannot take back work in progress: it is kept below this much time. */
const MAX_UNDER_WAY_MS = 500
const GROWTH = 1.25
const SHRINKAGE = 0.5

export function nextWindow(window: number, reading: WindowReading): number {
  const { isInteractiveLate, capacityPerSecond, roundTripMs, wasFull } = reading
  const floor =
    capacityPerSecond === null || roundTripMs === null
      ? MIN_WINDOW_ITEMS
      : (GUARANTEED_SHARE * capacityPerSecond * roundTripMs) / 1_000
  const ceiling =
    capacityPerSecond === null
      ? INITIAL_WINDOW_ITEMS
      : Math.max(INITIAL_WINDOW_ITEMS, (capacityPerSecond * MAX_UNDER_WAY_MS) / 1_000)
  // A window that is not full does not show the effect of a larger one.
  const wanted = isInteractiveLate ? window * SHRINKAGE : wasFull ? window * GROWTH : window
  return clamp(Math.ceil(clamp(wanted, floor, ceiling)), MIN_WINDOW_ITEMS, MAX_WINDOW_ITEMS)
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value))
}

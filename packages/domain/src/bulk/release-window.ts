/**
 * How many items may be under way at once. Interactive screens come first: the window halves while they wait longer than
 * their target, and grows by a quarter otherwise. It never shuts: work under way, divided by the time it takes, is the rate
 * (Little 1961), so that a window of 15 % of the measured capacity times the present round trip keeps 15 % of the rate.
 */

export interface WindowReading {
  /** Whether interactive screens waited longer than their target for their decision lately. */
  readonly isInteractiveLate: boolean
  /** Items per second at best, measured while there was work enough; null before anything was measured. */
  readonly capacityPerSecond: number | null
  /** Time from the release of an item to its end, on average; null before anything was measured. */
  readonly roundTripMs: number | null
  /** Whether the window was what held the release back. */
  readonly wasFull: boolean
  /** The largest window; MAX_WINDOW_ITEMS by default, for each of those that share it. */
  readonly maxItems?: number
}

export const INITIAL_WINDOW_ITEMS = 256
export const MIN_WINDOW_ITEMS = 8
export const MAX_WINDOW_ITEMS = 2_048
/** Share of the capacity that bulk keeps however busy interactive screens are. */
export const GUARANTEED_SHARE = 0.15
/** Work under way is what a cancelled job cannot take back: it is kept below this much time. */
const MAX_UNDER_WAY_MS = 500
const GROWTH = 1.25
const SHRINKAGE = 0.5

export function nextWindow(window: number, reading: WindowReading): number {
  const { isInteractiveLate, capacityPerSecond, roundTripMs, wasFull, maxItems = MAX_WINDOW_ITEMS } = reading
  const floor =
    capacityPerSecond === null || roundTripMs === null
      ? MIN_WINDOW_ITEMS
      : (GUARANTEED_SHARE * capacityPerSecond * roundTripMs) / 1_000
  const ceiling =
    capacityPerSecond === null
      ? INITIAL_WINDOW_ITEMS
      : Math.max(INITIAL_WINDOW_ITEMS, (capacityPerSecond * MAX_UNDER_WAY_MS) / 1_000)
  // A window nobody fills says nothing about what the next size would do.
  const wanted = isInteractiveLate ? window * SHRINKAGE : wasFull ? window * GROWTH : window
  return clamp(Math.ceil(clamp(wanted, floor, ceiling)), MIN_WINDOW_ITEMS, maxItems)
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value))
}

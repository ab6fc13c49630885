/** Percentiles of latencies that were measured in turns, and how far chance moves the ratio of two of them. */
import { mulberry32 } from '../load.js'

/** Latencies of one turn, in milliseconds. */
export type TurnLatencies = readonly number[]

export interface Ratio {
  readonly value: number
  /** 95 of 100 samples that are drawn from the turns, with repeats, give a ratio between these two. */
  readonly from: number
  readonly to: number
}

const SAMPLES = 1_000
const SEED = 20_261_123

/** Of the latencies of all turns together: the smallest that `share` of them do not exceed. */
export function pooledPercentile(turns: readonly TurnLatencies[], share: number): number {
  const all = Float64Array.from(turns.flat()).sort()
  if (all.length === 0) throw new RangeError('There are no latencies')
  return all[Math.max(0, Math.ceil(share * all.length) - 1)]!
}

/** How many times the percentile of `disturbed` is that of `quiet`. Whole turns are drawn: answers of one turn are not independent. */
export function pooledRatio(
  disturbed: readonly TurnLatencies[],
  quiet: readonly TurnLatencies[],
  share: number,
): Ratio {
  const random = mulberry32(SEED)
  const drawn = (turns: readonly TurnLatencies[]): TurnLatencies[] =>
    turns.map(() => turns[Math.floor(random() * turns.length)]!)
  const ratioOf = (one: readonly TurnLatencies[], other: readonly TurnLatencies[]): number =>
    pooledPercentile(one, share) / pooledPercentile(other, share)
  const samples = Array.from({ length: SAMPLES }, () => ratioOf(drawn(disturbed), drawn(quiet)))
  samples.sort((a, b) => a - b)
  return {
    value: ratioOf(disturbed, quiet),
    from: samples[Math.floor(0.025 * SAMPLES)]!,
    to: samples[Math.ceil(0.975 * SAMPLES) - 1]!,
  }
}

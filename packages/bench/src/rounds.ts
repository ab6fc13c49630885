/**
 * The slowdown of answers under another load. A round has three short turns with the same arrivals: two alone, and one beside the load.
 * Changes on the machine during a run affect all three turns of a round. The two turns alone differ by chance, so their ratio shows
 * how significant the other ratio is.
 */
import { mulberry32 } from './load.js'

export type TurnKind = 'one' | 'other' | 'beside'

/** The latencies of a turn in milliseconds. */
export type TurnLatencies = readonly number[]

/** The turns of one kind by round. */
export type RoundTurns = readonly TurnLatencies[]

export interface Ratio {
  readonly value: number
  /** The interval of 95 %. */
  readonly low: number
  readonly high: number
}

export interface Comparison {
  /** The percentile of all turns alone, and of all turns beside, in milliseconds. */
  readonly aloneMs: number
  readonly besideMs: number
  /** Beside ÷ alone. */
  readonly effect: Ratio
  /** One half of the turns alone ÷ the other. */
  readonly noise: Ratio
  /** The same for each round by itself, and the median of the rounds: a moment in which the machine stalls changes it little. */
  readonly median: { readonly effect: Ratio; readonly noise: Ratio }
}

const RESAMPLES = 2_000
/** The interval contains the resamples between the 2.5th and the 97.5th percentile. */
const TAIL = 0.025

/** Every order once, so that no kind of turn comes first more often. */
const ORDERS: readonly (readonly TurnKind[])[] = [
  ['one', 'other', 'beside'],
  ['beside', 'one', 'other'],
  ['other', 'beside', 'one'],
  ['other', 'one', 'beside'],
  ['beside', 'other', 'one'],
  ['one', 'beside', 'other'],
]

export function turnsOfRound(round: number): readonly TurnKind[] {
  return ORDERS[round % ORDERS.length]!
}

export function compareRounds(rounds: Readonly<Record<TurnKind, RoundTurns>>, share: number): Comparison {
  const { one, other, beside } = rounds
  const alone = one.map((latencies, round) => [...latencies, ...other[round]!])
  return {
    aloneMs: percentileOf(alone.flat(), share),
    besideMs: percentileOf(beside.flat(), share),
    effect: ratioOfPercentiles(beside, alone, share),
    noise: ratioOfPercentiles(other, one, share),
    median: {
      effect: medianOfRatios(beside, alone, share),
      noise: medianOfRatios(other, one, share),
    },
  }
}

/** The value below which this share of the values is. */
export function percentileOf(values: TurnLatencies, share: number): number {
  const sorted = Float64Array.from(values).sort()
  if (sorted.length === 0) throw new RangeError('There are no latencies')
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}

/**
 * The percentile of all rounds of `over` divided by that of `under`, with an interval of 95 % (bootstrap). Whole rounds are drawn,
 * because calls of one round are not independent of each other.
 */
export function ratioOfPercentiles(
  over: RoundTurns,
  under: RoundTurns,
  share: number,
  resamples = RESAMPLES,
): Ratio {
  const pooled = (turns: RoundTurns, rounds: readonly number[]): number =>
    percentileOf(
      rounds.flatMap((round) => turns[round]!),
      share,
    )
  return resampled(over.length, (rounds) => pooled(over, rounds) / pooled(under, rounds), resamples)
}

/** The median of the values of each round, with an interval of the same kind. */
export function medianOfRatios(
  over: RoundTurns,
  under: RoundTurns,
  share: number,
  resamples = RESAMPLES,
): Ratio {
  const ratios = over.map((turn, round) => percentileOf(turn, share) / percentileOf(under[round]!, share))
  return resampled(over.length, (rounds) => medianOf(rounds.map((round) => ratios[round]!)), resamples)
}

/** The value for all rounds, with the interval of its values for the same number of rounds drawn with repetition. */
function resampled(count: number, find: (rounds: readonly number[]) => number, resamples: number): Ratio {
  const rounds = Array.from({ length: count }, (_, round) => round)
  const random = mulberry32(1)
  const found = Array.from({ length: resamples }, () => find(rounds.map(() => Math.floor(random() * count))))
  return { value: find(rounds), low: percentileOf(found, TAIL), high: percentileOf(found, 1 - TAIL) }
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2
}

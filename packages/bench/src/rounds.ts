/**
 * The slowdown of answers under another load. A round has three short turns with the same arrivals: two quiet ones, and one with the
 * load. Changes on the machine during a run affect all three turns of a round. The two quiet turns differ by chance, so their ratio
 * shows how significant the other ratio is.
 */
import { mulberry32, percentileOf } from './load.js'

export type TurnKind = 'one' | 'other' | 'loaded'

/** The latencies of the turns of one kind, by round, in milliseconds. */
export type RoundTurns = readonly (readonly number[])[]

export interface Ratio {
  readonly value: number
  /** The interval of 95 %. */
  readonly low: number
  readonly high: number
}

export interface Comparison {
  /** The percentile of all quiet turns, and of all turns with the load, in milliseconds. */
  readonly quietMs: number
  readonly loadedMs: number
  /** With the load ÷ quiet. */
  readonly effect: Ratio
  /** One half of the quiet turns ÷ the other. */
  readonly noise: Ratio
}

const RESAMPLES = 2_000
/** The interval contains the resamples between the 2.5th and the 97.5th percentile. */
const TAIL = 0.025

/** Every order once, so that no kind of turn comes first more often. */
const ORDERS: readonly (readonly TurnKind[])[] = [
  ['one', 'other', 'loaded'],
  ['loaded', 'one', 'other'],
  ['other', 'loaded', 'one'],
  ['other', 'one', 'loaded'],
  ['loaded', 'other', 'one'],
  ['one', 'loaded', 'other'],
]

export function turnsOfRound(round: number): readonly TurnKind[] {
  return ORDERS[round % ORDERS.length]!
}

export function compareRounds(
  rounds: Readonly<Record<TurnKind, RoundTurns>>,
  share: number,
  resamples = RESAMPLES,
): Comparison {
  const { one, other, loaded } = rounds
  const quiet = one.map((latencies, round) => [...latencies, ...other[round]!])
  return {
    quietMs: percentileOf(quiet.flat(), share),
    loadedMs: percentileOf(loaded.flat(), share),
    effect: ratioOfPercentiles(loaded, quiet, share, resamples),
    noise: ratioOfPercentiles(other, one, share, resamples),
  }
}

/**
 * The percentile of all rounds of `over` divided by that of `under`, with an interval of 95 % (bootstrap). Whole rounds are drawn,
 * because calls of one round are not independent of each other.
 */
export function ratioOfPercentiles(
  over: RoundTurns,
  under: RoundTurns,
  share: number,
  resamples: number,
): Ratio {
  const rounds = over.map((_, round) => round)
  const random = mulberry32(1)
  const ratioOf = (drawn: readonly number[]): number => {
    const pooled = (turns: RoundTurns): number[] => drawn.flatMap((round) => turns[round]!)
    return percentileOf(pooled(over), share) / percentileOf(pooled(under), share)
  }
  const found = Array.from({ length: resamples }, () =>
    ratioOf(rounds.map(() => Math.floor(random() * rounds.length))),
  )
  return { value: ratioOf(rounds), low: percentileOf(found, TAIL), high: percentileOf(found, 1 - TAIL) }
}

export const ratioText = ({ value, low, high }: Ratio): string =>
  `${value.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`

/**
 * The slowdown of answers under another load. A round has three short turns with the same arrivals: two quiet ones, and one with the
 * load. Changes on the machine during a run affect all three turns of a round. The two quiet turns differ by chance, so their ratio
 * shows how significant the other ratio is.
 */
import { percentileOf } from './load.js'

export const turnKinds = ['one', 'other', 'loaded'] as const
export type TurnKind = (typeof turnKinds)[number]

/** The latencies of the turns of one kind, by round, in milliseconds. */
export type RoundTurns = readonly (readonly number[])[]

/** Of the rounds' own ratios: a moment in which the machine stands still changes their median little. */
export interface Ratio {
  readonly median: number
  readonly lowest: number
  readonly highest: number
}

export interface Comparison {
  /** The percentile of all quiet turns, and of all turns with the load, in milliseconds. */
  readonly quietMs: number
  readonly loadedMs: number
  /** With the load ÷ quiet. */
  readonly effect: Ratio
  /** One quiet turn ÷ the other. */
  readonly noise: Ratio
}

/** Each kind of turn comes in each place, and after each other kind, equally often in six rounds. */
export function turnsOfRound(round: number): readonly TurnKind[] {
  const turned = turnKinds.map((_, place) => turnKinds[(place + round) % turnKinds.length]!)
  return round % 6 < 3 ? turned : turned.toReversed()
}

export function compareRounds(turns: Readonly<Record<TurnKind, RoundTurns>>, share: number): Comparison {
  const { one, other, loaded } = turns
  const quiet = one.map((latencies, round) => [...latencies, ...other[round]!])
  return {
    quietMs: percentileOf(quiet.flat(), share),
    loadedMs: percentileOf(loaded.flat(), share),
    effect: ratioOf(loaded, quiet, share),
    noise: ratioOf(other, one, share),
  }
}

function ratioOf(over: RoundTurns, under: RoundTurns, share: number): Ratio {
  const values = (turns: RoundTurns): number[] => turns.map((turn) => percentileOf(turn, share))
  return ratioOfRounds(values(over), values(under))
}

/** Of two values of each round. */
export function ratioOfRounds(over: readonly number[], under: readonly number[]): Ratio {
  const ratios = over.map((value, round) => value / under[round]!)
  return { median: percentileOf(ratios, 0.5), lowest: Math.min(...ratios), highest: Math.max(...ratios) }
}

export const ratioText = ({ median, lowest, highest }: Ratio): string =>
  `${median.toFixed(2)} (${lowest.toFixed(2)} to ${highest.toFixed(2)})`

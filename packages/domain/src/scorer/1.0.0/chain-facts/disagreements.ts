/**
 * Finds where providers contradict one another. Only comparable facts are compared. State changes with every block, so amounts
 * are compared only for the same block. Counts never fall, so they are compared wherever the order of the blocks is known.
 */
import type { ChainFact } from '@cupel/contracts'
import { compareText } from '../risk/consider-labels.js'

export interface Disagreement {
  /** block, balance, tx_count, is_contract or `token:<asset>`. */
  readonly fact: string
  readonly values: readonly { readonly source: string; readonly value: string }[]
}

/** Every contradiction between two of the facts, by the name of what they differ on. */
export function findDisagreements(answered: readonly ChainFact[]): readonly Disagreement[] {
  const found = new Map<string, Disagreement>()
  for (const [index, a] of answered.entries()) {
    for (const b of answered.slice(index + 1)) {
      for (const contradiction of contradictions(a, b)) {
        if (!found.has(contradiction.fact)) found.set(contradiction.fact, contradiction)
      }
    }
  }
  return [...found.values()].sort((a, b) => compareText(a.fact, b.fact))
}

type Compare = (a: ChainFact, b: ChainFact) => readonly Disagreement[]

const comparisons: readonly Compare[] = [compareBlocks, compareAmounts, compareCounts, compareCode]

function contradictions(a: ChainFact, b: ChainFact): readonly Disagreement[] {
  return comparisons.flatMap((compare) => compare(a, b))
}

/** A fact is of exactly its block only where it names the block's hash; else the height is a lower bound. */
const isOfOneBlock = (fact: ChainFact): boolean => fact.height !== null && fact.blockHash !== null

const isOfSameBlock = (a: ChainFact, b: ChainFact): boolean =>
  isOfOneBlock(a) && a.height === b.height && a.blockHash === b.blockHash

function compareBlocks(a: ChainFact, b: ChainFact): readonly Disagreement[] {
  if (!isOfOneBlock(a) || !isOfOneBlock(b) || a.height !== b.height) return []
  return differing('block', a, b, ({ blockHash }) => blockHash)
}

function compareAmounts(a: ChainFact, b: ChainFact): readonly Disagreement[] {
  if (!isOfSameBlock(a, b)) return []
  const assets = a.tokens.map(({ asset }) => asset).filter((asset) => amountOf(b, asset) !== null)
  return [
    ...differing('balance', a, b, ({ balanceBaseUnits }) => balanceBaseUnits),
    ...assets.flatMap((asset) => differing(`token:${asset}`, a, b, (fact) => amountOf(fact, asset))),
  ]
}

const amountOf = (fact: ChainFact, asset: string): string | null =>
  fact.tokens.find((token) => token.asset === asset)?.amountBaseUnits ?? null

function compareCounts(a: ChainFact, b: ChainFact): readonly Disagreement[] {
  if (a.txCountKind !== b.txCountKind || a.txCount === null || b.txCount === null) return []
  if (!hasFallen(a, b) && !hasFallen(b, a) && !(isOfSameBlock(a, b) && a.txCount !== b.txCount)) return []
  return differing('tx_count', a, b, ({ txCount }) => String(txCount))
}

/** Whether the later state counts fewer. The earlier one must be of exactly its block; the later may be later still. */
function hasFallen(earlier: ChainFact, later: ChainFact): boolean {
  if (!isOfOneBlock(earlier) || later.height === null) return false
  return BigInt(earlier.height!) <= BigInt(later.height) && later.txCount! < earlier.txCount!
}

function compareCode(a: ChainFact, b: ChainFact): readonly Disagreement[] {
  return differing('is_contract', a, b, ({ isContract }) => (isContract === null ? null : String(isContract)))
}

/** A provider without a value contradicts none. */
function differing(
  fact: string,
  a: ChainFact,
  b: ChainFact,
  valueOf: (fact: ChainFact) => string | null,
): readonly Disagreement[] {
  const [valueOfA, valueOfB] = [valueOf(a), valueOf(b)]
  if (valueOfA === null || valueOfB === null || valueOfA === valueOfB) return []
  return [
    {
      fact,
      values: [
        { source: a.provider, value: valueOfA },
        { source: b.provider, value: valueOfB },
      ],
    },
  ]
}

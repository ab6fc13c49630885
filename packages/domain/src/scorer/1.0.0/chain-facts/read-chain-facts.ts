/** Reads recorded facts for a report: balance, transaction count, tokens, coverage, and whether the address has code. */
import type { ChainFact, Report } from '@cupel/contracts'
import { chainFactsOf } from '../tables/chain-table.js'
import { formatAmount } from './amount.js'
import type { CodeAtAddress } from '../risk/label-facts.js'
import type { ChainInputs } from './chain-inputs.js'
import { findDisagreements, type Disagreement } from './disagreements.js'

export type ChainDataCoverage = Report['coverage']['chain_data']

export interface ChainReading {
  /** In whole native assets with six decimals, rounded down, and the symbol. */
  readonly balance: string | null
  readonly balanceBaseUnits: string | null
  readonly txCount: number | null
  readonly txCountKind: string | null
  readonly balances: Report['balances']
  /** Each token as the first provider that reports it does. */
  readonly tokens: ChainFact['tokens']
  readonly coverage: ChainDataCoverage
  readonly codeAtAddress: CodeAtAddress
  /** A provider did not answer, came too late, or contradicts another: something may be missing from the judgement. */
  readonly isFaulted: boolean
}

const nobodyAsked: ChainReading = {
  balance: null,
  balanceBaseUnits: null,
  txCount: null,
  txCountKind: null,
  balances: [],
  tokens: [],
  coverage: { status: 'unavailable', source: null, height: null, as_of: null },
  codeAtAddress: 'unknown',
  isFaulted: false,
}

/** Reads the facts of one address on `chain`. The chain stage refuses facts of another chain before. */
export function readChainFacts(chain: string, { stage, facts }: ChainInputs): ChainReading {
  if (stage === '') return nobodyAsked
  const answered = stage === 'answered' ? facts.filter(({ error }) => error === null) : []
  const disagreements = findDisagreements(answered)
  const faults = facts.flatMap(({ provider, error }) => (error === null ? [] : [{ source: provider, error }]))
  const balanceFact = answered.find(({ balanceBaseUnits }) => balanceBaseUnits !== null)
  const countFact = findCount(answered)
  const shown = balanceFact ?? countFact ?? answered[0]
  const balanceBaseUnits = balanceFact?.balanceBaseUnits ?? null
  return {
    balance: balanceBaseUnits === null ? null : nativeAmount(chain, balanceBaseUnits),
    balanceBaseUnits,
    txCount: countFact?.txCount ?? null,
    txCountKind: countFact?.txCountKind ?? null,
    balances: tokensOf(answered).map(({ asset, amountBaseUnits, decimals }) => ({
      asset,
      amount: formatAmount(amountBaseUnits, decimals),
    })),
    tokens: tokensOf(answered),
    coverage: coverageOf(shown, faults, disagreements),
    codeAtAddress: codeAt(answered),
    isFaulted: faults.length > 0 || disagreements.length > 0 || answered.length === 0,
  }
}

/** A total count is preferred to a count of outgoing transactions; among equals the first in the order of trust counts. */
function findCount(answered: readonly ChainFact[]): ChainFact | undefined {
  const counting = answered.filter(({ txCount }) => txCount !== null)
  return counting.find(({ txCountKind }) => txCountKind === 'total') ?? counting[0]
}

function nativeAmount(chain: string, baseUnits: string): string {
  const known = chainFactsOf(chain)
  if (known === undefined) throw new Error(`unsupported_chain: ${chain}`)
  const { decimals, symbol } = known
  return `${formatAmount(baseUnits, decimals)} ${symbol}`
}

/** Each token with the amount of the first provider that reports it. */
function tokensOf(answered: readonly ChainFact[]): ChainFact['tokens'] {
  const first = new Map<string, ChainFact['tokens'][number]>()
  for (const token of answered.flatMap(({ tokens }) => tokens))
    if (!first.has(token.asset)) first.set(token.asset, token)
  return [...first.values()]
}

function coverageOf(
  shown: ChainFact | undefined,
  faults: readonly { readonly source: string; readonly error: string }[],
  disagreements: readonly Disagreement[],
): ChainDataCoverage {
  const isWhole = faults.length === 0 && disagreements.length === 0
  return {
    status: shown === undefined ? 'unavailable' : isWhole ? 'complete' : 'partial',
    source: shown?.provider ?? null,
    height: shown === undefined || shown.height === null ? null : Number(shown.height),
    as_of: shown?.fetchedAt ?? null,
    ...(faults.length > 0 ? { faults: [...faults] } : {}),
    ...(disagreements.length > 0
      ? { disagreements: disagreements.map(({ fact, values }) => ({ fact, values: [...values] })) }
      : {}),
  }
}

function codeAt(answered: readonly ChainFact[]): CodeAtAddress {
  const said = new Set(answered.flatMap(({ isContract }) => (isContract === null ? [] : [isContract])))
  if (said.size !== 1) return 'unknown'
  return said.has(true) ? 'contract' : 'none'
}

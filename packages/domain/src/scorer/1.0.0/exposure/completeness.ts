/** What the transfers of an address, and what providers say of it, tell against the claim that its history is complete. */
import type { ExposureNet, ExposureRecord } from '@cupel/contracts'
import type { ChainReading } from '../chain-facts/read-chain-facts.js'
import { findAsset, listAssets } from '../tables/asset-table.js'
import { chainFactsOf } from '../tables/chain-table.js'
import type { HistoryFault } from './history.js'
import type { Steps } from './steps.js'
import { openingLot } from './taint.js'
import { timelineOf } from './timeline.js'
import type { Transfer } from './transfer.js'

/** A transfer of such a chain is a share of a transaction, so only the net of whole transactions is exact. */
const spendsOutputs = (chain: string): boolean => chainFactsOf(chain)?.spendsTogether === true

export interface OwnHistory {
  readonly chain: string
  readonly address: string
  /** Transfers of the address that moved value of a known asset, created and destroyed value among them. */
  readonly moved: readonly Transfer[]
  /** As the ledger knows it from whole transactions; null where it does not. */
  readonly netBaseUnits: bigint | null
}

/** What transfers explain of each token that an account moved. */
export function explainedTokens({ chain, address, moved }: OwnHistory): readonly ExposureNet[] {
  const nets = new Map<string, bigint>()
  for (const { contract, to, amount } of moved) {
    if (contract === '') continue
    nets.set(contract, (nets.get(contract) ?? 0n) + (to === address ? amount : -amount))
  }
  return [...nets]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([contract, net]) => ({
      asset: findAsset(chain, contract)!.symbol,
      decimals: findAsset(chain, contract)!.decimals,
      baseUnits: net.toString(),
    }))
}

/** The balance that transfers explain, base units of the native asset; null where it is not known. */
export function explainedBalance({ chain, address, moved, netBaseUnits }: OwnHistory): bigint | null {
  if (moved.length === 0) return netBaseUnits ?? 0n
  if (spendsOutputs(chain)) return netBaseUnits
  let net = 0n
  for (const { contract, to, amount } of moved) if (contract === '') net += to === address ? amount : -amount
  return net
}

/** Whether the address sent more of an asset than it had received before: then something that it received is not known. */
export function* hasShortfall(history: OwnHistory): Steps<boolean> {
  const { chain, address, moved, netBaseUnits } = history
  if (spendsOutputs(chain)) return netBaseUnits !== null && netBaseUnits < 0n
  for (const contract of new Set(moved.map((one) => one.contract))) {
    const ofAsset = moved.filter((one) => one.contract === contract)
    if (yield* sendsMoreThanItHas(address, ofAsset)) return true
  }
  return false
}

export interface Upstream {
  readonly chain: string
  /** The screened address. */
  readonly address: string
  /** Transfers of the address and of those that are followed; all that moved value of a known asset count. */
  readonly transfers: readonly Transfer[]
  /** The address's own. */
  readonly own: readonly Transfer[]
  readonly followed: readonly string[]
  readonly hops: number
}

/**
 * Whether an address that value came from, directly or over others that are followed, sent more of an asset than it had received
 * before: then something that it received is not known, and may have been illicit. Shares of transactions do not tell.
 */
export function* hasUpstreamShortfall({
  chain,
  address,
  transfers,
  own,
  followed,
  hops,
}: Upstream): Steps<boolean> {
  if (spendsOutputs(chain)) return false
  const isFollowed = new Set(followed)
  for (const contract of new Set(own.map((one) => one.contract))) {
    const ofAsset = transfers.filter((one) => one.contract === contract && movesValue(chain, one))
    const senders = new Set(
      own.filter((one) => one.contract === contract && one.to === address).map(({ from }) => from),
    )
    const seen = new Set([address])
    for (let hop = 1, reached = [...senders]; hop < hops && reached.length > 0; hop += 1) {
      const next = new Set<string>()
      for (const at of reached) {
        if (seen.has(at) || !isFollowed.has(at)) continue
        seen.add(at)
        const touching = ofAsset.filter(({ from, to }) => from === at || to === at)
        if (yield* sendsMoreThanItHas(at, touching)) return true
        for (const { from, to } of touching) if (to === at) next.add(from)
      }
      reached = [...next]
    }
  }
  return false
}

/** By the timeline of one asset. */
function* sendsMoreThanItHas(address: string, ofAsset: readonly Transfer[]): Steps<boolean> {
  const { transfers } = yield* timelineOf(address, ofAsset)
  return openingLot(transfers.map(({ to, amount }) => ({ incoming: to === address, amount }))) > 0n
}

/** Whether a transfer changes what its parties own: more than those that count as edges between two counterparties. */
export const movesValue = (chain: string, { contract, from, to, amount }: Transfer): boolean =>
  amount > 0n && from !== to && findAsset(chain, contract) !== undefined

/** Reasons that concern an item, not the total of all value. */
const faultsOfItems: ReadonlySet<string> = new Set<HistoryFault>([
  'execution_unknown',
  'unknown_order',
  'intermediary_shortfall',
  'intermediary_unread',
])

/** Whether T is all there ever was, as far as these reasons tell. */
export const totalsHold = (incomplete: readonly string[]): boolean =>
  incomplete.every((reason) => faultsOfItems.has(reason))

type ProviderFacts = Pick<
  ChainReading,
  'balanceBaseUnits' | 'tokens' | 'txCount' | 'txCountKind' | 'codeAtAddress'
>

/**
 * The record as the facts of providers leave it: where they falsify the history, it is incomplete, and so are all totals. Decisions
 * use this record; the one that was measured is what a report records.
 */
export function falsifyCompleteness(
  chain: string,
  record: ExposureRecord,
  facts: ProviderFacts,
): ExposureRecord {
  const found = falsifiedBy(chain, record, facts).filter((reason) => !record.incomplete.includes(reason))
  if (found.length === 0) return record
  return {
    ...record,
    historyComplete: false,
    incomplete: [...record.incomplete, ...found],
    measures: record.measures.map((one) => ({ ...one, totalComplete: false })),
    breakdown: record.breakdown.map((one) => ({ ...one, totalComplete: false })),
  }
}

function falsifiedBy(chain: string, record: ExposureRecord, facts: ProviderFacts): readonly HistoryFault[] {
  if (record.status !== 'examined' && record.status !== 'absent') return []
  return [
    ...(contradictsBalance(chain, record, facts) ? (['balance_mismatch'] as const) : []),
    ...(contradictsCount(record, facts) ? (['count_mismatch'] as const) : []),
  ]
}

/** Of the native asset and of every token that a provider reports. */
function contradictsBalance(chain: string, record: ExposureRecord, facts: ProviderFacts): boolean {
  const { netBaseUnits, nets } = record
  const { balanceBaseUnits, txCount } = facts
  // Where transfers were only added up, the native balance is not known, and neither are those of tokens.
  if (netBaseUnits === null) return false
  if (spendsOutputs(chain)) return balanceBaseUnits !== null && balanceBaseUnits !== netBaseUnits
  const native = findAsset(chain, '')!
  const differs = (balance: bigint, explained: bigint, dust: bigint): boolean =>
    balance > explained || (txCount !== null && balance < explained - dust * BigInt(txCount))
  if (balanceBaseUnits !== null && differs(BigInt(balanceBaseUnits), BigInt(netBaseUnits), native.dust))
    return true
  return facts.tokens.some(({ asset, amountBaseUnits, decimals }) => {
    const explained = nets.filter((one) => one.asset === asset)
    const unitsOf = (units: string, digits: number): bigint => BigInt(units) * 10n ** BigInt(MOST_DECIMALS - digits)
    const sum = explained.reduce((all, one) => all + unitsOf(one.baseUnits, one.decimals), 0n)
    const known = listAssets().find((one) => one.chain === chain && one.symbol === asset)
    const dust = known === undefined ? 0n : unitsOf(known.dust.toString(), known.decimals)
    return differs(unitsOf(amountBaseUnits, decimals), sum, dust)
  })
}

/** No token has more. */
const MOST_DECIMALS = 255

/** A contract's count of outgoing transactions counts what it created. */
function contradictsCount(
  { ownTransfers, breakdown }: ExposureRecord,
  { txCount, txCountKind, codeAtAddress }: ProviderFacts,
): boolean {
  if (txCount === null) return false
  if (txCountKind === 'total') return txCount > 0 !== ownTransfers > 0
  if (codeAtAddress === 'contract') return false
  return txCount > 0 !== breakdown.some(({ direction }) => direction === 'out')
}

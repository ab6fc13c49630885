/**
 * Recommends what to do with a transfer. The counterparty is judged as in every screening; this adds what can be proven of the transfer
 * itself. Every reason can make the recommendation worse, and none makes it better.
 */
import type { ExposureBreakdown, Report, TransferTerms } from '@cupel/contracts'
import type { CodeAtAddress } from '../risk/label-facts.js'
import type { CompiledPolicy } from '../risk/policy.js'
import {
  baseUnits,
  decimalAmount,
  findAsset,
  isAssetContract,
  isBurnAddress,
  measuredAs,
  type Asset,
} from '../tables/asset-table.js'
import { riskCategories, type RiskLevel } from '../vocabulary.js'
import { defaultForUnreadHash, worstRecommendation, type Recommendation } from './transfer-policy.js'
import type { TransferReason } from './transfer-reasons.js'

export type JudgedTransfer = NonNullable<Report['transfer']>

export interface TransferFacts {
  readonly terms: TransferTerms
  readonly chain: string
  readonly policy: CompiledPolicy
  readonly counterparty: {
    readonly canonicalAddress: string
    readonly level: RiskLevel
    readonly isDesignated: boolean
    readonly scoreIsLowerBound: boolean
    readonly areListsComplete: boolean
    readonly missesStages: boolean
    readonly code: CodeAtAddress
    /** What the ledger says of its funds; empty where it was not examined. */
    readonly breakdown: readonly ExposureBreakdown[]
  }
  /** What the labels of the own address say; nobody else knows its funds better than the caller. */
  readonly own: { readonly level: RiskLevel; readonly isDesignated: boolean }
}

interface StatedReason {
  readonly code: TransferReason
  readonly recommendation: Recommendation
}

const PPM = 1_000_000n
const USD_DECIMALS = 6
/** Categories of a breakdown that nobody recommends to take. */
const illicit: ReadonlySet<string> = new Set(riskCategories)

/** What may be said of a transaction. A word that this version does not know tells nothing. */
const TOLD: ReadonlySet<string> = new Set([
  ...['planned', 'seen', 'not_seen', 'contradicted', 'no_ledger'],
  ...['failed', 'unconfirmed', 'other_senders', 'disagreement'],
])

export function judgeTransfer(facts: TransferFacts): JudgedTransfer {
  const { terms, chain } = facts
  const asset = terms.contract === null ? undefined : findAsset(chain, terms.contract)
  const units = asset === undefined ? null : baseUnits(terms.amount, asset.decimals)
  const funds = fundsOf(facts, asset, units)
  const reasons = reasonsOf(facts, asset, funds)
  return {
    recommendation: worstRecommendation(reasons.map(({ recommendation }) => recommendation)),
    reasons: reasons.map((reason) => ({ ...reason })),
    direction: terms.direction,
    own_address: terms.ownAddress,
    transaction_hash: terms.txHash,
    planned: terms.txHash === null,
    asset: {
      symbol: asset?.symbol ?? null,
      contract: terms.contract === '' ? null : terms.contract,
      is_known: asset !== undefined,
    },
    amount: units === null ? terms.amount : decimalAmount(units, asset!.decimals),
    amount_base_units: units?.toString() ?? null,
    value_usd: valueUsd(terms, asset, units),
    priced_on: terms.pricedOn,
    funds: funds?.shown ?? null,
    ledger: {
      status: terms.seen,
      snapshot: terms.ledgerSeq === 0 ? null : String(terms.ledgerSeq),
      ...(terms.toldBy === '' ? {} : { provider: terms.toldBy }),
      ...(terms.lookup === '' ? {} : { lookup: terms.lookup }),
    },
  }
}

function reasonsOf(facts: TransferFacts, asset: Asset | undefined, funds: Funds | null): readonly StatedReason[] {
  const { terms, chain, counterparty, policy } = facts
  const { transfers } = policy
  const reasons: StatedReason[] = []
  const state = (isSo: boolean, code: TransferReason, recommendation: Recommendation): void => {
    if (isSo) reasons.push({ code, recommendation })
  }
  const { level, canonicalAddress } = counterparty
  state(counterparty.isDesignated, 'designated_counterparty', transfers.designated)
  state(true, `counterparty_${level}`, transfers.levels[level])
  state(facts.own.isDesignated, 'designated_own_address', transfers.designated)
  state(!facts.own.isDesignated && facts.own.level === 'red', 'own_address_red', transfers.levels.red)
  state(facts.own.level === 'orange', 'own_address_orange', transfers.levels.orange)
  state(counterparty.missesStages, 'missing_stages', 'review')
  state(!counterparty.areListsComplete, 'lists_not_complete', 'review')
  // Green has no score to be higher: what its level does not need may be missing.
  state(counterparty.scoreIsLowerBound && level !== 'green', 'score_is_lower_bound', 'review')
  state(funds?.isIllicit === true, 'illicit_funds', 'review')
  state(funds?.isMore === true, 'more_than_history', 'review')
  const isOfLedger = terms.toldBy === ''
  state(terms.seen === 'contradicted' && isOfLedger, 'contradicts_ledger', 'review')
  state(!TOLD.has(terms.seen), 'not_searched', 'review')
  state(asset === undefined, 'unknown_token', 'review')
  state(terms.symbolLies, 'lying_symbol', 'review')
  state(/^[0.]*$/.test(terms.amount), 'zero_amount', 'review')
  state(terms.ownCanonicalAddress === canonicalAddress, 'self_transfer', 'review')
  state(isBurnAddress(canonicalAddress), 'burn_address', 'review')
  const isTokenContract = isAssetContract(chain, canonicalAddress) || terms.contract === canonicalAddress
  state(isTokenContract, 'token_contract', 'review')
  state(!isTokenContract && counterparty.code === 'contract', 'counterparty_is_contract', 'allow')
  const isUnread = terms.seen === 'not_seen' || terms.seen === 'no_ledger'
  const unread = transfers.unread_hash ?? defaultForUnreadHash
  state(isUnread, 'not_in_ledger', unread)
  state(terms.seen === 'seen' && !isOfLedger, 'told_by_provider', 'allow')
  state(terms.seen === 'contradicted' && !isOfLedger, 'contradicts_provider', 'review')
  state(terms.seen === 'failed', 'transaction_failed', 'review')
  state(terms.seen === 'unconfirmed', 'transaction_unconfirmed', 'review')
  state(terms.seen === 'other_senders', 'other_senders', 'review')
  state(terms.seen === 'disagreement', 'providers_disagree', 'review')
  state(terms.lookup === 'not_found', 'not_found_by_provider', unread)
  state(terms.lookup !== '' && terms.lookup !== 'not_found', 'provider_unread', unread)
  return reasons
}

interface Funds {
  readonly shown: NonNullable<JudgedTransfer['funds']>
  /** Illicit value is at least the share of the policy. */
  readonly isIllicit: boolean
  /** The amount is more than a whole history has of the asset. */
  readonly isMore: boolean
}

/**
 * What is known of funds like these: where those of the sender of an incoming transfer came from, and where those of the receiver of an outgoing
 * one went.
 */
function fundsOf(
  { terms: { direction }, counterparty, policy }: TransferFacts,
  asset: Asset | undefined,
  units: bigint | null,
): Funds | null {
  if (asset === undefined || units === null) return null
  const measured = measuredAs(asset)
  const side = direction === 'incoming' ? 'in' : 'out'
  const found = counterparty.breakdown.find(
    (one) => one.direction === side && one.contract === measured.contract,
  )
  if (found === undefined) return null
  const total = BigInt(found.total)
  const amount = units * measured.factor
  const bad = found.parts
    .filter(({ category }) => illicit.has(category))
    .reduce((sum, part) => sum + BigInt(part.amount), 0n)
  return {
    shown: {
      direction,
      asset: found.asset,
      total: `${decimalAmount(total, found.decimals)} ${found.asset}`,
      total_complete: found.totalComplete,
      by_category: found.parts.map(({ category, relation, amount: value }) => ({
        category,
        relation: relation === '' ? null : relation,
        share: total === 0n ? 0 : Number(share(BigInt(value), total)) / Number(PPM),
        amount: `${decimalAmount(total === 0n ? 0n : (amount * BigInt(value)) / total, found.decimals)} ${found.asset}`,
      })),
    },
    isIllicit: bad > 0n && bad * PPM >= BigInt(policy.illicitSharePpm) * total,
    isMore: direction === 'incoming' && found.totalComplete && amount > total,
  }
}

/** In parts per million, rounded half up. */
const share = (part: bigint, whole: bigint): bigint => (2n * part * PPM + whole) / (2n * whole)

function valueUsd({ microUsd }: TransferTerms, asset: Asset | undefined, units: bigint | null): string | null {
  if (microUsd === null || asset === undefined || units === null) return null
  return decimalAmount((units * BigInt(microUsd)) / 10n ** BigInt(asset.decimals), USD_DECIMALS)
}

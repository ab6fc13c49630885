/**
 * A second calculation of what a decision knows beside labels, written only from the rules: why an address is grey, whether its score
 * is a lower bound, and what was not examined. It uses tables of words and sets, and no code of the product.
 */
import type { ChainFact, ExposureRecord } from '@cupel/contracts'
import type { JudgementFacts } from '../src/index.js'
import { referenceJudgement } from './reference-judgement.js'

export interface ChainCase {
  /** Labels, lists, cluster and policy; the answers below determine `codeAtAddress`. */
  readonly facts: JudgementFacts
  readonly exposure: ExposureRecord | null
  readonly stage: '' | 'answered' | 'failed' | 'late'
  readonly answers: readonly ChainFact[]
}

export interface KnowledgeCase extends ChainCase {
  /** The other chains on which the address is possible; none if the caller names its chain. */
  readonly candidates: readonly ChainCase[]
}

export interface ReferenceKnowledge {
  readonly level: string
  readonly score: number
  readonly levelReasons: readonly string[]
  readonly scoreIsLowerBound: boolean
  readonly notExamined: readonly string[]
  /** Status, reason, and the missing parts. */
  readonly exposure: string
  /** Chain, level, score and reasons of each further chain that was judged. */
  readonly otherChains: readonly string[]
}

// prettier-ignore
const withTraces = new Set(['ETH', 'BSC', 'MATIC', 'ARB', 'OP', 'BASE', 'AVAX', 'FTM', 'GNO', 'CELO', 'LINEA', 'ETC', 'ZKSYNC', 'SCROLL', 'MNT', 'TRX'])
const withTokens = new Set(['ETH', 'BSC', 'TRX', 'SOL', 'XRP'])
const ofOutputs = new Set(['BTC', 'LTC', 'DOGE', 'BCH', 'DASH', 'ZEC', 'BSV', 'BTG', 'XVG'])
const ofLabels = new Set(['conflict', 'stale_labels', 'no_sanctions_list', 'list_incomplete'])

type ChainKnowledge = Omit<ReferenceKnowledge, 'otherChains'>

/** The answer is the worst of the chains that know the address. It describes the detected one. */
export function referenceKnowledge(given: KnowledgeCase): ReferenceKnowledge {
  const detected = onOneChain(given)
  const others = given.candidates
    .filter((one) => isKnownOn(one, given))
    .map((one) => ({ chain: one.facts.chain, ...onOneChain(one) }))
  const all = [detected, ...others]
  const level = ['red', 'orange', 'grey'].find((worst) => all.some((one) => one.level === worst)) ?? 'green'
  const isCleared = others.every((one) => one.level === 'green')
  return {
    ...detected,
    level,
    score: Math.max(...all.map((one) => one.score)),
    levelReasons:
      level !== 'grey' ? [] : [...detected.levelReasons, ...(isCleared ? [] : ['candidate_chain'])].sort(),
    scoreIsLowerBound: all.some((one) => one.scoreIsLowerBound),
    otherChains: others.map((one) => `${one.chain} ${one.level} ${one.score} ${one.levelReasons.join()}`),
  }
}

/** Labels that the detected chain has as well know only their own chain. What nobody could say may be known. */
function isKnownOn({ facts, exposure, stage, answers }: ChainCase, detected: ChainCase): boolean {
  const shared = new Set(detected.facts.labels.map(({ labelId }) => labelId))
  const byLabels = facts.labels.some((one) => !shared.has(one.labelId) || one.chain === facts.chain)
  const byLedger = (facts.cluster ?? null) !== null || !['absent', undefined].includes(exposure?.status)
  const byProvider =
    ['failed', 'late'].includes(stage) ||
    answers.some((one) => {
      const isUnused = (Number(one.balanceBaseUnits) || 0) === 0 && (one.txCount ?? 0) === 0
      return one.error !== null || !isUnused || one.isContract === true || one.tokens.length > 0
    })
  return byLabels || byLedger || byProvider
}

function onOneChain(given: ChainCase): ChainKnowledge {
  const { facts, exposure, stage, answers } = given
  const byLabels = referenceJudgement(facts)
  const good = stage === 'answered' ? answers.filter(({ error }) => error === null) : []
  const isFaulted = stage !== '' && (good.length === 0 || answers.some(({ error }) => error !== null))
  const wasDropped = exposure !== null && ['late', 'failed'].includes(exposure.status)
  const clusterFailed = facts.cluster?.stopped === 'failed'
  const contradictions = exposure === null || wasDropped ? [] : contradictionsOf(facts.chain, exposure, good)
  const missing = [...new Set([...(exposure?.incomplete ?? []), ...contradictions])]
  const isWhole = exposure !== null && exposure.historyComplete && contradictions.length === 0
  const saysNothing = exposure === null || wasDropped || (exposure.status === 'absent' && !isWhole)
  const isPartial =
    !saysNothing &&
    (!isWhole || missing.length > 0 || exposure.truncated || exposure.hopsSearched < 2 || isFaulted)

  const ofChain: string[] = []
  if (saysNothing && good.length === 0) ofChain.push('no_chain_data')
  if (saysNothing && good.length > 0) {
    ofChain.push('partial')
    const counted = good.find(({ txCountKind }) => txCountKind === 'total')
    if (counted?.txCount === 0) ofChain.push('no_history')
  }
  if (isPartial) ofChain.push('partial', ...missing)
  if (!saysNothing && exposure.ownTransfers === 0) ofChain.push('no_history')
  if (!saysNothing && facts.chain === 'XMR') ofChain.push('hidden_amounts')
  if (!saysNothing && exposure.ownTransfers > 0 && !isExplained(exposure)) ofChain.push('unattributed')

  const reasons = new Set(byLabels.levelReasons.filter((reason) => ofLabels.has(reason)))
  // By labels only, an address that is not a clean service lacks chain data.
  const isClean = !byLabels.levelReasons.includes('no_chain_data')
  if (!isClean) {
    const isAttributed = byLabels.levelReasons.includes('weak_attribution')
    if (isAttributed && ofChain.length > 0) reasons.add('weak_attribution')
    for (const reason of ofChain) reasons.add(reason)
  }
  if (clusterFailed || wasDropped) reasons.add('partial')
  const isGrey = byLabels.level === 'grey' || byLabels.level === 'green'
  return {
    level: !isGrey ? byLabels.level : reasons.size === 0 ? 'green' : 'grey',
    score: byLabels.score,
    levelReasons: isGrey ? [...reasons].sort() : [],
    scoreIsLowerBound:
      byLabels.scoreIsLowerBound ||
      isFaulted ||
      wasDropped ||
      (saysNothing
        ? missing.some((reason) => reason.endsWith('_mismatch'))
        : exposure.truncated || missing.length > 0),
    notExamined: notExaminedIn(given, byLabels.clusterHoldsService),
    exposure: saysNothing
      ? `unavailable ${exposure === null ? 'not_configured' : wasDropped ? exposure.status : 'no_transfers'} ${missing.sort().join()}`
      : `${isPartial ? 'partial' : 'complete'} null ${missing.sort().join()}`,
  }
}

/** Contradictions between providers and a history that claims to be whole. */
function contradictionsOf(
  chain: string,
  exposure: ExposureRecord,
  good: readonly ChainFact[],
): readonly string[] {
  const said: string[] = []
  const counts = good.filter(({ txCount }) => txCount !== null)
  const total = counts.find(({ txCountKind }) => txCountKind === 'total')
  const balance = good.map(({ balanceBaseUnits }) => balanceBaseUnits).find((one) => one !== null)
  if (balance !== undefined && exposure.netBaseUnits !== null) {
    const excess = BigInt(balance) - BigInt(exposure.netBaseUnits)
    // The drawn balances are below dust, so fees explain any that is too low after at least one transaction.
    const lacksWithoutFees = excess < 0n && (total ?? counts[0])?.txCount === 0
    if (ofOutputs.has(chain) ? excess !== 0n : excess > 0n || lacksWithoutFees) said.push('balance_mismatch')
  }
  const hasSent = exposure.breakdown.some(({ direction }) => direction === 'out')
  if (total !== undefined) {
    if ((total.txCount === 0) === exposure.ownTransfers > 0) said.push('count_mismatch')
  } else if (counts.length > 0 && !good.some(({ isContract }) => isContract === true)) {
    if ((counts[0]!.txCount === 0) === hasSent) said.push('count_mismatch')
  }
  return said
}

/** Nine tenths of what came in are from exchanges, or were issued. The drawn records have one asset. */
function isExplained({ breakdown }: ExposureRecord): boolean {
  const incoming = breakdown.find(({ direction }) => direction === 'in')
  const explained = (incoming?.parts ?? []).filter(({ category }) =>
    ['clean_exchange', 'issuance'].includes(category),
  )
  const sum = explained.reduce((total, { amount }) => total + Number(amount), 0)
  return incoming !== undefined && sum >= Number(incoming.total) * 0.9
}

function notExaminedIn(
  { facts: { chain, cluster = null }, exposure }: ChainCase,
  clusterHoldsService: boolean,
): readonly string[] {
  const wasRead = exposure !== null && !['late', 'failed'].includes(exposure.status)
  const words = ['cross_chain']
  if (withTraces.has(chain) && !(wasRead && exposure.ranges.some(({ kind }) => kind === 'internal')))
    words.push('internal_transfers')
  if (withTokens.has(chain)) {
    if (!(wasRead && exposure.ranges.some(({ kind }) => kind === 'token'))) words.push('tokens')
    words.push('swaps')
  }
  words.push('beyond_hops')
  const clusterIsSilent = cluster !== null && (cluster.stopped !== '' || clusterHoldsService)
  if (!ofOutputs.has(chain) || !wasRead || clusterIsSilent) words.push('clusters')
  if (chain === 'SOL') words.push('token_accounts')
  if (chain === 'XMR') words.push('amounts')
  return words
}

/**
 * Decides a screening from labels, from chain data (balance, transaction count, tokens, code at the address) and from
 * exposure measured on the ledger. Without providers and without a ledger it decides only from labels.
 */
import type { CandidateRecord, Evidence, Report, ReportGenerated } from '@cupel/contracts'
import { noChainInputs } from '../chain-facts/chain-inputs.js'
import { readChainFacts, type ChainReading } from '../chain-facts/read-chain-facts.js'
import { canonicalJson, sha256Hex, type Sha256Hex } from '../json/canonical-json.js'
import { restsOnDemo } from '../risk/demo.js'
import { judge, type Judgement } from '../risk/judge.js'
import type { LabelViewState } from '../risk/label-facts.js'
import type { LevelReason } from '../risk/level-reasons.js'
import type { ChainKnowledge } from '../risk/level.js'
import { ASSET_TABLE_VERSION } from '../tables/asset-table.js'
import { CHAIN_TABLE_VERSION } from '../tables/chain-table.js'
import { judgeTransfer, type JudgedTransfer } from '../transfers/judge-transfer.js'
import { SCORER_VERSION } from '../version.js'
import { worstOf } from './candidates.js'
import { readExposure, type ExposureReading } from './exposure-reading.js'
import { labelState } from './label-state.js'
import { notExamined } from './not-examined.js'
import { buildReport } from './report-document.js'
import type { ChainFindings, ScreeningInputs } from './screening-inputs.js'

/** Decides a screening: returns the report with the record of its inputs. */
export function scoreScreening(inputs: ScreeningInputs, sha256: Sha256Hex = sha256Hex): ReportGenerated {
  const { request, snapshot, policy, generatedAt, chainInputs = noChainInputs, candidates = [] } = inputs
  const { exposure = null, cluster = null } = inputs
  if (snapshot.labelView === 'missing') throw new Error('unavailable: a screening needs labels')
  const { labels } = snapshot
  const onDetected = { chain: request.chain, canonicalAddress: request.canonicalAddress, labels }
  const detected = judgeOn({ ...onDetected, chainInputs, exposure, cluster }, inputs, unreadBy(inputs.historyReading))
  const others = candidates.map((one) => judgeOn(one, inputs))
  const judgement = worstOf(detected.judgement, others.map((one) => one.judgement))
  const { chainReading, exposureReading } = detected
  const own = judgeOwnSide(inputs)
  const isOfDemo = [detected, ...others].some((one) => restsOnDemo(one.findings))
  const report = reportOf(inputs, judgement, { chainReading, exposureReading, others, own, isOfDemo })
  const { sanctions, darknet, mixer, scam, stolen, clean_exchange: cleanExchange } = report.risk.categories
  return {
    ...request,
    transfer: request.transfer ?? null,
    recommendation: report.transfer?.recommendation ?? null,
    report: JSON.stringify(report),
    level: judgement.level,
    score: report.risk.score,
    categories: { sanctions, darknet, mixer, scam, stolen, cleanExchange },
    levelReasons: judgement.levelReasons,
    scoreIsLowerBound: judgement.scoreIsLowerBound,
    generatedAt,
    reportSha256: sha256(canonicalJson(report)),
    inputs: {
      labelSetSeq: snapshot.labelSetSeq,
      labelView: snapshot.labelView,
      labelStateSha256: labelState(snapshot).sha256,
      labels: judgement.considered,
      ownAddressLabels: own === null ? [] : own.considered,
      cluster: judgement.cluster,
      policyId: policy.document.id,
      policyVersion: policy.document.version,
      policySha256: policy.sha256,
      chainTableVersion: CHAIN_TABLE_VERSION,
      originTableVersion: inputs.originTableVersion,
      assetTableVersion: ASSET_TABLE_VERSION,
      scorerVersion: SCORER_VERSION,
      chainStage: chainInputs.stage,
      chainFacts: chainInputs.facts,
      historyReading: inputs.historyReading ?? null,
      exposure,
      candidates: others.map(recordOf),
    },
  }
}

/** What is known of the address on one chain, and what follows from it there. */
interface JudgedChain {
  readonly findings: ChainFindings
  readonly chainReading: ChainReading
  readonly exposureReading: ExposureReading
  readonly judgement: Judgement
}

/** Reasons of readings that stand in reports by a word of their own. */
const reasonsOfReading: Readonly<Record<string, LevelReason>> = {
  unconfirmed: 'history_unconfirmed',
  disagreement: 'history_disagreement',
  not_allowed: 'history_not_allowed',
}

/** A history that is not read yet, or could not be read, on whichever chain that is judged, might have raised the score. Null if there is none. */
function unreadBy(reading: ScreeningInputs['historyReading']): LevelReason | null {
  if (reading === undefined || reading === null || reading.status === 'fresh') return null
  return reasonsOfReading[reading.reason] ?? 'history_unfinished'
}

function withoutHistory(knowledge: ChainKnowledge, reason: LevelReason): ChainKnowledge {
  const isPartial = knowledge.status === 'unavailable' || knowledge.isPartial
  const isTold = reason === 'history_unfinished' && isPartial
  const incomplete = [...(knowledge.incomplete ?? []), ...(isTold ? [] : [reason])]
  return knowledge.status === 'unavailable'
    ? { status: 'unavailable', incomplete }
    : { ...knowledge, isPartial: true, incomplete }
}

function judgeOn(
  findings: ChainFindings,
  { request, snapshot, policy, generatedAt }: ScreeningInputs,
  unread: LevelReason | null = null,
): JudgedChain {
  const { chain, labels, chainInputs = noChainInputs, exposure = null, cluster = null } = findings
  const chainReading = readChainFacts(chain, chainInputs)
  const exposureReading = readExposure(chain, exposure, chainReading, policy)
  const judgement = judge({
    chain,
    // Evidence names an address where it is another one than the screened one, on whatever chain.
    canonicalAddress: request.canonicalAddress,
    labels,
    labelSets: snapshot.labelSets,
    labelView: snapshot.labelView as Exclude<LabelViewState, 'missing'>,
    chainKnowledge:
      unread === null ? exposureReading.knowledge : withoutHistory(exposureReading.knowledge, unread),
    codeAtAddress: chainReading.codeAtAddress,
    hasFault: chainReading.isFaulted || exposureReading.isLowerBound || unread !== null,
    exposure: exposureReading.measures,
    exposureIsDropped: exposureReading.isDropped,
    isOfDemo: restsOnDemo({ labels, exposure }),
    cluster,
    generatedAt,
    policy,
  })
  const evidence = judgement.evidence.map((item) => (isOfTransfers(item) ? { ...item, chain } : item))
  return { findings, chainReading, exposureReading, judgement: { ...judgement, evidence } }
}

/** The own address of a transfer, by its labels only; null where an address is screened by itself. */
function judgeOwnSide({
  request: { chain, transfer = null },
  snapshot,
  policy,
  generatedAt,
  ownAddressLabels = [],
}: ScreeningInputs): Judgement | null {
  if (transfer === null) return null
  return judge({
    ...{ chain, canonicalAddress: transfer.ownCanonicalAddress, labels: ownAddressLabels, policy, generatedAt },
    labelSets: snapshot.labelSets,
    labelView: snapshot.labelView as Exclude<LabelViewState, 'missing'>,
    chainKnowledge: { status: 'unavailable' },
  })
}

/** The label of a counterparty can be of another chain than the transfers. */
const isOfTransfers = ({ relation }: Evidence): boolean => relation === 'direct' || relation === 'indirect'

function recordOf({ findings, judgement }: JudgedChain): CandidateRecord {
  const { chain, canonicalAddress, chainInputs = noChainInputs, exposure = null } = findings
  const { considered: labels, cluster } = judgement
  const { stage: chainStage, facts: chainFacts } = chainInputs
  return { chain, canonicalAddress, labels, cluster, chainStage, chainFacts, exposure }
}

/** A name assigned again keeps its place, so the report reads in the order of its documentation. */
function reportOf(
  inputs: ScreeningInputs,
  judgement: Judgement,
  {
    chainReading,
    exposureReading,
    others,
    own,
    isOfDemo,
  }: Pick<JudgedChain, 'chainReading' | 'exposureReading'> & {
    readonly others: readonly JudgedChain[]
    readonly own: Judgement | null
    readonly isOfDemo: boolean
  },
): Report {
  const report = buildReport(inputs, judgement, { scorerVersion: SCORER_VERSION, isOfDemo })
  const missing = missingStages(inputs, others.map(({ findings }) => findings))
  const transfer = transferOf(inputs, judgement, { chainReading, exposureReading, own }, missing)
  return {
    ...report,
    ...(transfer === null ? {} : { transfer }),
    ...(others.length > 0 ? { other_chains: others.map(shownChain) } : {}),
    balance: chainReading.balance,
    balance_base_units: chainReading.balanceBaseUnits,
    tx_count: chainReading.txCount,
    tx_count_kind: chainReading.txCountKind,
    balances: chainReading.balances,
    exposure: exposureReading.breakdown,
    coverage: {
      ...report.coverage,
      not_examined: notExamined({
        chain: inputs.request.chain,
        exposure: inputs.exposure ?? null,
        cluster: judgement.cluster,
      }),
      ...missing,
      ...shownReading(inputs.historyReading, inputs.request.chain),
      chain_data: chainReading.coverage,
      exposure: exposureReading.coverage,
      prices: exposureReading.prices,
    },
  }
}

/** What is recommended for the transfer; null where the address is screened by itself. */
function transferOf(
  { request, policy, exposure = null }: ScreeningInputs,
  judgement: Judgement,
  {
    chainReading,
    exposureReading,
    own,
  }: Pick<JudgedChain, 'chainReading' | 'exposureReading'> & { readonly own: Judgement | null },
  { missing_stages: missing = [] }: Pick<Report['coverage'], 'missing_stages'>,
): JudgedTransfer | null {
  const { transfer: terms = null, chain, canonicalAddress } = request
  if (terms === null || own === null) return null
  return judgeTransfer({
    ...{ terms, chain, policy },
    own: { level: own.level, isDesignated: own.isDesignated },
    counterparty: {
      ...{ canonicalAddress, level: judgement.level, isDesignated: judgement.isDesignated },
      scoreIsLowerBound: judgement.scoreIsLowerBound,
      areListsComplete: judgement.labelsCoverage === 'complete',
      missesStages: missing.length > 0 || chainReading.isFaulted,
      code: chainReading.codeAtAddress,
      breakdown: exposureReading.breakdown.length === 0 ? [] : exposure!.breakdown,
    },
  })
}

type Stages = Pick<ChainFindings, 'chainInputs' | 'exposure' | 'cluster'>

/** The stages that were late or failed on a chain that was judged; nothing where each of them is whole. */
function missingStages(
  inputs: ScreeningInputs,
  others: readonly Stages[],
): Pick<Report['coverage'], 'missing_stages'> {
  const chains: readonly Stages[] = [inputs, ...others]
  const isMissing = {
    chain_data: ({ chainInputs }: Stages) => isDropped(chainInputs?.stage),
    exposure: ({ exposure }: Stages) => isDropped(exposure?.status),
    clusters: ({ cluster }: Stages) => isDropped(cluster?.stopped),
  }
  const missing = [
    ...(inputs.historyReading?.status === 'reading' ? ['history'] : []),
    ...(inputs.request.transfer?.lookup === 'late' ? ['transaction'] : []),
    ...Object.entries(isMissing).flatMap(([stage, isOf]) => (chains.some(isOf) ? [stage] : [])),
  ]
  return missing.length === 0 ? {} : { missing_stages: missing }
}

function shownReading(
  reading: ScreeningInputs['historyReading'],
  detected: string,
): Pick<Report['coverage'], 'history'> {
  if (reading === undefined || reading === null) return {}
  const { status, reason, provider, pages, pagesExpected, waiting, chains } = reading
  return {
    history: {
      status,
      reason: reason === '' ? null : reason,
      provider: provider === '' ? null : provider,
      pages,
      pages_expected: pagesExpected,
      waiting,
      ...(chains.some((chain) => chain !== detected) ? { chains: [...chains] } : {}),
    },
  }
}

const isDropped = (status: string | null | undefined): boolean => status === 'late' || status === 'failed'

const shownChain = ({ findings, judgement }: JudgedChain) => ({
  chain: findings.chain,
  level: judgement.level,
  score: judgement.overallHundredths / 100,
  level_reasons: [...judgement.levelReasons],
})

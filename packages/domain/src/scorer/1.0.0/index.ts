/**
 * Everything that decides, whole: nothing outside this folder can change a decision. It imports types of the contracts and
 * @noble/hashes, and nothing else from outside; a released folder never changes (docs/adr/0053).
 */
export { SCORER_VERSION } from './version.js'
export { categories, riskCategories, roles, type Category, type RiskCategory, type RiskLevel, type Role } from './vocabulary.js'
export { canonicalJson, isWellFormedText, sha256Hex, type Sha256Hex } from './json/canonical-json.js'

export { CHAIN_TABLE_VERSION, chainFacts, chainFactsOf, type ChainCode, type ChainFacts, type ChainFamily } from './tables/chain-table.js'
export { ASSET_TABLE_VERSION, baseUnits, decimalAmount, findAsset, isAssetContract, isBurnAddress, listAssets, measuredAs, type Asset, type MeasuredAsset } from './tables/asset-table.js'

export { formatAmount } from './chain-facts/amount.js'
export { noChainInputs, type ChainInputs, type ChainStage } from './chain-facts/chain-inputs.js'
export { findDisagreements, type Disagreement } from './chain-facts/disagreements.js'
export { readChainFacts, type ChainReading } from './chain-facts/read-chain-facts.js'

export { attribute, coinJoinAttribution, isCoinJoinNode, withCluster, type Attribution, type AttributionContext, type SourceAttribution } from './exposure/attribution.js'
export { compileExposurePolicy, exposureBounds, exposurePolicyFault, taintMethods, type CompiledExposurePolicy, type DirectionCaps, type ExposureLimits, type ExposurePolicyDocument, type ShareBand, type TaintMethod } from './exposure/exposure-policy.js'
export { falsifyCompleteness } from './exposure/completeness.js'
export { mergeRanges, neededKinds, type AddressHistory, type DeclaredRange, type HistoryFault, type HistoryKind } from './exposure/history.js'
export { emptyExposure, measureExposure, measureInSteps, type MeasureContext, type Neighbourhood } from './exposure/measure-exposure.js'
export type { UnknownTokens } from './exposure/unknown-tokens.js'
export type { PriceTable } from './exposure/prices.js'
export { scoreExposure, type ExposureReason, type ScoredExposure } from './exposure/score-exposure.js'
export { partCategories, type PartCategory } from './exposure/breakdown.js'
export { finished, STEP_ITEMS, type Steps } from './exposure/steps.js'
export { ISSUANCE, uncountedReason, type TextHash, type Transfer, type UncountedReason } from './exposure/transfer.js'

export { clusterFindings, clusterStops, considerCluster, type ClusterFacts, type ClusterFinding, type ClusterLabelFacts, type ClusterStop } from './risk/cluster.js'
export { OWN_KIND } from './risk/own-labels.js'
export { DEMO_SOURCE, restsOnDemo } from './risk/demo.js'
export { judge, type Conflict, type Judgement, type JudgementFacts } from './risk/judge.js'
export { levelReasons, type LevelReason } from './risk/level-reasons.js'
export { isComplete, isVersionOf, judgeLists, type JudgedSet, type ListStatus } from './risk/lists.js'
export type { LabelFacts, LabelSetFacts, LabelViewState, UnusedReason } from './risk/label-facts.js'
export { compiledDefaultPolicy, defaultPolicy } from './risk/default-policy.js'
export { compilePolicy, compilePolicyText, policyFault, type CompiledPolicy, type PolicyDocument, type RequiredList } from './risk/policy.js'
export { MAX_EVIDENCE_ITEMS } from './risk/evidence.js'
export { capReasons, factorNames, type CappedBy, type Factor } from './risk/points.js'
export type { ChainKnowledge } from './risk/level.js'

export { judgeTransfer, type JudgedTransfer, type TransferFacts } from './transfers/judge-transfer.js'
export {
  defaultTransferPolicy,
  recommendations,
  worstRecommendation,
  type Recommendation,
  type TransferPolicyDocument,
} from './transfers/transfer-policy.js'
export { transferReasons, type TransferReason } from './transfers/transfer-reasons.js'

export { knownCandidates } from './screening/candidates.js'
export { labelState, type LabelStateFacts } from './screening/label-state.js'
export { decideAgain, recordedFindings, type SharedInputs } from './screening/recompute.js'
export { notExaminedItems, type NotExamined } from './screening/not-examined.js'
export { exposureGaps, type ExposureGap } from './screening/exposure-reading.js'
export { scoreScreening } from './screening/score-screening.js'
export { screeningRequest, type ChainFindings, type ScreeningInputs, type ScreeningRequest, type ScreeningSnapshot } from './screening/screening-inputs.js'

export {
  ASSET_TABLE_VERSION,
  baseUnits,
  decimalAmount,
  findAsset,
  isAssetContract,
  isBurnAddress,
  listAssets,
} from './asset-table.js'
export type { Asset } from './asset-table.js'
export { attribute } from './attribution.js'
export type { Attribution, AttributionContext, SourceAttribution } from './attribution.js'
export {
  compileExposurePolicy,
  defaultExposurePolicy,
  exposureBounds,
  exposurePolicyFault,
  taintMethods,
} from './exposure-policy.js'
export type {
  CompiledExposurePolicy,
  DirectionCaps,
  ExposureLimits,
  ExposurePolicyDocument,
  ShareBand,
  TaintMethod,
} from './exposure-policy.js'
export { mergeRanges } from './history.js'
export type { DeclaredRange, HistoryKind } from './history.js'
export { emptyExposure, measureExposure, measureInSteps } from './measure-exposure.js'
export type { MeasureContext, Neighbourhood } from './measure-exposure.js'
export { scoreExposure } from './score-exposure.js'
export type { ExposureReason, ScoredExposure } from './score-exposure.js'
export { finished, STEP_ITEMS } from './steps.js'
export type { Steps } from './steps.js'
export { uncountedReason } from './transfer.js'
export type { TextHash, Transfer, UncountedReason } from './transfer.js'

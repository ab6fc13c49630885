export { defaultExposurePolicy, exposureBounds, taintMethods } from './exposure-policy.js'
export type {
  CompiledExposurePolicy,
  DirectionCaps,
  ExposureLimits,
  ExposurePolicyDocument,
  ShareBand,
  TaintMethod,
} from './exposure-policy.js'

/** Operator actions on policies: check them, compare them over stored reports, put them in force. */
export {
  activatePolicy,
  readActivations,
  type ActivatedPolicy,
  type PolicyActivation,
} from './activate-policy.js'
export { checkPolicyText, type CheckedPolicy } from './check-policy.js'
export { changedSettings, type ChangedSetting } from './changed-settings.js'
export { ensureDefaultPolicy } from './ensure-default-policy.js'
export type { PolicyToActivate } from './policy-activation.js'
export {
  comparePolicies,
  diffPolicies,
  SEVERAL_SETTINGS,
  type ComparisonOptions,
  type Flip,
  type Outcome,
  type PolicyDiff,
  type PolicyDiffOptions,
  type PolicyName,
} from './diff-policies.js'

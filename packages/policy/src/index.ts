/** Operator actions on policies: check them, compare them over stored reports, put them in force. */
export {
  activatePolicy,
  appendActivation,
  judgeActivation,
  readActivations,
  type ActivatedPolicy,
  type PolicyActivation,
  type PolicyLog,
} from './activate-policy.js'
export { changedSettings } from './changed-settings.js'
export { checkPolicyText, type CheckedPolicy } from './check-policy.js'
export { ensureDefaultPolicy } from './ensure-default-policy.js'
export { comparePolicies, diffPolicies, type PolicyDiff } from './diff-policies.js'

/** Operator actions on policies: check them, compare them over stored reports, put them in force. */
export { activatePolicy, readActivations, type PolicyActivation } from './activate-policy.js'
export { checkPolicyText, type CheckedPolicy } from './check-policy.js'
export { ensureDefaultPolicy } from './ensure-default-policy.js'
export {
  comparePolicies,
  diffPolicies,
  type Outcome,
  type PolicyDiff,
  type PolicyName,
} from './diff-policies.js'

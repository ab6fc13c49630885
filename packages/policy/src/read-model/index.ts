export { type ActivePolicy, listPolicies, readActivePolicy, readPolicyAt } from './queries.js'
export { policyView } from './reducers.js'
export { type StatedPolicy, contradictionOf, readStatedPolicies } from './stated.js'

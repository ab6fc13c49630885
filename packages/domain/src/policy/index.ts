export { lintPolicy, type PolicyFinding } from './lint-policy.js'

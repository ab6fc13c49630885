export { lintPolicy } from './lint-policy.js'
export type { PolicyFinding } from './lint-policy.js'

export { API_KEY_RANDOM_BYTES, parseApiKey, renderApiKey, withoutApiKeys } from './api-key.js'
export type { Environment } from './api-key.js'
export { bucketsOf, holdsScope, isPlanName, planNames, plans, scopes } from './plans.js'
export type { Plan, PlanName, Scope } from './plans.js'
export { bucketStanding, bucketWindowSeconds, takeTokens, wholeSeconds } from './token-bucket.js'
export {
  parseSessionToken,
  renderSessionToken,
  SESSION_TOKEN_PREFIX,
  SESSION_TOKEN_RANDOM_BYTES,
} from './session-token.js'

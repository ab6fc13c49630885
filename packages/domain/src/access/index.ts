export {
  API_KEY_RANDOM_BYTES,
  parseApiKey,
  renderApiKey,
  withoutApiKeys,
  type Environment,
} from './api-key.js'
export {
  bucketsOf,
  holdsScope,
  isPlanName,
  planNames,
  plans,
  scopes,
  type Plan,
  type PlanName,
  type Scope,
} from './plans.js'
export { bucketStanding, bucketWindowSeconds, takeTokens, wholeSeconds } from './token-bucket.js'
export {
  parseSessionToken,
  renderSessionToken,
  SESSION_TOKEN_PREFIX,
  SESSION_TOKEN_RANDOM_BYTES,
} from './session-token.js'

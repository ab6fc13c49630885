export { API_KEY_RANDOM_BYTES, parseApiKey, renderApiKey } from './api-key.js'
export type { ApiKeyParts, Environment } from './api-key.js'
export { isPlanName, isScope, planNames, plans, scopes } from './plans.js'
export type { Plan, PlanName, Scope } from './plans.js'

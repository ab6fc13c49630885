export {
  CLOCK_TOLERANCE_SECONDS,
  createIdTokenVerifier,
  IdTokenRefused,
  nonceOf,
  SIGNATURE_ALGORITHMS,
} from './id-token.js'
export type { IdTokenFault, IdTokenVerifier, VerifiedIdToken } from './id-token.js'
export { clientCredentials, type ClientCredentials } from './client-credentials.js'
export { actorOf, keysOfGroups } from './person.js'
export type { Person } from './person.js'
export { createProvider, ProviderDown } from './provider.js'
export type { Provider } from './provider.js'
export { isSafeUrl, readClientSecret, readOidcSettings, settingsOf } from './settings.js'
export type { OidcSettings } from './settings.js'

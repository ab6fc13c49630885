export {
  CLOCK_TOLERANCE_SECONDS,
  createIdTokenVerifier,
  IdTokenRefused,
  nonceOf,
  type IdTokenFault,
} from './id-token.js'
export { clientCredentials } from './client-credentials.js'
export { actorOf, keysOfGroups, type Person } from './person.js'
export { createProvider, ProviderDown, type Provider } from './provider.js'
export { isSafeUrl, readClientSecret, readOidcSettings, settingsOf, type OidcSettings } from './settings.js'

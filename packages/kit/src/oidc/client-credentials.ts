/** Access tokens for this program itself, by OAuth 2.0 client credentials. Source: RFC 6749, section 4.4. */
import {
  allowInsecureRequests,
  ClientSecretBasic,
  clientCredentialsGrant,
  Configuration,
  customFetch,
} from 'openid-client'
import { createFetch } from './provider.js'

export interface ClientCredentials {
  readonly tokenUrl: string
  readonly clientId: string
  /** Called for each token, so that the next token uses a changed secret. */
  readonly clientSecret: () => string
  readonly scope?: string | undefined
}

/** A new token is fetched after this share of a token's life, so that no caller gets a token that is about to expire. */
const USED_SHARE = 0.8
/** Used if the response does not state how long a token is valid. */
const UNSTATED_LIFE_SECONDS = 60

/**
 * Resolves to a valid token. Concurrent calls share one request. Only the origin of `tokenUrl` is called, and without TLS only on
 * this machine. Rejects if it does not answer or refuses.
 */
export function clientCredentials(
  { tokenUrl, clientId, clientSecret, scope }: ClientCredentials,
  nowMs: () => number = Date.now,
): () => Promise<string> {
  const fetchAllowed = createFetch(new Set([new URL(tokenUrl).origin]))
  let known: { readonly token: string; readonly untilMs: number } | null = null
  let asking: Promise<string> | null = null

  const ask = async (): Promise<string> => {
    const secret = clientSecret()
    const server = { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl }
    const configuration = new Configuration(server, clientId, undefined, ClientSecretBasic(secret))
    configuration[customFetch] = fetchAllowed
    // `fetchAllowed` decides which addresses may be called without TLS.
    allowInsecureRequests(configuration)
    const askedAt = nowMs()
    const answer = await clientCredentialsGrant(configuration, scope === undefined ? {} : { scope })
    const lifeSeconds = answer.expires_in ?? UNSTATED_LIFE_SECONDS
    known = { token: answer.access_token, untilMs: askedAt + lifeSeconds * 1_000 * USED_SHARE }
    return answer.access_token
  }
  return async () => {
    if (known !== null && known.untilMs > nowMs()) return known.token
    return await (asking ??= ask().finally(() => (asking = null)))
  }
}

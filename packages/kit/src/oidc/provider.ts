/** The provider as its own discovery document describes it. Only origins that the settings name are called. */
import { createRemoteJWKSet, customFetch as joseFetch, errors, type JWTVerifyGetKey } from 'jose'
import {
  allowInsecureRequests,
  customFetch,
  discovery,
  None,
  type CustomFetch,
  type ServerMetadata,
} from 'openid-client'
import { isSafeUrl, type OidcSettings } from './settings.js'

/** The provider does not answer, or its answer does not follow the standard. */
export class ProviderDown extends Error {
  override readonly name = 'ProviderDown'
}

export interface Provider {
  /** Rejects with ProviderDown. */
  metadata(): Promise<ServerMetadata>
  /** The key that an ID token names. Rejects with ProviderDown, and with an error of jose if there is no such key. */
  readonly keyOf: JWTVerifyGetKey
  /** For libraries that call the provider: it refuses every other address. */
  readonly fetch: CustomFetch
}

const ANSWER_TIMEOUT_MS = 5_000
/** A larger response is not a discovery document, key set or token. */
const MAX_ANSWER_BYTES = 1_048_576
/** The metadata is fetched again after this time. */
const METADATA_AGE_MS = 3_600_000
/** After a failure no request is sent for this time, however many people want to sign in. */
const PAUSE_AFTER_FAILURE_MS = 2_000
/** Keys are fetched again after this time. An unknown key is fetched at once, at most once in each cooldown period. */
const KEYS_AGE_MS = 600_000
const KEYS_COOLDOWN_MS = 30_000

export function createProvider({ issuer, clientId, origins }: OidcSettings, nowMs = Date.now): Provider {
  const fetchAllowed = createFetch(origins)
  let known: { readonly metadata: Promise<ServerMetadata>; readonly untilMs: number } | null = null
  let keys: { readonly url: string; readonly find: JWTVerifyGetKey } | null = null

  const discover = async (): Promise<ServerMetadata> => {
    try {
      const found = await discovery(new URL(issuer), clientId, undefined, None(), {
        [customFetch]: fetchAllowed,
        timeout: ANSWER_TIMEOUT_MS / 1_000,
        // `fetchAllowed` decides which addresses may be called without TLS.
        execute: [allowInsecureRequests],
      })
      return checked(found.serverMetadata(), origins)
    } catch (error) {
      throw error instanceof ProviderDown
        ? error
        : new ProviderDown('No discovery document', { cause: error })
    }
  }
  const metadata = (): Promise<ServerMetadata> => {
    if (known !== null && known.untilMs > nowMs()) return known.metadata
    const asked = discover()
    known = { metadata: asked, untilMs: nowMs() + METADATA_AGE_MS }
    asked.catch(() => (known = { metadata: asked, untilMs: nowMs() + PAUSE_AFTER_FAILURE_MS }))
    return asked
  }
  return {
    metadata,
    fetch: fetchAllowed,
    async keyOf(header, token) {
      const { jwks_uri: url } = await metadata()
      if (keys === null || keys.url !== url) keys = { url: url!, find: keySetOf(url!, fetchAllowed) }
      try {
        return await keys.find(header, token)
      } catch (error) {
        if (NO_SUCH_KEY.some((kind) => error instanceof kind)) throw error
        throw new ProviderDown('No keys', { cause: error })
      }
    },
  }
}

function keySetOf(url: string, fetchAllowed: CustomFetch): JWTVerifyGetKey {
  return createRemoteJWKSet(new URL(url), {
    timeoutDuration: ANSWER_TIMEOUT_MS,
    cacheMaxAge: KEYS_AGE_MS,
    cooldownDuration: KEYS_COOLDOWN_MS,
    [joseFetch]: (asked, { method, headers }) =>
      fetchAllowed(asked, {
        method,
        headers: Object.fromEntries(headers),
        body: undefined,
        redirect: 'manual',
      }),
  })
}

/** The token is at fault, not the provider. */
const NO_SUCH_KEY = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported]

/** Checks the endpoints that this service calls or sends people to. */
function checked(metadata: ServerMetadata, origins: ReadonlySet<string>): ServerMetadata {
  for (const name of ['jwks_uri', 'token_endpoint'] as const) {
    const url = metadata[name]
    if (typeof url !== 'string' || !isCallable(url, origins))
      throw new ProviderDown(`The provider names a ${name} outside the configured origins: ${String(url)}`)
  }
  const { authorization_endpoint: page } = metadata
  if (typeof page !== 'string' || !isSafeUrl(page))
    throw new ProviderDown(`The provider names no usable authorization_endpoint: ${String(page)}`)
  return metadata
}

const isCallable = (url: string, origins: ReadonlySet<string>): boolean =>
  isSafeUrl(url) && origins.has(new URL(url).origin)

/** Follows no redirect, because it could lead anywhere, and limits the size of the answer. */
export function createFetch(origins: ReadonlySet<string>): CustomFetch {
  return async (url, { method, headers, body }) => {
    if (!isCallable(url, origins)) throw new ProviderDown(`${new URL(url).origin} is not a configured origin`)
    const response = await fetch(url, {
      ...{ method, headers, redirect: 'manual' },
      ...(body === undefined || body === null ? {} : { body: body as BodyInit }),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    })
    const bytes = await readLimited(response)
    return new Response(bytes.length === 0 ? null : bytes, {
      status: statusOf(response),
      headers: response.headers,
    })
  }
}

/** A redirect that is not followed has a status that the Response constructor rejects. */
const statusOf = ({ status, type }: Response): number =>
  type === 'opaqueredirect' || status < 200 ? 502 : status

async function readLimited(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  if (response.body !== null)
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > MAX_ANSWER_BYTES) throw new ProviderDown('The answer of the provider is too large')
      chunks.push(chunk)
    }
  return Uint8Array.from(Buffer.concat(chunks))
}

/** The key or the session token of a call. Its form and checksum are checked here, so that a mistyped one costs no query. */
import { parseApiKey, parseSessionToken, SESSION_TOKEN_PREFIX } from '@cupel/domain'
import { hashApiKey } from './api-key.js'
import { hashSessionToken } from './sessions.js'

export type Bearer =
  | { readonly ok: true; readonly kind: 'key'; readonly keyId: string; readonly keyHash: Buffer }
  | { readonly ok: true; readonly kind: 'session'; readonly sessionId: string; readonly tokenHash: Buffer }
  | { readonly ok: false; readonly reason: 'no_credentials' | 'malformed_credentials' }

/** A longer header holds no valid key and no valid token. */
const MAX_AUTHORIZATION_LENGTH = 256

/** Reads `Bearer <key or session token>` (RFC 6750); the scheme's name in any case. */
export function readBearer(authorization: string | undefined): Bearer {
  if (authorization === undefined) return { ok: false, reason: 'no_credentials' }
  if (authorization.length > MAX_AUTHORIZATION_LENGTH) return MALFORMED
  const [, text] = /^bearer +(\S+)$/i.exec(authorization) ?? []
  if (text === undefined) return MALFORMED
  return text.startsWith(SESSION_TOKEN_PREFIX) ? readSession(text) : readKey(text)
}

const MALFORMED = { ok: false, reason: 'malformed_credentials' } as const

function readKey(text: string): Bearer {
  const parts = parseApiKey(text)
  return parts === null ? MALFORMED : { ok: true, kind: 'key', keyId: parts.keyId, keyHash: hashApiKey(text) }
}

function readSession(text: string): Bearer {
  const sessionId = parseSessionToken(text)
  return sessionId === null
    ? MALFORMED
    : { ok: true, kind: 'session', sessionId, tokenHash: hashSessionToken(text) }
}

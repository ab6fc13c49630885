/** The key of a call. Its form and checksum are checked here, so that a mistyped key costs no query. */
import { parseApiKey } from '@cupel/domain'
import { hashApiKey } from './api-key.js'

export type Bearer =
  | { readonly ok: true; readonly keyId: string; readonly keyHash: Buffer }
  | { readonly ok: false; readonly reason: 'no_credentials' | 'malformed_credentials' }

/** A longer header holds no valid key. */
const MAX_AUTHORIZATION_LENGTH = 256

/** Reads `Bearer <key>` (RFC 6750); the scheme's name in any case. */
export function readBearer(authorization: string | undefined): Bearer {
  if (authorization === undefined) return { ok: false, reason: 'no_credentials' }
  if (authorization.length > MAX_AUTHORIZATION_LENGTH) return { ok: false, reason: 'malformed_credentials' }
  const [, key] = /^bearer +(\S+)$/i.exec(authorization) ?? []
  const parts = key === undefined ? null : parseApiKey(key)
  if (key === undefined || parts === null) return { ok: false, reason: 'malformed_credentials' }
  return { ok: true, keyId: parts.keyId, keyHash: hashApiKey(key) }
}

/** The token of a share link: 256 random bits. Its holder may read one report until the link ends. */
import { createHash, randomBytes } from 'node:crypto'

const TOKEN_BYTES = 32
/** A prefix that secret scanners recognise. */
const PREFIX = 'cupel_share_'

/** The form of every token. */
export const SHARE_TOKEN = /^cupel_share_[A-Za-z0-9_-]{43}$/

export function newShareToken(): string {
  return PREFIX + randomBytes(TOKEN_BYTES).toString('base64url')
}

/** The stored form of a token. A token with this many random bits needs no slow hash. */
export function digestOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

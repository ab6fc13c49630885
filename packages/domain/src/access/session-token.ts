/** Tokens of sessions: `cupel_session_<8 id><43 secret><6 checksum>`, in the form of an API key. */
import { parseToken, renderToken, TOKEN_RANDOM_BYTES } from './token-text.js'

/** Number of random bytes in a new session token. */
export const SESSION_TOKEN_RANDOM_BYTES = TOKEN_RANDOM_BYTES
export const SESSION_TOKEN_PREFIX = 'cupel_session_'

/** Writes a token from random bytes; throws a RangeError unless there are exactly SESSION_TOKEN_RANDOM_BYTES of them. */
export function renderSessionToken(random: Uint8Array): {
  readonly sessionId: string
  readonly token: string
} {
  const { id, text } = renderToken(SESSION_TOKEN_PREFIX, random)
  return { sessionId: id, token: text }
}

/** The session that a token names; null for other text and for a wrong checksum. It does not check whether the session exists. */
export function parseSessionToken(text: string): string | null {
  return parseToken(SESSION_TOKEN_PREFIX, text)
}

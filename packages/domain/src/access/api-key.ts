/**
 * API keys: `cpl_<environment>_<8 id><43 secret><6 checksum>`, letters and digits only after the prefix. Secret scanners recognise them;
 * the checksum rejects a mistyped key without a look-up.
 */
import { parseToken, renderToken, TOKEN_RANDOM_BYTES } from './token-text.js'

export type Environment = 'live' | 'test'

/** Number of random bytes in a new key. */
export const API_KEY_RANDOM_BYTES = TOKEN_RANDOM_BYTES

export interface ApiKeyParts {
  readonly environment: Environment
  /** Public part: names the key in lists, logs and audit entries. */
  readonly keyId: string
}

/** Writes a key from random bytes; throws unless there are exactly API_KEY_RANDOM_BYTES of them. */
export function renderApiKey(
  environment: Environment,
  random: Uint8Array,
): ApiKeyParts & { readonly key: string } {
  const { id, text } = renderToken(`cpl_${environment}_`, random)
  return { environment, keyId: id, key: text }
}

/** Parses the text of a key; null for other text and for a wrong checksum. It does not check whether the key exists. */
export function parseApiKey(text: string): ApiKeyParts | null {
  for (const environment of ['live', 'test'] as const) {
    const keyId = parseToken(`cpl_${environment}_`, text)
    if (keyId !== null) return { environment, keyId }
  }
  return null
}

/** Text that begins like a key or a session token and has at least a few characters of a secret, in any letter case. */
const LOOKS_LIKE_SECRET = /(cpl_(?=live_|test_)|cupel_session_)(?:live_|test_)?[0-9a-z]{16,}/gi

/** The text with everything removed that looks like a key or a session token, for messages about unchecked input. */
export function withoutApiKeys(text: string): string {
  return text.replaceAll(LOOKS_LIKE_SECRET, (_, prefix: string) => `${prefix.toLowerCase()}[removed]`)
}

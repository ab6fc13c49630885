/**
 * Page tokens name the position at which a list continues. They are encrypted and authenticated: a token opens only for the
 * account, environment, list and filter for which it was made.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

export interface PageTokens {
  /** `scope`: everything the token is bound to. `position`: what `open` returns. */
  seal(scope: readonly (string | boolean)[], position: readonly string[]): string
  /** The position, or null where the token was not made for this scope. */
  open(scope: readonly (string | boolean)[], token: string): readonly string[] | null
}

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** No token of this service is longer. */
export const MAX_PAGE_TOKEN_LENGTH = 512

/** `key` has 32 bytes. It is the same on every instance and after every restart, so that tokens stay valid everywhere. */
export function createPageTokens(key: Uint8Array): PageTokens {
  return {
    seal(scope, position) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(bytesOf(scope))
      const sealed = Buffer.concat([cipher.update(JSON.stringify(position), 'utf8'), cipher.final()])
      return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url')
    },
    open(scope, token) {
      const bytes = Buffer.from(token, 'base64url')
      // Buffer.from skips characters that are not base64url, so only the one spelling of a token is accepted.
      if (bytes.length <= NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== token) return null
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(bytesOf(scope))
        .setAuthTag(bytes.subarray(-TAG_BYTES))
      const sealed = bytes.subarray(NONCE_BYTES, -TAG_BYTES)
      try {
        const position = Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8')
        return JSON.parse(position) as string[]
      } catch {
        // The tag does not match: the token was made elsewhere, changed, or made for another scope.
        return null
      }
    },
  }
}

function bytesOf(scope: readonly (string | boolean)[]): Buffer {
  return Buffer.from(JSON.stringify(scope))
}

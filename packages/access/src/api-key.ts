/** Keys as they are made and as they are compared: the key goes out once, its hash stays. */
import { hash, randomBytes } from 'node:crypto'
import { API_KEY_RANDOM_BYTES, renderApiKey, type Environment } from '@cupel/domain'

/**
 * SHA-256 of the whole key. A key holds 256 random bits, so that there is nothing to guess and a slow hash would protect
 * nothing; looking it up by its hash leaks nothing of the key either.
 */
export function hashApiKey(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}

export function newApiKey(environment: Environment): { keyId: string; key: string; keyHash: Buffer } {
  const { keyId, key } = renderApiKey(environment, randomBytes(API_KEY_RANDOM_BYTES))
  return { keyId, key, keyHash: hashApiKey(key) }
}

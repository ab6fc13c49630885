/** Generates and hashes keys. A key is shown once; only its hash is stored. */
import { hash, randomBytes } from 'node:crypto'
import { API_KEY_RANDOM_BYTES, renderApiKey, type Environment } from '@cupel/domain'

/**
 * SHA-256 of the whole key. A key holds 256 random bits and cannot be guessed, so a slow hash would add no protection; a look-up
 * by the hash does not reveal the key.
 */
export function hashApiKey(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}

export function newApiKey(environment: Environment): { keyId: string; key: string; keyHash: Buffer } {
  const { keyId, key } = renderApiKey(environment, randomBytes(API_KEY_RANDOM_BYTES))
  return { keyId, key, keyHash: hashApiKey(key) }
}

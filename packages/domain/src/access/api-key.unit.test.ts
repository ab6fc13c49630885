import fc from 'fast-check'
import { expect, test } from 'vitest'
import { API_KEY_RANDOM_BYTES, parseApiKey, renderApiKey } from './api-key.js'

const random = fc.uint8Array({ minLength: API_KEY_RANDOM_BYTES, maxLength: API_KEY_RANDOM_BYTES })
const environment = fc.constantFrom('live' as const, 'test' as const)
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

test('a key reads back its environment and id, and has the published form', () => {
  fc.assert(
    fc.property(environment, random, (env, bytes) => {
      const { key, keyId } = renderApiKey(env, bytes)
      expect(key).toMatch(/^cpl_(live|test)_[0-9A-Za-z]{8}[0-9A-Za-z]{32,}[0-9A-Za-z]{6}$/)
      expect(parseApiKey(key)).toEqual({ environment: env, keyId })
    }),
  )
})

test('one wrong character anywhere is refused without a look-up', () => {
  fc.assert(
    fc.property(random, fc.nat(), fc.nat(), (bytes, position, choice) => {
      const { key } = renderApiKey('live', bytes)
      const index = position % key.length
      const others = [...ALPHABET].filter((letter) => letter !== key[index])
      const mistyped = key.slice(0, index) + others[choice % others.length]! + key.slice(index + 1)
      expect(parseApiKey(mistyped)).toBeNull()
    }),
    { numRuns: 1_000 },
  )
})

test('different random bytes give different keys: no bit of the secret is lost', () => {
  const zero = new Uint8Array(API_KEY_RANDOM_BYTES)
  const keys = new Set<string>([renderApiKey('live', zero).key])
  // All but the lowest bit of the id's six bytes count.
  for (let bit = 0; bit < API_KEY_RANDOM_BYTES * 8; bit++) {
    if (bit === 40) continue
    const bytes = Uint8Array.from(zero)
    bytes[bit >> 3] = 1 << (bit & 7)
    keys.add(renderApiKey('live', bytes).key)
  }
  expect(keys.size).toBe(API_KEY_RANDOM_BYTES * 8)
})

test.each(['', 'cpl_live_', 'Bearer x', 'cpl_prod_aaaaaaaa', `cpl_live_${'a'.repeat(500)}`])(
  '%s is not a key',
  (text) => {
    expect(parseApiKey(text)).toBeNull()
  },
)

test('too few random bytes make no key', () => {
  expect(() => renderApiKey('live', new Uint8Array(16))).toThrow(RangeError)
})

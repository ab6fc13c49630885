/**
 * Fingerprints that nobody can foresee: two texts have the same one with a probability of 2^-62, whoever chose them, because the secret factors are
 * drawn once per process. Source: Carter, Wegman (1979), "Universal Classes of Hash Functions".
 */
import { randomFillSync } from 'node:crypto'

/** The largest prime number below 2^31. */
const PRIME = 2 ** 31 - 1
/** Characters of all parts with a factor of their own: more than addresses, a contract and an amount have. */
const FACTORS = 512
const LAST = 2 * FACTORS - 1
const factors = Float64Array.from(randomFillSync(new Uint32Array(2 * FACTORS)), (drawn) => drawn % PRIME)

/** Writes the fingerprint of the parts into two words; the first one is not 0. */
export function writeFingerprint(parts: readonly string[], words: Int32Array): void {
  let [one, other, place] = [0, 0, 0]
  for (const part of parts) {
    for (let at = 0; at <= part.length; at += 1, place = (place + 2) & LAST) {
      // Parts end with a character that none of them has.
      const code = at < part.length ? part.charCodeAt(at) + 1 : 0
      one += code * factors[place]!
      other += code * factors[place + 1]!
    }
    one %= PRIME
    other %= PRIME
  }
  words[0] = one + 1
  words[1] = other
}

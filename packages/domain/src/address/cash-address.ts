/**
 * CashAddr, Bitcoin Cash's address form (specification: bitcoincashorg/bitcoincash.org, spec/cashaddr.md):
 * prefix, colon, 5-bit words of a version byte and a hash, and a 40-bit BCH code over all of it.
 */

const PREFIX = 'bitcoincash'
const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const CHECKSUM_WORDS = 8
const hashBytesBySizeBits = [20, 24, 28, 32, 40, 48, 56, 64] as const
const words = new Map([...ALPHABET].map((letter, value) => [letter, value]))

export type CashAddressFailure = 'bad_format' | 'bad_checksum'

export interface CashAddress {
  /** The owner: a key's hash or a script's hash. Token-aware forms mean the same owner and are not distinguished. */
  readonly kind: 'key' | 'script'
  readonly hash: Uint8Array
}

/** Reads a CashAddr with or without its prefix, all lower or all upper case. */
export function decodeCashAddress(text: string): CashAddress | CashAddressFailure {
  const folded = text.toLowerCase()
  if (text !== folded && text !== text.toUpperCase()) return 'bad_format'
  const colon = folded.indexOf(':')
  if (colon !== -1 && folded.slice(0, colon) !== PREFIX) return 'bad_format'
  const payload: number[] = []
  for (let index = colon + 1; index < folded.length; index++) {
    const word = words.get(folded[index]!)
    if (word === undefined) return 'bad_format'
    payload.push(word)
  }
  if (payload.length <= CHECKSUM_WORDS) return 'bad_format'
  if (!isZero(polymod([...prefixWords, ...payload]))) return 'bad_checksum'
  const bytes = regroup(payload.slice(0, -CHECKSUM_WORDS), 5, 8, false)
  if (bytes === undefined) return 'bad_format'
  const version = bytes[0]!
  const type = version >> 3
  const hash = Uint8Array.from(bytes.slice(1))
  if (version & 0x80 || type > 3 || hash.length !== hashBytesBySizeBits[version & 7]) return 'bad_format'
  return { kind: type % 2 === 0 ? 'key' : 'script', hash }
}

/** Writes the form with prefix, lower case, without token support. */
export function encodeCashAddress({ kind, hash }: CashAddress): string {
  const sizeBits = hashBytesBySizeBits.indexOf(hash.length as (typeof hashBytesBySizeBits)[number])
  if (sizeBits === -1) throw new RangeError(`No CashAddr holds a hash of ${hash.length} bytes`)
  const version = (kind === 'key' ? 0 : 8) | sizeBits
  const payload = regroup([version, ...hash], 8, 5, true)!
  const [high, low] = polymod([...prefixWords, ...payload, ...new Array<number>(CHECKSUM_WORDS).fill(0)])
  const checksum = [high >> 15, (high >> 10) & 31, (high >> 5) & 31, high & 31].concat([
    low >> 15,
    (low >> 10) & 31,
    (low >> 5) & 31,
    low & 31,
  ])
  return `${PREFIX}:${[...payload, ...checksum].map((word) => ALPHABET[word]).join('')}`
}

const prefixWords = [...PREFIX].map((letter) => letter.charCodeAt(0) & 31).concat(0)

/** The generator's five 40-bit terms, as halves of 20 bits: numbers here cannot hold 40 bits and xor them. */
const generators: readonly (readonly [number, number])[] = [
  0x98f2bc8e61n,
  0x79b76d99e2n,
  0xf33e5fb3c4n,
  0xae2eabe2a8n,
  0x1e4f43e470n,
].map((term) => [Number(term >> 20n), Number(term & 0xfffffn)] as const)

function polymod(values: readonly number[]): readonly [number, number] {
  let high = 0
  let low = 1
  for (const value of values) {
    const top = high >> 15
    high = ((high & 0x7fff) << 5) | (low >> 15)
    low = ((low & 0x7fff) << 5) ^ value
    for (let bit = 0; bit < generators.length; bit++) {
      if ((top >> bit) & 1) {
        high ^= generators[bit]![0]
        low ^= generators[bit]![1]
      }
    }
  }
  return [high, low ^ 1]
}

const isZero = ([high, low]: readonly [number, number]): boolean => high === 0 && low === 0

/** Regroups bits; undefined if leftover bits would make two texts mean one address. */
function regroup(values: readonly number[], from: number, to: number, pad: boolean): number[] | undefined {
  const out: number[] = []
  let carry = 0
  let bits = 0
  for (const value of values) {
    carry = ((carry << from) | value) & 0xfff
    bits += from
    while (bits >= to) {
      bits -= to
      out.push((carry >> bits) & ((1 << to) - 1))
    }
  }
  const rest = carry & ((1 << bits) - 1)
  if (pad) {
    if (bits > 0) out.push(rest << (to - bits))
  } else if (bits >= from || rest !== 0) return undefined
  return out
}

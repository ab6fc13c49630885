/** Mistyped addresses: exhaustively on published examples, and at random on made-up ones. */
import { bech32, bech32m } from '@scure/base'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeBase58Check } from './base58-addresses.js'
import { decodeCashAddress, encodeCashAddress } from './cash-address.js'
import { parseAddress } from './parse-address.js'

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Formats whose checksum covers every character, their alphabets, and the position of the first such character. */
const checked: readonly (readonly [string, string, string, number])[] = [
  ['BTC key hash', '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu', BASE58, 0],
  ['BTC script hash', '3CWFddi6m4ndiGyKqzYvsFYagqDLPVMTzC', BASE58, 0],
  ['BTC segwit v0', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', BECH32, 3],
  ['BTC taproot', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0', BECH32, 3],
  ['BCH CashAddr', 'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a', BECH32, 12],
  ['BCH CashAddr without prefix', 'ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq', BECH32, 0],
  ['LTC', 'MTf4tP1TCNBn8dNkyxeBVoPrFCcVzxJvvh', BASE58, 0],
  ['DOGE', 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L', BASE58, 0],
  ['ZEC transparent', 't1VmmGiyjVNeCjxDZzg7vZmd99WyzVby9yC', BASE58, 0],
  ['ZEC Sapling', 'zs1z7rejlpsa98s2rrrfkwmaxu53e4ue0ulcrw0h4x5g8jl04tak0d3mm47vdtahatqrlkngh9slya', BECH32, 3],
  ['TRX', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', BASE58, 0],
  ['XRP classic', 'r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59', BASE58, 0],
  ['XRP X-address', 'X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ', BASE58, 0],
  ['XMR', '4AdUndXHHZ6cfufTMvppY6JwXNouMBzSkbLYfpAV5Usx3skxNgYeYTRj5UzqtReoS44qo9mtmXCqY45DJ852K5Jv2684Rge', BASE58, 0],
  ['TON user-friendly', 'EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF', BASE64URL, 0],
  ['ADA Shelley', 'addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8', BECH32, 5],
  ['ADA Byron', 'Ae2tdPwUPEZFRbyhz3cpfC2CumGzNkFBN2L42rcUc2yjQpEkxDbkPodpMAi', BASE58, 0],
  ['DOT', '15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5', BASE58, 0],
  ['DOT of any network', '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY', BASE58, 0],
  ['XLM', 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ', BASE32, 0],
  ['ALGO', 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY5HFKQ', BASE32, 0],
] // prettier-ignore

test.each(checked)(
  'one wrong character is never accepted: %s',
  { timeout: 120_000 },
  (_name, address, alphabet, start) => {
    expect(parseAddress(address).ok).toBe(true)
    const accepted: string[] = []
    for (let index = start; index < address.length; index++) {
      for (const letter of alphabet) {
        if (letter === address[index]) continue
        const mistyped = address.slice(0, index) + letter + address.slice(index + 1)
        if (parseAddress(mistyped).ok) accepted.push(mistyped)
      }
    }
    expect(accepted).toEqual([])
  },
)

test('one letter in the wrong case is never accepted in a mixed-case EVM address', () => {
  const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  for (let index = 2; index < address.length; index++) {
    const letter = address[index]!
    const flipped = letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase()
    if (flipped === letter) continue
    const mistyped = address.slice(0, index) + flipped + address.slice(index + 1)
    expect(parseAddress(mistyped)).toMatchObject({ reason: 'eip55_mismatch' })
  }
})

const hash20 = fc.uint8Array({ minLength: 20, maxLength: 20 })
const versions = fc.constantFrom(0x00, 0x05, 0x30, 0x32, 0x1e, 0x16, 0x4c, 0x10, 0x26, 0x17, 0x21, 0x41)

/** An index into a text and a replacement that differs there. */
function mistype(text: string, alphabet: string, position: number, choice: number): string {
  const index = position % text.length
  const others = [...alphabet].filter((letter) => letter !== text[index])
  return text.slice(0, index) + others[choice % others.length]! + text.slice(index + 1)
}

describe('made-up addresses', { timeout: 120_000 }, () => {
  test('every Base58Check address is accepted, and refused with one wrong character', () => {
    fc.assert(
      fc.property(versions, hash20, fc.nat(), fc.nat(), (version, hash, position, choice) => {
        const address = encodeBase58Check(Uint8Array.from([version, ...hash]))
        expect(parseAddress(address).ok).toBe(true)
        expect(parseAddress(mistype(address, BASE58, position, choice)).ok).toBe(false)
      }),
      { numRuns: 500 },
    )
  })

  test('every segwit address is accepted in both cases, and refused with one wrong character', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('bc', 'ltc', 'btg'),
        fc.constantFrom([0, 20], [0, 32], [1, 32], [16, 2]),
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.nat(),
        fc.nat(),
        (prefix, [version, length], bytes, position, choice) => {
          const codec = version === 0 ? bech32 : bech32m
          const address = codec.encode(prefix, [version!, ...codec.toWords(bytes.subarray(0, length))])
          const both = [parseAddress(address), parseAddress(address.toUpperCase())]
          expect(both.map((parsed) => parsed.ok && parsed.canonical)).toEqual([address, address])
          const data = address.slice(prefix.length + 1)
          const mistyped = `${prefix}1${mistype(data, BECH32, position, choice)}`
          expect(parseAddress(mistyped).ok).toBe(false)
        },
      ),
      { numRuns: 500 },
    )
  })

  test('CashAddr reads back what it writes', () => {
    fc.assert(
      fc.property(fc.constantFrom('key' as const, 'script' as const), hash20, (kind, hash) => {
        expect(decodeCashAddress(encodeCashAddress({ kind, hash }))).toEqual({ kind, hash })
      }),
    )
  })

  test('no text whatever makes parsing throw', () => {
    const chars = [...`${BASE58}0OIl:-_+/=., é😀\u0000`]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...chars), { maxLength: 130 }), fc.string(), (letters, any) => {
        for (const text of [
          letters.join(''),
          any,
          `bc1${letters.join('')}`,
          `0x${any}`,
          `bitcoincash:${any}`,
        ]) {
          expect(typeof parseAddress(text).ok).toBe('boolean')
        }
      }),
      { numRuns: 2_000 },
    )
  })
})

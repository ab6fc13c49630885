import { hexToBytes } from '@noble/hashes/utils.js'
import { base58xrp, bech32 } from '@scure/base'
import { expect, test } from 'vitest'
import { doubleSha256 } from './address-form.js'
import { encodeBase58Check } from './base58-addresses.js'
import { parseAddress } from './parse-address.js'

/** The key hash of BIP-173's examples, which is that of the private key 1. */
const HASH = hexToBytes('751e76e8199196d454941c45d1b3a323f1433bd6')
const P2WPKH = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
/** The nested address of the same key, as wallets show it. */
const NESTED = '3JvL6Ymt8MVWiCNHC7oWU6nLeHNJKLZGLN'

const cosmos = (prefix: string): string => bech32.encode(prefix, bech32.toWords(HASH))
const ripple = (): string => {
  const account = Uint8Array.from([0, ...HASH])
  return base58xrp.encode(Uint8Array.from([...account, ...doubleSha256(account).subarray(0, 4)]))
}

function keyOf(text: string, chain: string): string {
  const parsed = parseAddress(text, chain)
  if (!parsed.ok) throw new Error(`${text} refused: ${parsed.reason}`)
  return parsed.lookupKey
}

test.each([
  ['its nested form', 'BTC', NESTED],
  ['its oldest form', 'BTC', '1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH'],
  ['the oldest form on BCH', 'BCH', '1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH'],
  ['the oldest form on BSV', 'BSV', '1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH'],
  ['Dogecoin', 'DOGE', encodeBase58Check(Uint8Array.from([0x1e, ...HASH]))],
  ['the transparent form on Zcash', 'ZEC', encodeBase58Check(Uint8Array.from([0x1c, 0xb8, ...HASH]))],
  ['BNB Beacon Chain', 'BNB', cosmos('bnb')],
  ['Cosmos', 'ATOM', cosmos('cosmos')],
  ['XRP Ledger', 'XRP', ripple()],
])('one key has one look-up key: P2WPKH and %s', (_form, chain, text) => {
  expect(keyOf(text, chain)).toBe(keyOf(P2WPKH, 'BTC'))
})

test('a script that nests no key keeps a key of its own', () => {
  const script = encodeBase58Check(Uint8Array.from([0x05, ...HASH]))
  expect(keyOf(script, 'BTC')).not.toBe(keyOf(P2WPKH, 'BTC'))
})

test('an account of 32 bytes on Cosmos is nobody else', () => {
  const words = bech32.toWords(Uint8Array.from([...HASH, ...new Uint8Array(12)]))
  expect(keyOf(bech32.encode('cosmos', words), 'ATOM')).not.toBe(keyOf(cosmos('cosmos'), 'ATOM'))
})

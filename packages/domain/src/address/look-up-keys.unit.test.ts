import { ripemd160 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { hexToBytes } from '@noble/hashes/utils.js'
import { bech32 } from '@scure/base'
import { describe, expect, test } from 'vitest'
import { encodeBase58Check } from './base58-addresses.js'
import { furtherLabelKeys } from './label-keys.js'
import { keyParts } from './look-up-keys.js'
import { parseAddress, sharedKey } from './parse-address.js'
import { encodeRippleClassic } from './ripple-address.js'
import { writtenForms } from './written-forms.js'

/** The key hash of BIP-173's examples, which is that of the private key 1. */
const HASH = hexToBytes('751e76e8199196d454941c45d1b3a323f1433bd6')
const P2WPKH = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
/** The nested address of the same key, as wallets show it. */
const NESTED = '3JvL6Ymt8MVWiCNHC7oWU6nLeHNJKLZGLN'

const cosmos = (prefix: string): string => bech32.encode(prefix, bech32.toWords(HASH))

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
  ['XRP Ledger', 'XRP', encodeRippleClassic(HASH)],
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

test('a witness script and its nested form are one owner', () => {
  const p2wsh = 'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3'
  const program = hexToBytes('1863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262')
  const nested = ripemd160(sha256(Uint8Array.from([0x00, 0x20, ...program])))
  expect(keyOf(encodeBase58Check(Uint8Array.from([0x05, ...nested])), 'BTC')).toBe(keyOf(p2wsh, 'BTC'))
})

describe('the written forms of one key', () => {
  const forms: [chain: string, of: string][] = [
    ['BTC', P2WPKH],
    ['BTC', '1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH'],
    ['BCH', 'bitcoincash:qp63uahgrxged4z5jswyt5dn5v3lzsem6cy4spdc2h'],
    ['XRP', encodeRippleClassic(HASH)],
    ['ATOM', cosmos('cosmos')],
    ['BNB', cosmos('bnb')],
    ['DOGE', encodeBase58Check(Uint8Array.from([0x1e, ...HASH]))],
  ]

  test.each(forms.flatMap(([of, from]) => forms.map(([on, to]) => [of, from, on, to] as const)))(
    'lead from %s %s to %s %s',
    (of, from, on, to) => {
      expect(writtenForms(from, of, on)).toContain(to)
    },
  )

  test('lead to its nested form, and from there no further', () => {
    expect(writtenForms(P2WPKH, 'BTC', 'BTC')).toContain(NESTED)
    expect(writtenForms(NESTED, 'BTC', 'BTC')).toEqual([NESTED])
  })

  test('lead between TRON and EVM chains', () => {
    const evm = '0x5cbdd86a2fa8dc4bddd8a8f69dba48572eec07fb'
    const tron = encodeBase58Check(Uint8Array.from([0x41, ...hexToBytes(evm.slice(2))]))
    expect([writtenForms(tron, 'TRX', 'ETH'), writtenForms(evm, 'BSC', 'TRX')]).toEqual([[evm], [tron]])
  })

  test('are empty if a chain has no form of the key', () => {
    expect(writtenForms(P2WPKH, 'BTC', 'ETH')).toEqual([])
    expect(writtenForms('rubbish', 'BTC', 'BTC')).toEqual(['rubbish'])
  })
})

/** From CIP-19: addresses of one payment key with different stake parts. */
const CARDANO = [
  'addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x',
  'addr1yx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzerkr0vd4msrxnuwnccdxlhdjar77j6lg0wypcc9uar5d2shs2z78ve',
  'addr1gx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer5pnz75xxcrzqf96k',
  'addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8',
] as const

const STAKE = 'stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgw'
/** A script with the stake part of the first address. */
const SCRIPT =
  'addr1z8phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gten0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgs9yc0hh'
const partsOf = (text: string): readonly string[] => keyParts(keyOf(text, 'ADA'))
const shared = (one: string, other: string): readonly string[] =>
  partsOf(one).filter((part) => partsOf(other).includes(part))

describe('on Cardano', () => {
  test('addresses of one payment credential have one owner, whatever the stake part', () => {
    for (const other of CARDANO) expect(shared(CARDANO[0], other)).toContain(partsOf(CARDANO[0])[0])
  })

  test('so have addresses of one stake credential, and its own address', () => {
    expect(shared(CARDANO[0], STAKE)).toEqual(partsOf(STAKE))
    expect(shared(CARDANO[0], SCRIPT)).toEqual(partsOf(STAKE))
    expect(shared(CARDANO[3], STAKE)).toEqual([])
    expect(shared(CARDANO[1], STAKE)).toEqual([])
  })

  test('what spends is a key of its own, and a clean label counts for it only', () => {
    expect(sharedKey(CARDANO[0], 'ADA')).toBe(sharedKey(CARDANO[3], 'ADA'))
    expect(sharedKey(SCRIPT, 'ADA')).not.toBe(sharedKey(CARDANO[0], 'ADA'))
    const address = { chain: 'ADA', canonical: CARDANO[0], lookupKey: keyOf(CARDANO[0], 'ADA') } as const
    expect(furtherLabelKeys(address, { isClean: false })).toEqual(partsOf(CARDANO[0]))
    expect(furtherLabelKeys(address, { isClean: true })).toEqual([partsOf(CARDANO[0])[0]])
  })
})

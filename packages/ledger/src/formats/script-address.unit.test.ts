/** Standard output scripts have an address, whether or not their file states it. */
import { expect, test } from 'vitest'
import { addressesOfScript, addressOfScript } from './script-address.js'

test.each([
  ['BTC', '76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
  ['BTC', '0014751e76e8199196d454941c45d1b3a323f1433bd6', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
  [
    'BTC',
    '512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
  ],
])('of %s %s is %s', (chain, script, address) => {
  expect(addressOfScript(chain, script)).toBe(address)
})

test.each([
  '',
  '6a0548656c6c6f',
  '51',
  '5120ff',
  '0013751e76e8199196d454941c45d1b3a323f1433b',
  null,
  undefined,
])('that is not standard has none: %s', (script) => {
  expect(addressOfScript('BTC', script)).toBe('')
})

const GENESIS_KEY =
  '04678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5f'
const OTHER_KEY = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'

test('a script that names keys pays their addresses', () => {
  expect(addressesOfScript('BTC', `41${GENESIS_KEY}ac`)).toEqual(['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'])
  expect(addressesOfScript('BTC', `5141${GENESIS_KEY}21${OTHER_KEY}52ae`)).toEqual([
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    '1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH',
  ])
  expect(addressesOfScript('BTC', `76a914${'00'.repeat(20)}88ac`)).toEqual(['1111111111111111111114oLvT2'])
  expect(addressesOfScript('BTC', '6a04deadbeef')).toEqual([])
  expect(addressesOfScript('BTC', `41${GENESIS_KEY}`)).toEqual([])
})

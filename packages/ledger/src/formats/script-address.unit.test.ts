/** Standard output scripts have an address, whether or not their file states it. */
import { expect, test } from 'vitest'
import { addressOfScript } from './script-address.js'

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

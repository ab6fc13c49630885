/** Solana's associated token accounts. Samples: the tests of spl-token and of micro-sol-signer. */
import { base58 } from '@scure/base'
import { describe, expect, test } from 'vitest'
import { furtherLabelKeys } from './label-keys.js'
import { parseAddress } from './parse-address.js'
import { isOnCurve, tokenAccounts } from './token-account.js'

const SAMPLES = [
  [
    'B8UwBUUnKwCyKuGMbFKWaG7exYdDk2ozZrPg72NyVbfj',
    '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z',
    'DShWnroshVbeUp28oopA3Pu7oFPDBtC1DBmPECXXAQ9n',
  ],
  [
    '22Wnk8PwyWZV7BfkZGJEKT9jGGdtvu7xY6EXeRh7zkBa',
    '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo',
    '5nu6HDY7t1Ds8oPNsArrhb1rzvRqmGubyteyAUncFyNb',
  ],
  [
    'BNXnu85Kt1VXSYYYNMXtRfRrscyETxcdsEiTLSToQYZa',
    '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo',
    '8Ycmt6GTtXcmaTXXRZVLATBQHKKFRaFpD6DD4wx81M4',
  ],
] as const

test.each(SAMPLES)('%s has for the mint %s the account %s', (owner, mint, account) => {
  expect(tokenAccounts(owner, mint)).toContain(account)
})

test.each(SAMPLES)('the wallet %s is a public key, and its account is not', (owner, _mint, account) => {
  expect([owner, account].map((one) => isOnCurve(base58.decode(one)))).toEqual([true, false])
})

const [, [owner, , account]] = SAMPLES
const keysOf = (address: string, chain: string, isClean = false): readonly string[] => {
  const parsed = parseAddress(address, chain)
  if (!parsed.ok) throw new Error(parsed.reason)
  return furtherLabelKeys(parsed, { isClean })
}

describe('a label', () => {
  test('of an owner is found by the accounts of the tokens in the asset table', () => {
    expect(keysOf(owner, 'SOL')).toContain(`sol:${account}`)
  })

  test('that calls the owner clean counts for the owner only', () => {
    expect(keysOf(owner, 'SOL', true)).toEqual([])
  })

  test('of another chain has its look-up key only', () => {
    expect(keysOf('1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', 'BTC')).toEqual([])
  })
})

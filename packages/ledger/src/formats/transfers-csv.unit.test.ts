/** Value that a chain issues, in our own layout. */
import { expect, test } from 'vitest'
import { openChain } from './chain.js'
import { UnreadableRowError } from './ledger-file-error.js'
import { transfersCsv } from './transfers-csv.js'

const read = (chain: string, fields: Readonly<Record<string, string>>) =>
  transfersCsv.open(openChain(chain)!).read({
    ...{ line: 1, text: (name) => fields[name] ?? '', json: () => null },
    ...{ has: (name) => Object.hasOwn(fields, name), names: Object.keys(fields) },
  })
const to = `0x${'1'.repeat(40)}`
const row = { chain: 'ETH', kind: 'issuance', from_address: '', to_address: to, amount_raw: '5', amount: '' }

test('issued value comes from nobody, and that is known', () => {
  expect(read('ETH', row)).toMatchObject([
    { type: 'transfer', transfer: { kind: 'internal', from: 'issuance', to, amount: 5n } },
  ])
})

test('issued value with a payer, and on a chain whose coinbases tell it, is refused', () => {
  expect(() => read('ETH', { ...row, from_address: `0x${'2'.repeat(40)}` })).toThrow(UnreadableRowError)
  expect(() => read('BTC', { ...row, chain: 'BTC', to_address: '' })).toThrow(UnreadableRowError)
})

test('coins of a pool have one end, and an asset without a contract is a token outside the asset table', () => {
  const [one, two] = ['T9yD14Nj9j7xAB4dbGeiX9h8unkKLxmGkn', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKT76qbH']
  const told = {
    chain: 'TRX',
    asset_address: '',
    from_address: one,
    to_address: '',
    amount_raw: '5',
    amount: '',
  }
  const pooled = { ...told, kind: 'pool' }
  expect(read('TRX', pooled)).toMatchObject([
    { type: 'balance', transfer: { kind: 'native', contract: '', from: one, to: '', amount: 5n } },
  ])
  const asset = { ...told, kind: 'trc10', to_address: two, asset_address: 'trc10:1000001' }
  expect(read('TRX', asset)).toMatchObject([
    { type: 'transfer', transfer: { kind: 'token', contract: 'trc10:1000001', amount: 5n } },
  ])
  for (const row of [
    { ...pooled, to_address: two },
    { ...pooled, from_address: '' },
    { ...asset, asset_address: 'trc10:' },
    { ...asset, asset_address: two },
  ])
    expect(() => read('TRX', row)).toThrow(UnreadableRowError)
  expect(() => read('ETH', { ...pooled, chain: 'ETH', from_address: to })).toThrow(UnreadableRowError)
})

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

import { describe, expect, test } from 'vitest'
import { differingLines, type ToldHistory } from './compare-histories.js'

const line = (over: Readonly<Record<string, string>> = {}) => ({
  ...{ block_number: '100', tx_hash: '0x01', kind: 'native', asset_address: '', log_index: '' },
  ...{ from_address: '0xa', to_address: '0xb', amount_raw: '5', status: '1', ...over },
})
const told = (lines: ToldHistory['lines'], over: Partial<ToldHistory> = {}): ToldHistory => ({
  ...{ kinds: ['native', 'internal', 'token'], height: 200, lines, ...over },
})
const spend = (value: string) => ({
  ...{ hash: 'ab', block_number: 100, inputs: [{ addresses: ['x'], value }] },
  outputs: [
    { addresses: ['y'], value: '2' },
    { addresses: ['x'], value: '1' },
  ],
})

describe('two histories are alike', () => {
  test.each<[string, ToldHistory, ToldHistory]>([
    [
      'in another order',
      told([line(), line({ kind: 'internal' })]),
      told([line({ kind: 'internal' }), line()]),
    ],
    ['with other places in a transaction', told([line({ log_index: '7' })]), told([line({ log_index: '' })])],
    ['above the lower head', told([line(), line({ block_number: '150' })]), told([line()], { height: 120 })],
    ['in what failed', told([line({ status: '0' })]), told([])],
    ['in what moves nothing', told([line({ amount_raw: '0' })]), told([])],
    ['in tokens outside the asset table', told([line({ kind: 'token', asset_address: '0xc' })]), told([])],
    ['in kinds that one cannot give', told([line({ kind: 'internal' })]), told([], { kinds: ['native'] })],
    [
      'in the order of outputs',
      told([spend('3')]),
      told([{ ...spend('3'), outputs: spend('3').outputs.toReversed() }]),
    ],
  ])('%s', (_name, first, second) => {
    expect(differingLines('ETH', first, second)).toEqual({ first: [], second: [] })
    expect(differingLines('ETH', second, first)).toEqual({ first: [], second: [] })
  })
})

describe('two histories differ', () => {
  test.each<[string, ToldHistory, ToldHistory, number, number]>([
    ['in a transfer that one leaves out', told([line()]), told([]), 1, 0],
    ['in how often it happened', told([line(), line()]), told([line()]), 1, 0],
    ['in an amount', told([line()]), told([line({ amount_raw: '6' })]), 1, 1],
    ['in the sender', told([line()]), told([line({ from_address: '0xd' })]), 1, 1],
    ['in the outcome', told([line({ status: '0' })]), told([line()]), 0, 1],
    ['in an input', told([spend('3')]), told([spend('4')]), 1, 1],
    ['in what the chain issues', told([line({ kind: 'issuance', from_address: '' })]), told([]), 1, 0],
    ['in a transfer of an unknown kind', told([line({ kind: 'gift' })]), told([]), 1, 0],
    ['in a transfer without a height', told([line({ block_number: '' })]), told([]), 1, 0],
    [
      'in a transfer whose height is left out',
      told([{ ...line(), block_number: undefined }]),
      told([]),
      1,
      0,
    ],
  ])('%s', (_name, first, second, ofFirst, ofSecond) => {
    const found = differingLines('ETH', first, second)
    expect([found.first.length, found.second.length]).toEqual([ofFirst, ofSecond])
  })
})

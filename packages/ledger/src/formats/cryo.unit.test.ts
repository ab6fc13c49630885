import { expect, test } from 'vitest'
import { ISSUANCE } from '@cupel/domain'
import { blocks } from './blocks.js'
import { openChain } from './chain.js'
import { cryo } from './cryo.js'
import { UnreadableRowError } from './ledger-file-error.js'
import type { FileRecord, LedgerRow } from './ledger-row.js'

type Fields = Readonly<Record<string, string>>

const chain = openChain('ETH')!
const address = (digit: number): string => `0x${String(digit).repeat(40)}`
const HASH = `0x${'ab'.repeat(32)}`

const recordOf = (fields: Fields): FileRecord => ({
  line: 1,
  text: (name) => fields[name] ?? '',
  json: () => null,
  has: (name) => Object.hasOwn(fields, name),
  names: Object.keys(fields),
})

function rowsOf(...all: readonly Fields[]): readonly LedgerRow[] {
  const records = all.map(recordOf)
  const reader = cryo.open(chain)
  expect(cryo.knows(records[0]!)).toBe(true)
  if (cryo.isSurveyed!(records[0]!, chain)) for (const record of records) reader.survey!(record)
  return records.flatMap((record) => reader.read(record))
}

const transaction: Fields = {
  ...{ block_number: '17000000', transaction_index: '3', transaction_hash: HASH, nonce: '1', gas_price: '1' },
  ...{
    from_address: address(1),
    to_address: address(2),
    success: 'true',
    chain_id: '1',
    timestamp: '1683028800',
  },
  ...{ value_binary: '', value_string: '', value_f64: '' },
}

test.each([
  ['its digits', { value_string: '1000000000000000000007', value_f64: '1e21' }],
  ['its bytes', { value_binary: `0x${(10n ** 21n + 7n).toString(16).padStart(64, '0')}`, value_f64: '1e21' }],
])('a transaction has the exact value of %s, never of the float', (_name, value) => {
  expect(rowsOf({ ...transaction, ...value })).toMatchObject([
    {
      type: 'transfer',
      transfer: {
        ...{ kind: 'native', txHash: HASH, from: address(1), to: address(2), amount: 10n ** 21n + 7n },
        ...{ blockNumber: 17_000_000, txIndex: 3, occurredAtS: 1_683_028_800, execution: 'proven' },
      },
    },
  ])
  expect(cryo.covers(recordOf(transaction), chain)).toEqual(['native'])
})

test('a transaction without success failed, and one without a value is refused', () => {
  const failed = rowsOf({ ...transaction, success: 'false', value_string: '5' })
  expect(failed).toMatchObject([{ transfer: { execution: 'failed' } }])
  expect(() => rowsOf(transaction)).toThrow(UnreadableRowError)
})

test('a row of another chain is refused', () => {
  expect(() => rowsOf({ ...transaction, value_string: '5', chain_id: '56' })).toThrow(
    'chain_id is 56, and that of ETH is 1',
  )
})

test('a transfer of a token has its contract and the place of its log', () => {
  const token = {
    erc20: address(9),
    log_index: '7',
    value_string: '5',
    transaction_hash: HASH,
    chain_id: '1',
  }
  const fields = { ...token, from_address: address(1), to_address: address(2), block_number: '17000000' }
  expect(rowsOf(fields)).toMatchObject([
    { type: 'transfer', transfer: { kind: 'token', contract: address(9), index: '7', amount: 5n, place: 7 } },
  ])
  expect(cryo.covers(recordOf(fields), chain)).toEqual(['token'])
})

const call: Fields = {
  ...{ action_type: 'call', action_from: address(1), action_to: address(2), action_value: '5' },
  ...{ action_call_type: 'call', trace_address: '0_1', error: '', result_address: '', chain_id: '1' },
  ...{ block_number: '17000000', transaction_index: '3', transaction_hash: HASH },
}

test('calls, creations, self-destructions and rewards move value, and borrowed code does not', () => {
  const rows = rowsOf(
    call,
    { ...call, trace_address: '1', action_call_type: 'delegate_call' },
    {
      ...call,
      trace_address: '2',
      action_type: 'create',
      action_call_type: 'none',
      action_to: '',
      result_address: address(3),
    },
    { ...call, trace_address: '3', action_type: 'suicide', action_call_type: '' },
    {
      ...call,
      trace_address: '',
      action_type: 'reward',
      action_call_type: '',
      action_from: address(4),
      action_to: '',
      transaction_hash: '',
    },
  )
  expect(rows).toMatchObject([
    { transfer: { kind: 'internal', index: '0,1', from: address(1), to: address(2), execution: 'proven' } },
    { type: 'left-out', reason: 'no_movement' },
    { transfer: { index: '2', to: address(3) } },
    { transfer: { index: '3', to: address(2) } },
    { transfer: { from: ISSUANCE, to: address(4) } },
  ])
  expect(cryo.covers(recordOf(call), chain)).toEqual(['internal'])
})

test('a call within a failed call has failed, and an unknown type is refused', () => {
  const rows = rowsOf(call, { ...call, trace_address: '0', error: 'Reverted' })
  expect(rows).toMatchObject([{ transfer: { execution: 'failed' } }, { transfer: { execution: 'failed' } }])
  expect(() => rowsOf({ ...call, action_type: 'gift' })).toThrow('the trace type gift call is unknown')
})

test('native_transfers, which do not tell calls from transactions, are not a known data set', () => {
  const fields = {
    transfer_index: '1',
    transaction_hash: HASH,
    from_address: address(1),
    to_address: address(2),
    value_string: '5',
  }
  expect(cryo.knows(recordOf(fields))).toBe(false)
})

test('a block of cryo gives its time', () => {
  const block = recordOf({
    block_number: '17000000',
    author: address(1),
    timestamp: '1683028800',
    chain_id: '1',
  })
  expect(blocks.knows(block)).toBe(true)
  expect(blocks.open(chain).read(block)).toEqual([
    { type: 'block', line: 1, height: 17_000_000, atS: 1_683_028_800 },
  ])
})

/** Readers read a closed world: what has no certain meaning refuses its row, and is never the harmless case. */
import { describe, expect, test } from 'vitest'
import { openChain } from './chain.js'
import { ledgerFormats } from './formats.js'
import { UnreadableRowError } from './ledger-file-error.js'
import type { FileRecord, LedgerRow, ToldTransfer } from './ledger-row.js'

type Fields = Readonly<Record<string, string>>

const recordOf = (fields: Fields, line: number): FileRecord => ({
  line,
  text: (name) => fields[name] ?? '',
  json: () => null,
  has: (name) => Object.hasOwn(fields, name),
  names: Object.keys(fields),
})

function rowsOf(format: string, all: readonly Fields[], chain = 'ETH'): readonly LedgerRow[] {
  const definition = openChain(chain)!
  const reader = ledgerFormats[format]!.open(definition)
  const records = all.map((fields, index) => recordOf(fields, index + 2))
  if (ledgerFormats[format]!.isSurveyed?.(records[0]!, definition) === true)
    for (const record of records) reader.survey?.(record)
  return records.flatMap((record) => reader.read(record))
}

const transfersOf = (rows: readonly LedgerRow[]): readonly ToldTransfer[] =>
  rows.flatMap((row) => (row.type === 'transfer' ? [row.transfer] : []))

const address = (digit: number): string => `0x${String(digit).repeat(40)}`

const [AA, BB] = [`0x${'a'.repeat(64)}`, `0x${'b'.repeat(64)}`] as const

const transaction: Fields = {
  ...{ hash: AA, nonce: '1', block_number: '20', transaction_index: '0', gas_price: '1' },
  ...{ from_address: address(1), to_address: address(2), value: '5', block_timestamp: '1700000000' },
  receipt_status: '1',
}
const row: Fields = {
  ...{ chain: 'ETH', block_number: '20', block_time: '2026-09-03T10:00:00Z', tx_hash: AA, log_index: '' },
  ...{ kind: 'native', asset: 'ETH', asset_address: '', from_address: address(1), to_address: address(2) },
  ...{ amount_raw: '5', amount: '', status: '1', transaction_index: '' },
}

const SUCCESS = ['1', '1.0', '1.00', 'True', 'true', 'TRUE', '0x1']
const FAILURE = ['0', '0.0', 'False', 'false', '0x0']
const UNKNOWN = ['2', 'ok', 'nan', 'NaN', 'None', 'null', '-1', '0.5', '1.1', '0x2', 'yes', ' ']

describe('the status of a transaction', () => {
  test.each(SUCCESS)('%s is success', (status) => {
    expect(transfersOf(rowsOf('ethereum-etl', [{ ...transaction, receipt_status: status }]))).toMatchObject([
      { execution: 'proven' },
    ])
    expect(transfersOf(rowsOf('csv', [{ ...row, status }]))).toMatchObject([{ execution: 'proven' }])
  })

  test.each(FAILURE)('%s is failure', (status) => {
    expect(transfersOf(rowsOf('ethereum-etl', [{ ...transaction, receipt_status: status }]))).toMatchObject([
      { execution: 'failed' },
    ])
    expect(transfersOf(rowsOf('csv', [{ ...row, status }]))).toMatchObject([{ execution: 'failed' }])
  })

  test.each(UNKNOWN)('"%s" refuses the row of a transaction, a receipt and a trace', (status) => {
    const receipt = { transaction_hash: AA, cumulative_gas_used: '1', status }
    for (const read of [
      () => rowsOf('ethereum-etl', [{ ...transaction, receipt_status: status }]),
      () => rowsOf('ethereum-etl', [receipt]),
      () => rowsOf('csv', [{ ...row, status }]),
    ])
      expect(read).toThrow(UnreadableRowError)
  })

  test('of a receipt is read in every spelling', () => {
    const receipt = { transaction_hash: AA, cumulative_gas_used: '1' }
    for (const status of SUCCESS)
      expect(rowsOf('ethereum-etl', [{ ...receipt, status }])).toMatchObject([
        { outcome: { succeeded: true } },
      ])
    for (const status of FAILURE)
      expect(rowsOf('ethereum-etl', [{ ...receipt, status }])).toMatchObject([
        { outcome: { succeeded: false } },
      ])
  })
})

describe('a time', () => {
  test.each([
    '2026-09-03',
    '2026-09-03T10:00:00Z',
    '2026-09-03T12:00:00+02:00',
    '2026-09-03 10:00:00 UTC',
    '2026-09-03 10:00:00',
    '2026-09-03T10:00',
    '1788429600',
    '1788429600.0',
  ])('%s is read', (time) => {
    const [transfer] = transfersOf(rowsOf('csv', [{ ...row, block_time: time }]))
    expect([Date.UTC(2026, 8, 3) / 1_000, Date.UTC(2026, 8, 3, 10) / 1_000]).toContain(transfer!.occurredAtS)
  })

  test.each([
    '03/09/2026',
    '09/03/2026',
    '3.9.2026',
    '46268',
    '20260903',
    '2026-02-30',
    '2026-13-01',
    'Sep 3, 2026',
    '2026',
    '1788429600000',
    '2015-07-29',
    '-1',
    '1.7e9',
  ])('%s refuses its row', (time) => {
    expect(() => rowsOf('csv', [{ ...row, block_time: time }])).toThrow(UnreadableRowError)
    expect(() => rowsOf('blocks', [{ number: '7', timestamp: time }])).toThrow(UnreadableRowError)
  })

  test('of the block of genesis may be absent as 0', () => {
    const genesis = { ...transaction, block_number: '0', block_timestamp: '0' }
    expect(transfersOf(rowsOf('ethereum-etl', [genesis]))).toMatchObject([{ occurredAtS: null }])
    expect(rowsOf('blocks', [{ number: '0', timestamp: '0' }])).toEqual([
      { type: 'left-out', reason: 'no_time' },
    ])
  })
})

test.each([
  ['an unknown kind', { kind: 'airdrop' }],
  ['a negative amount', { amount_raw: '-5' }],
  ['no amount', { amount_raw: '', amount: '' }],
  ['an amount that the base units deny', { amount_raw: '0', amount: '5000.0' }],
  ['an amount of another unit than the base units', { amount_raw: '7', amount: '0.000000000000007' }],
  ['base units of another unit than the amount', { amount_raw: '7000000000', amount: '0.000000000000007' }],
  ['base units that may have a point for thousands', { amount_raw: '250.000' }],
  ['base units that may be whole coins', { amount_raw: '50.0' }],
  ['base units that may be whole coins, with an exponent', { amount_raw: '5e1' }],
  ['coins that are base units', { amount_raw: '', amount: '50000000000000000000' }],
  ['base units that were scaled once more', { amount_raw: `5${'0'.repeat(37)}` }],
  ['a unit in a column of another layout', { unit: 'ether' }],
  ['a direction in a column of another layout', { direction: 'out' }],
  ['a failure in a column of another layout', { isError: '1' }],
  ['a status under another name', { Status: '0' }],
  ['a value under no name', { '': '0' }],
  ['a height that may have a point for thousands', { block_number: '15.000' }],
  ['a spent output on a chain without outputs', { kind: 'utxo' }],
  ['a kind that only JavaScript knows', { kind: 'constructor' }],
  ['a token without a contract', { kind: 'erc20', asset: 'USDT' }],
  ['a token’s name as a native asset', { asset: 'USDT' }],
  ['a contract in a native row', { asset_address: address(3) }],
  ['a height that is not a number', { block_number: 'latest' }],
])('a row with %s is refused', (_name, fields) => {
  expect(() => rowsOf('csv', [{ ...row, ...fields }])).toThrow(UnreadableRowError)
})

test('an empty column of another layout states nothing', () => {
  expect(transfersOf(rowsOf('csv', [{ ...row, note: ' ' }]))).toMatchObject([{ amount: 5n }])
})

test('coins that move as outputs are spent outputs, whichever word a row has for them', () => {
  const [payer, payee] = ['1DoQeKfU3dYhN9bxMpFFcVUnufCPDqSPae', '1HaHTfmvoUW6i6nhJf8jJs6tU4cHNmBQHQ']
  const coins = { ...row, chain: 'BTC', asset: 'BTC', from_address: payer, to_address: payee }
  for (const kind of ['utxo', 'native', 'UTXO'])
    expect(transfersOf(rowsOf('csv', [{ ...coins, kind }], 'BTC'))).toMatchObject([
      { kind: 'utxo', from: payer, to: payee, amount: 5n, fromNet: -5n },
    ])
  expect(() => rowsOf('csv', [{ ...coins, kind: 'internal' }], 'BTC')).toThrow(
    'BTC has no transfers of the kind',
  )
})

/** Bitcoin Core writes 12 bitcoins as 12.0, and a data frame writes 12 satoshis so. */
test.each([
  ['BTC', 'native', '5000000000.0', '50.0'],
  ['BTC', 'native', '1e+8', '99999999.0'],
  ['DOGE', 'native', '1e+12', '5000000000.0'],
  ['TRX', 'native', '1000000000000.0', '1000000.0'],
  ['ETH', 'native', '1.2e+21', '1e+14'],
  ['ETH', 'token', '1000000000000.0', '999999999999.0'],
])(
  'on %s a %s amount of %s is certainly in base units, and one of %s is not',
  (chain, kind, certain, other) => {
    const token =
      kind === 'token' ? { asset: 'USDT', asset_address: '0xdac17f958d2ee523a2206206994597c13d831ec7' } : {}
    const place = { block_time: '', tx_hash: '', from_address: '', to_address: '' }
    const units = (amount_raw: string) =>
      transfersOf(rowsOf('csv', [{ ...row, asset: '', ...place, ...token, chain, kind, amount_raw }], chain))
    expect(units(certain)).toMatchObject([{ amount: BigInt(Number(certain)) }])
    expect(() => units(other)).toThrow('may be whole coins instead of base units')
    expect(units('0.0')).toMatchObject([{ amount: 0n }])
  },
)

test('a value of ethereum-etl that may be whole coins refuses its row', () => {
  expect(() => rowsOf('ethereum-etl', [{ ...transaction, value: '50.0' }])).toThrow('may be whole coins')
})

test.each([
  ['rounded', '14900000000000000', '0.01'],
  ['written for people', '1234500000000000000000', '1,234.5'],
  ['cut to nothing', '5', '0.00'],
])('an amount that is %s does not deny its base units', (_name, raw, amount) => {
  const rows = rowsOf('csv', [{ ...row, amount_raw: raw, amount }])
  expect(transfersOf(rows)).toMatchObject([{ amount: BigInt(raw) }])
})

test.each([
  ['0.5', 1n],
  ['1e-9', 1n],
  ['2.5', 2n],
  ['0.0', 0n],
])('%s of a token whose decimals nobody knows is %s, and a part of one is not nothing', (amount, units) => {
  const token = { ...row, kind: 'token', asset: 'NEW', asset_address: address(3), amount_raw: '', amount }
  expect(transfersOf(rowsOf('csv', [token]))).toMatchObject([{ amount: units }])
})

test('a transaction without a value is refused, and not of no value', () => {
  expect(() => rowsOf('ethereum-etl', [{ ...transaction, value: '' }])).toThrow(UnreadableRowError)
})

test('a reward with a payer is refused, and not issuance', () => {
  const reward = { ...transaction, trace_type: 'reward', trace_address: '' }
  expect(() => rowsOf('ethereum-etl', [reward])).toThrow('a reward with a payer')
  expect(rowsOf('ethereum-etl', [{ ...reward, from_address: '' }])).toMatchObject([
    { transfer: { from: 'issuance' } },
  ])
})

describe('traces', () => {
  const parity: Fields = {
    ...{ block_number: '20', transaction_hash: AA, transaction_index: '1', trace_type: 'call' },
    ...{ call_type: 'call', from_address: address(1), to_address: address(2), value: '7', trace_address: '' },
    ...{ error: '', status: '1', block_timestamp: '' },
  }
  const asGeth = (trace: Fields): Fields => ({ ...trace, transaction_hash: '', status: '' })
  const world: readonly Fields[] = [
    parity,
    { ...parity, trace_address: '0', from_address: address(2), to_address: address(3), value: '2' },
    { ...parity, transaction_hash: BB, transaction_index: '2', status: '0', error: 'out of gas' },
    {
      ...{ ...parity, transaction_hash: BB, transaction_index: '2', trace_address: '0' },
      ...{ from_address: address(2), to_address: address(4), value: '6', status: '0' },
    },
  ]
  const edges = (rows: readonly LedgerRow[]) =>
    transfersOf(rows)
      .filter(({ execution }) => execution !== 'failed')
      .map(({ from, to, amount, execution, index }) => ({ from, to, amount, execution, index }))

  test('of geth and Parity give the same edges, and nothing inside a failed call counts', () => {
    const expected = [{ from: address(2), to: address(3), amount: 2n, execution: 'proven', index: '0' }]
    expect(edges(rowsOf('ethereum-etl', world))).toEqual(expected)
    expect(edges(rowsOf('ethereum-etl', world.map(asGeth)))).toEqual(expected)
  })

  test.each([
    ['of an unknown type', { trace_type: 'transfer' }],
    ['of no type', { trace_type: '' }],
    ['of an unknown call type', { call_type: 'extcall' }],
    ['without a value', { value: '', trace_address: '0' }],
    ['whose error is another word', { error: 'ok', status: '', trace_address: '0' }],
    ['whose error denies an error', { error: 'no error', status: '', trace_address: '0' }],
    ['with an error that a hole became', { error: 'nan', status: '', trace_address: '0' }],
    ['with an error and the status of success', { error: 'out of gas', trace_address: '0' }],
    ['without a transaction', { transaction_hash: '', transaction_index: '' }],
  ])('%s are refused, and not without movement', (_name, fields) => {
    expect(() => rowsOf('ethereum-etl', [{ ...parity, ...fields }])).toThrow(UnreadableRowError)
  })
})

test('a heading that no reader knows is known to none, and every known one has its columns', () => {
  const fieldsOf = (...names: readonly string[]) => ({ has: (name: string) => names.includes(name) })
  for (const format of Object.values(ledgerFormats)) {
    expect(format.knows(fieldsOf('<html><body>'))).toBe(false)
    expect(format.knows(fieldsOf('error', 'message'))).toBe(false)
  }
  expect(ledgerFormats['csv']!.knows({ has: (name) => Object.hasOwn(row, name) })).toBe(true)
  expect(ledgerFormats['ethereum-etl']!.knows({ has: (name) => Object.hasOwn(transaction, name) })).toBe(true)
  expect(ledgerFormats['ethereum-etl']!.knows(fieldsOf('gas_price', 'hash', 'from_address'))).toBe(false)
})

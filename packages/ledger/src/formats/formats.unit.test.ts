/** The meaning of a file's records: the transfers, joins, blocks and outcomes that they state. */
import { describe, expect, test } from 'vitest'
import { bitcoinAddress } from '../../test/bitcoin-address.js'
import { foldedHash, openChain } from './chain.js'
import { isCoinJoin } from './coin-join.js'
import { ledgerFormats } from './formats.js'
import { UnreadableRowError } from './ledger-file-error.js'
import type { FileRecord, LedgerRow, ToldTransfer } from './ledger-row.js'
import { placeOfCall } from './trace-place.js'

type Fields = Readonly<Record<string, unknown>>

const recordOf = (fields: Fields, line = 1): FileRecord => ({
  line,
  text: (name) => (fields[name] === undefined || fields[name] === null ? '' : String(fields[name] as string)),
  json: (name) => fields[name],
  has: (name) => Object.hasOwn(fields, name),
  names: Object.keys(fields),
})

/** Reads the records as one file. */
function rowsOf(format: string, chain: string, all: readonly Fields[]): readonly LedgerRow[] {
  const definition = openChain(chain)!
  const reader = ledgerFormats[format]!.open(definition)
  const records = all.map((fields, index) => recordOf(fields, index + 1))
  if (ledgerFormats[format]!.isSurveyed?.(records[0]!, definition) === true)
    for (const record of records) reader.survey?.(record)
  return records.flatMap((record) => reader.read(record))
}

const transfersOf = (rows: readonly LedgerRow[]): readonly ToldTransfer[] =>
  rows.flatMap((row) => (row.type === 'transfer' ? [row.transfer] : []))

const DIGITS = 'ab0'.padEnd(64, '9c')
const UPPER = DIGITS.toUpperCase()

describe('a transaction hash', () => {
  test.each([
    ['ETH', [`0x${DIGITS}`, `0x${UPPER}`, `0X${UPPER}`, DIGITS, UPPER], `0x${DIGITS}`],
    ['BTC', [DIGITS, UPPER, `0x${DIGITS}`], DIGITS],
    ['XRP', [DIGITS, UPPER], DIGITS],
    ['TON', [DIGITS, UPPER], DIGITS],
  ])('of %s has one form for %j', (chain, texts, form) => {
    for (const text of texts) expect(foldedHash(text, openChain(chain)!, 1)).toBe(form)
  })

  test('in base58 keeps its case', () => {
    const signature = '5UfDuX7hXbGjGHqPXRGaHd'.repeat(4)
    expect(foldedHash(signature, openChain('SOL')!, 1)).toBe(signature)
  })

  test.each([
    ...['nan', 'None', 'N/A', '-', '1e', 'dead', '0xdead', '0x', '12', '2026-09-03', 'A'.repeat(30)],
    ...[DIGITS.slice(1), `${DIGITS}0`, `0x${DIGITS.slice(2)}`],
  ])('is never the word %s, which has another length', (word) => {
    for (const chain of ['ETH', 'BTC', 'TRX', 'XRP', 'ADA', 'ATOM', 'XLM', 'XMR', 'ALGO', 'TON'])
      expect(() => foldedHash(word, openChain(chain)!, 1)).toThrow(`${word} is not the hash of a transaction`)
    expect(foldedHash('', openChain('ETH')!, 1)).toBe('')
  })
})

describe('a row of the transfers CSV', () => {
  const row = {
    chain: 'BASE',
    kind: 'native',
    asset: 'ETH',
    from_address: '0x6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0',
    to_address: '0xcd234a471b72ba2f1ccf0a70fcaba648a5eecd8d',
    amount_raw: '5',
  }
  const all = Object.fromEntries(
    ['block_number', 'block_time', 'tx_hash', 'log_index', 'asset_address', 'amount'].map((name) => [
      name,
      '',
    ]),
  )

  test('of a chain code that only looks like the chain’s is refused', () => {
    expect(transfersOf(rowsOf('csv', 'BASE', [{ ...all, ...row, chain: 'base' }]))).toHaveLength(1)
    expect(() => rowsOf('csv', 'BASE', [{ ...all, ...row, chain: 'ba\u017fe' }])).toThrow('is unknown')
    expect(rowsOf('csv', 'BASE', [{ ...all, ...row, chain: 'eth' }])).toEqual([
      { type: 'left-out', reason: 'other_chain' },
    ])
  })
})

describe('a transaction of ethereum-etl', () => {
  const sender = '0x6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0'
  const creation = {
    hash: `0x${UPPER}`,
    nonce: 1,
    from_address: sender,
    to_address: '',
    value: '5',
    gas_price: 1,
    input: '0x60',
  }

  test('that creates a contract with value is a transfer to the contract, told or computed', () => {
    // These contracts are known: the account created them with nonces 0, 1 and 2.
    const created = [0, 1, 2].map((nonce) =>
      transfersOf(rowsOf('ethereum-etl', 'ETH', [{ ...creation, nonce }])).map(({ to }) => to),
    )
    expect(created).toEqual([
      ['0xcd234a471b72ba2f1ccf0a70fcaba648a5eecd8d'],
      ['0x343c43a37d37dff08ae8c4a11544c718abb4fcf8'],
      ['0xf778b86fa74e846c4f0a1fbd1335fe81c00a0c91'],
    ])
    const told = {
      ...creation,
      input: '',
      receipt_contract_address: '0x00000000000000000000000000000000000000FF',
    }
    expect(transfersOf(rowsOf('ethereum-etl', 'ETH', [told]))).toMatchObject([
      {
        to: '0x00000000000000000000000000000000000000ff',
        amount: 5n,
        txHash: `0x${DIGITS}`,
        execution: 'unknown',
      },
    ])
  })

  test.each([{ input: '0x' }, { input: '' }, { nonce: '' }])(
    'without a receiver that does not certainly create a contract is unreadable: %o',
    (missing) => {
      expect(() => rowsOf('ethereum-etl', 'ETH', [{ ...creation, ...missing }])).toThrow(UnreadableRowError)
    },
  )

  test.each([
    ['', 'unknown'],
    ['1', 'proven'],
    ['0', 'failed'],
  ])('with the status "%s" is %s', (receipt_status, execution) => {
    expect(
      transfersOf(rowsOf('ethereum-etl', 'ETH', [{ ...creation, receipt_status, to_address: sender }])),
    ).toMatchObject([{ execution }])
  })
})

describe('traces of ethereum-etl', () => {
  const address = (digit: number): string => `0x${String(digit).repeat(40)}`
  const trace = (fields: Fields): Fields => ({
    ...{
      block_number: 7,
      transaction_hash: UPPER,
      transaction_index: 3,
      trace_type: 'call',
      call_type: 'call',
    },
    ...{ from_address: address(1), to_address: address(2), value: '10', trace_address: '', error: '' },
    status: '1',
    ...fields,
  })

  test('calls, creations and self-destructions move value; borrowed code and rewards do not', () => {
    const rows = rowsOf('ethereum-etl', 'ETH', [
      trace({}),
      trace({ trace_address: '0' }),
      trace({ trace_address: '1', trace_type: 'create', call_type: '' }),
      trace({ trace_address: '2', trace_type: 'suicide', call_type: '' }),
      trace({ trace_address: '3', call_type: 'delegatecall' }),
      trace({ trace_address: '4', call_type: 'staticcall' }),
      trace({ trace_type: 'reward', call_type: '', transaction_hash: '', from_address: '' }),
    ])
    expect(transfersOf(rows).map(({ index, txIndex, execution }) => [index, txIndex, execution])).toEqual([
      ['0', 3, 'proven'],
      ['1', 3, 'proven'],
      ['2', 3, 'proven'],
      [null, 3, 'proven'],
    ])
    expect(rows.at(-1)).toMatchObject({
      type: 'transfer',
      transfer: { from: 'issuance', to: address(2), amount: 10n },
    })
    expect(rows.filter(({ type }) => type === 'left-out')).toEqual([
      { type: 'left-out', reason: 'no_movement' },
      { type: 'left-out', reason: 'no_movement' },
    ])
  })

  test('the outermost call is the transaction itself and tells its outcome', () => {
    const outcome = { txHash: `0x${DIGITS}`, succeeded: false }
    expect(rowsOf('ethereum-etl', 'ETH', [trace({ status: '', error: 'Reverted' })])).toEqual([
      { type: 'outcome', outcome },
    ])
    expect(rowsOf('ethereum-etl', 'ETH', [trace({ status: '' })])).toEqual([
      { type: 'left-out', reason: 'transaction_itself' },
    ])
  })

  test('a call in a failed call has failed, wherever the file tells it; its siblings have not', () => {
    const rows = rowsOf('ethereum-etl', 'ETH', [
      trace({ trace_address: '0,1,0' }),
      trace({ trace_address: '0,1', error: 'Out of gas', status: '' }),
      trace({ trace_address: '0,10' }),
      trace({ trace_address: '[0, 2]' }),
      trace({ trace_address: '0,1', transaction_hash: `0x${'cd'.repeat(32)}` }),
    ])
    expect(transfersOf(rows).map(({ index, execution }) => [index, execution])).toEqual([
      ['0,1,0', 'failed'],
      ['0,1', 'failed'],
      ['0,10', 'proven'],
      ['0,2', 'proven'],
      ['0,1', 'proven'],
    ])
  })

  test('a trace without a status is of unknown execution', () => {
    expect(
      transfersOf(rowsOf('ethereum-etl', 'ETH', [trace({ trace_address: '0', status: '' })])),
    ).toMatchObject([{ execution: 'unknown' }])
  })

  test('calls are ordered as they began', () => {
    const began = [
      [0],
      [0, 0],
      [0, 0, 13],
      [0, 0, 14],
      [0, 0, 15],
      [0, 1],
      [0, 300],
      [0, 301],
      [1],
      [14],
      [65_535],
    ]
    const places = began.map((call) => placeOfCall(call)!)
    expect([...places].sort((a, b) => a - b)).toEqual(places)
    expect(new Set(places).size).toBe(began.length)
    expect(placeOfCall(Array.from({ length: 14 }, () => 0))).toBeNull()
    expect(placeOfCall([70_000])).toBeNull()
  })
})

const [a, b, c, d, e] = [
  '1DoQeKfU3dYhN9bxMpFFcVUnufCPDqSPae',
  '1PZMgkF2x161qvfP7dhoWSEEU3SjnQE1m9',
  '1HaHTfmvoUW6i6nhJf8jJs6tU4cHNmBQHQ',
  '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
  '12cbQLTFMXRnSzktFkuoG3eHoMeFtpTu3S',
] as const
const part = (owner: string, value: number) => ({ addresses: [owner], value })
const bitcoin = (inputs: readonly object[], outputs: readonly object[], fields: Fields = {}) =>
  rowsOf('bitcoin-etl', 'BTC', [
    { hash: UPPER, block_number: 9, index: 2, timestamp: 1_762_917_100, inputs, outputs, ...fields },
  ])
const edges = (rows: readonly LedgerRow[]) =>
  transfersOf(rows).map(({ from, to, amount }) => [from, to, Number(amount)])
/** The change of each balance, by address. */
function netsOf(rows: readonly LedgerRow[]): Readonly<Record<string, number>> {
  const nets: Record<string, number> = {}
  for (const row of rows) {
    if (row.type !== 'transfer' && row.type !== 'balance') continue
    const { from, to, fromNet, toNet } = row.transfer
    if (fromNet !== undefined) nets[from] = Number(fromNet) + (nets[from] ?? 0)
    if (toNet !== undefined) nets[to] = Number(toNet) + (nets[to] ?? 0)
  }
  return nets
}

describe('a transaction of bitcoin-etl', () => {
  test('an output to the address of any input is change, and joins its inputs', () => {
    const rows = bitcoin([part(a, 300), part(b, 100)], [part(c, 200), part(a, 196)])
    expect(edges(rows)).toEqual([
      [a, c, 150],
      [b, c, 50],
    ])
    expect(rows.at(-1)).toEqual({ type: 'inputs', txHash: DIGITS, addresses: [a, b].sort() })
  })

  test('tells the exact change of every balance, whatever was rounded or left out', () => {
    expect(netsOf(bitcoin([part(a, 300), part(b, 101)], [part(c, 200), part(a, 196)]))).toEqual({
      [a]: -104,
      [b]: -101,
      [c]: 200,
    })
    expect(netsOf(bitcoin([part(a, 300)], [part(a, 290)]))).toEqual({ [a]: -10 })
    expect(netsOf(bitcoin([], [part(d, 50)], { is_coinbase: true }))).toEqual({ [d]: 50 })
  })

  test('without the values of its inputs tells no transfer', () => {
    for (const fields of [{}, { input_value: 0 }])
      expect(bitcoin([{ addresses: [a] }], [part(c, 1)], fields)).toEqual([
        { type: 'left-out', reason: 'no_input_values' },
      ])
  })

  test.each<[string, readonly object[], readonly object[], Fields]>([
    ['a coinbase that spends', [part(a, 5)], [part(c, 5)], { is_coinbase: true }],
    ['no output', [part(a, 5)], [], {}],
    ['fewer outputs than it states', [part(a, 5)], [part(c, 1)], { output_count: 2 }],
    ['fewer inputs than it states', [part(a, 5)], [part(c, 5)], { input_count: 2 }],
    ['outputs of another sum than it states', [part(a, 5)], [part(c, 1)], { output_value: 5 }],
    ['inputs of another sum than it states', [part(a, 5)], [part(c, 5)], { input_value: 9 }],
    ['inputs of value and a sum of 0', [part(a, 5)], [part(c, 5)], { input_value: 0 }],
    ['values that may be whole coins', [part(a, 5)], [{ addresses: [c], value: '5.0' }], {}],
  ])('with %s is refused', (_name, inputs, outputs, fields) => {
    expect(() => bitcoin(inputs, outputs, fields)).toThrow(UnreadableRowError)
    const stated = { input_count: 1, output_count: '1.0', input_value: '5', output_value: '1' }
    expect(edges(bitcoin([part(a, 5)], [part(c, 1)], stated))).toEqual([[a, c, 1]])
  })

  test('two files that list inputs and outputs in another order tell the same transfers', () => {
    const one = bitcoin([part(a, 3), part(b, 1)], [part(c, 2), part(d, 2)])
    const other = bitcoin([part(b, 1), part(a, 3)], [part(d, 2), part(c, 2)])
    expect(one).toEqual(other)
  })

  test('a CoinJoin of five with one designated participant makes nobody a counterparty of another', () => {
    const owners = [a, b, c, d, e]
    const fresh = [
      '1FvzCLoTPGANNjWoUo6jUGuAG3wg1w4YjR',
      '15ubicBBWFnvoZLT7GiU2qxjRaKJPdkDMG',
      '1JfbZRwdDHKZmuiZgYArJZhcuuzuw2HuMu',
      '1GkQmKAmHtNfnD3LHhTkewJxKHVSta4m2a',
      '16LoW7y83wtawMg5XmT4M3Q7EdjjUmenjM',
    ]
    const rows = bitcoin(
      owners.map((owner, n) => part(owner, 100 + n)),
      fresh.map((owner) => part(owner, 99)),
    )
    expect(new Set(edges(rows).flatMap(([from, to]) => [from, to]))).toEqual(
      new Set([...owners, ...fresh, `coinjoin:${DIGITS}`]),
    )
    expect(
      edges(rows).every(([from, to]) => from === `coinjoin:${DIGITS}` || to === `coinjoin:${DIGITS}`),
    ).toBe(true)
    expect(edges(rows)).toHaveLength(10)
    expect(rows.some(({ type }) => type === 'inputs')).toBe(false)
    expect(netsOf(rows)[a]).toBe(-100)
  })
})

test('in our layout, too, an output to another input of its transaction is change', () => {
  const row = (from: string, to: string, tx_hash: string) => ({
    ...{
      chain: 'BTC',
      kind: 'utxo',
      from_address: from,
      to_address: to,
      amount_raw: '5',
      amount: '',
      tx_hash,
    },
  })
  const rows = rowsOf('csv', 'BTC', [
    row(a, c, UPPER),
    row(a, b, UPPER),
    row(b, c, DIGITS),
    row(a, b, 'b'.repeat(64)),
  ])
  expect(edges(rows)).toEqual([
    [a, c, 5],
    [b, c, 5],
    [a, b, 5],
  ])
  expect(rows).toContainEqual({ type: 'left-out', reason: 'change' })
})

test('a transaction with too many pairs to say who paid whom goes through a node of its own', () => {
  const owners = (prefix: number, count: number) =>
    Array.from({ length: count }, (_, n) => part(bitcoinAddress(prefix * 1_000 + n), 1_000 + n))
  const rows = bitcoin(owners(1, 101), owners(2, 100))
  expect(edges(rows)).toHaveLength(201)
  expect(edges(rows).every(([from, to]) => from === `crowd:${DIGITS}` || to === `crowd:${DIGITS}`)).toBe(true)
  expect(netsOf(rows)[bitcoinAddress(1_100)]).toBe(-1_100)
  expect(rows.at(-1)).toMatchObject({ type: 'inputs' })
  expect(edges(bitcoin(owners(1, 100), owners(2, 100)))).toHaveLength(10_000)
})

describe('a CoinJoin', () => {
  const outputs = (...values: number[]) => values.map((value) => ({ value: BigInt(value) }))
  test.each([
    ['three equal outputs of three owners', 3, outputs(5, 5, 5, 1, 2, 3), true],
    ['two equal outputs', 3, outputs(5, 5, 1), false],
    ['three equal outputs of two owners', 2, outputs(5, 5, 5), false],
    ['three equal outputs among eight', 3, outputs(5, 5, 5, 1, 2, 3, 4, 6), false],
    [
      'ten equal outputs and another one of as many owners',
      11,
      outputs(...Array<number>(10).fill(5), ...Array(30).keys()),
      true,
    ],
    ['ten equal outputs of nine owners', 9, outputs(...Array<number>(10).fill(5)), false],
    ['ten equal outputs of one owner: a payout', 1, outputs(...Array<number>(10).fill(5)), false],
    ['outputs of no value', 3, outputs(0, 0, 0), false],
  ])('is or is not recognised by %s', (_name, inputs, all, expected) => {
    expect(isCoinJoin(inputs, all)).toBe(expected)
  })
})

test('a block tells its time, and a row without one is refused', () => {
  expect(rowsOf('blocks', 'ETH', [{ number: 7, timestamp: 1_683_029_999 }])).toEqual([
    { type: 'block', line: 1, height: 7, atS: 1_683_029_999 },
  ])
  expect(() => rowsOf('blocks', 'ETH', [{ number: 7, timestamp: '' }])).toThrow('number or timestamp')
})

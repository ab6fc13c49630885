/** The facts that a ledger states: one transaction in three notations, times of blocks, ranges, balances, nodes. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { compiledDefaultPolicy, type HistoryKind } from '@cupel/domain'
import { currentLedger, declaredRanges, examineAddress, importLedger, readTransfers } from '../src/index.js'
import { address, csvOf, hash, IMPORTED_AT, startLedger, type LedgerInstallation } from './installation.js'

let ledger: LedgerInstallation
let files = 0
beforeEach(async () => {
  ledger = await startLedger()
}, 60_000)
afterEach(async () => await ledger.close())

const fileOf = async (text: string): Promise<string> => await ledger.file(`${(files += 1)}.txt`, text)

const etl = async (text: string, request = {}) =>
  await ledger.imported(await fileOf(text), { format: 'ethereum-etl', ...request })
const blocks = async (...rows: readonly (readonly [height: number, at: string])[]) =>
  await ledger.imported(
    await fileOf(
      ['number,timestamp', ...rows.map(([height, at]) => `${height},${Date.parse(at) / 1_000}`)].join('\n'),
    ),
    { format: 'blocks' },
  )
const ALICE = address(1)
const BOB = address(2)
const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7'

async function readOf(one: string, ledgerSeq?: number, chain = 'ETH') {
  const seq = ledgerSeq ?? (await currentLedger(ledger.database)).ledgerSeq
  const request = { chain, ledgerSeq: seq, addresses: [one], limit: 100 }
  return (await readTransfers(ledger.database, request)).get(one)
}
const examined = async (one: string) =>
  await examineAddress(ledger.database, {
    ...{ chain: 'ETH', address: one, ledgerSeq: (await currentLedger(ledger.database)).ledgerSeq },
    ...{ policy: compiledDefaultPolicy, labelSets: [], generatedAt: '2026-11-21T00:00:00.000Z' },
    labelsOf: async () => new Map(),
  })
const ranges = async () =>
  await declaredRanges(ledger.database, {
    chain: 'ETH',
    ledgerSeq: (await currentLedger(ledger.database)).ledgerSeq,
  })

describe('one transfer', () => {
  test('of one transaction written 0xab, 0xAB and ab, with and without the index 0, counts once', async () => {
    const digits = 'ab'.repeat(32)
    const one = { from: ALICE, to: BOB, block: 7 }
    const rows = [`0x${digits}`, `0X${digits.toUpperCase()}`, digits].map((text) => ({ ...one, hash: text }))
    const summary = await ledger.imported(
      await fileOf(csvOf([...rows, ...rows.map((row) => ({ ...row, index: 0 as const }))])),
    )
    expect(summary).toMatchObject({ added: 1, known: 5 })
    const transactions = `hash,block_number,from_address,to_address,value,gas_price,receipt_status\n${digits},7,${ALICE},${BOB},1000000000000000000,1,1\n`
    expect(await etl(transactions)).toMatchObject({ added: 0, known: 1 })
    const receipts = `transaction_hash,cumulative_gas_used,status\n0X${digits},1,0\n`
    await etl(receipts)
    expect(await ledger.seen()).toEqual([])
  })

  test('of several native ones in a transaction without indexes is not lost where a chain allows them', async () => {
    const row = { kind: 'native', hash: 'f1'.repeat(32), block: 7 }
    const [one, two] = ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8']
    const text = csvOf([
      { ...row, from: one, to: two, raw: '1' },
      { ...row, from: one, to: two, raw: '2' },
    ]).replaceAll('ETH,', 'TRX,')
    expect(await ledger.imported(await fileOf(text), { chain: 'TRX' })).toMatchObject({ added: 2 })
  })

  test('knows the place of its transaction and its log where the source tells it', async () => {
    await ledger.imported(
      await fileOf(
        csvOf([
          { from: ALICE, hash: hash(1), block: 7, txIndex: 4 },
          { from: ALICE, hash: hash(2), block: 7, kind: 'erc20', contract: USDT, index: 31, txIndex: 5 },
        ]),
      ),
    )
    const places = (await readOf(ALICE))!.transfers.map(({ index, position }) => [index, position])
    expect(places.sort()).toEqual([
      [4, null],
      [5, 31],
    ])
  })
})

describe('value without a counterparty', () => {
  test('that was made, destroyed or issued is not a counted transfer, and yet known to who owned it', async () => {
    const usdt = { kind: 'erc20', contract: USDT, raw: '5' }
    const summary = await ledger.imported(
      await fileOf(
        csvOf([
          { ...usdt, from: address(0), to: ALICE, index: 1 },
          { from: ALICE, to: address(0) },
          { ...usdt, from: address(0), to: ALICE, contract: address(99), index: 2 },
        ]),
      ),
    )
    expect(summary).toMatchObject({ added: 0, known: 0, leftOut: { burn_address: 3 } })
    const reward = `transaction_hash,transaction_index,trace_type,call_type,trace_address,from_address,to_address,value,status,error,block_number\n,,reward,,,,${ALICE},7,1,,9\n`
    expect(await etl(reward)).toMatchObject({ added: 1, leftOut: {} })
    const moved = (await readOf(ALICE))!.transfers.map(({ from, to, amount }) => [from, to, amount])
    expect(moved).toHaveLength(3)
    expect(moved).toEqual(
      expect.arrayContaining([
        [address(0), ALICE, 5n],
        [ALICE, address(0), 10n ** 18n],
        ['issuance', ALICE, 7n],
      ]),
    )
  })

  test('shows that a history is not whole: who destroyed what it never received has a shortfall', async () => {
    const at = { block: 150, time: '2026-11-20T12:00:00Z' }
    await ledger.imported(
      await fileOf(
        csvOf([
          { ...at, to: ALICE, raw: '5' },
          { ...at, block: 151, from: ALICE, to: address(0) },
        ]),
      ),
      { completeFrom: 0, completeTo: 200, covers: ['native', 'internal', 'token'] },
    )
    expect(await examined(ALICE)).toMatchObject({
      incomplete: ['shortfall', 'uncounted_value'],
      ownTransfers: 1,
      cut: [],
      historyComplete: false,
    })
  })
})

describe('a file without times', () => {
  const tokens = `token_address,from_address,to_address,value,transaction_hash,log_index,block_number\n${USDT},${ALICE},${BOB},5000000,${hash(9)},3,100\n`
  const traces = `transaction_hash,transaction_index,trace_type,call_type,trace_address,from_address,to_address,value,status,error,block_number\n${hash(11)},1,call,call,0,${ALICE},${BOB},7,1,,101\n`

  test('gets the times of its blocks, whichever file comes first, and an earlier state stays as it was', async () => {
    await etl(tokens)
    expect((await readOf(ALICE))!.transfers).toMatchObject([{ blockNumber: 100, occurredAtS: null }])
    expect(await blocks([100, '2026-11-01T00:00:00Z'], [101, '2026-11-01T00:00:12Z'])).toMatchObject({
      added: 0,
      timed: 1,
      covers: [],
    })
    await etl(traces)
    const read = (await readOf(ALICE))!.transfers
    expect(read.map(({ occurredAtS }) => occurredAtS).sort()).toEqual([
      Date.parse('2026-11-01') / 1_000,
      Date.parse('2026-11-01T00:00:12Z') / 1_000,
    ])
    expect((await readOf(ALICE, 1))!.transfers).toMatchObject([{ occurredAtS: null }])
    const outbox = await ledger.database.query('SELECT event FROM projection.outbox ORDER BY seq')
    expect(outbox[1]).toMatchObject({ event: { data: { format: 'blocks', timed: 1, added: 0 } } })
  })

  test('after native transfers has ranges of its own kind, which end no later than the times that are known', async () => {
    const range = { completeFrom: 0, completeTo: 200 }
    const native = `hash,block_number,block_timestamp,from_address,to_address,value,gas_price,receipt_status\n${hash(12)},150,${Date.parse('2026-11-20') / 1_000},${ALICE},${BOB},1,1,1\n`
    await etl(native, range)
    const summary = await etl(tokens, range)
    expect(summary.notes).toEqual([])
    await etl(traces, range)
    expect(await ranges()).toEqual(
      ['native', 'internal', 'token'].map((kind) => ({
        ...{ kind, fromHeight: 0, toHeight: 200 },
        toAtS: Date.parse('2026-11-20') / 1_000,
      })),
    )
  })

  test('whose range nothing dates is told to the operator, and a file of blocks dates it', async () => {
    const summary = await etl(tokens, { completeFrom: 0, completeTo: 100 })
    expect(summary.notes).toEqual([expect.stringContaining('has no time') as string])
    expect(await ranges()).toMatchObject([{ kind: 'token', toAtS: null }])
    await blocks([100, '2026-11-21T00:00:00Z'])
    expect(await ranges()).toMatchObject([{ kind: 'token', toAtS: Date.parse('2026-11-21') / 1_000 }])
  })
})

describe('a declared range', () => {
  const range = { completeFrom: 0, completeTo: 200 }

  test('of one native-only file is not a whole history on an EVM chain, and a report can say why', async () => {
    const transactions = `hash,block_number,block_timestamp,from_address,to_address,value,gas_price,receipt_status\n${hash(13)},199,${Date.parse('2026-11-20T12:00:00Z') / 1_000},${BOB},${ALICE},1,1,1\n`
    await etl(transactions, range)
    const record = await examined(ALICE)
    expect(record).toMatchObject({ ownTransfers: 1, historyComplete: false })
    expect([...record.incomplete].sort()).toEqual(['no_tokens', 'no_traces'])
  })

  test('covers the kinds that the import names, and a file of only native transfers covers no other', async () => {
    const native = csvOf([{ block: 150, time: '2026-11-20T00:00:00Z' }])
    await ledger.imported(await fileOf(native), { ...range, covers: ['native'] })
    expect((await ranges()).map(({ kind }) => kind)).toEqual(['native'])
    const kinds: HistoryKind[] = ['native', 'token']
    await ledger.imported(await fileOf(native), { ...range, covers: kinds })
    expect((await ranges()).map(({ kind }) => kind)).toEqual(kinds)
    const transactions = `hash,block_number,from_address,to_address,value,gas_price\n${hash(13)},7,${ALICE},${BOB},1,1\n`
    await expect(etl(transactions, { ...range, covers: ['native', 'token'] })).rejects.toThrow(
      'its range does not cover token',
    )
  })

  test.each([
    ['csv', csvOf([{ time: '2036-01-01T00:00:00Z' }]), { ...range, covers: ['native'] as const }],
    ['blocks', `number,timestamp\n9,${Date.parse('2036-01-01') / 1_000}\n`, {}],
  ])(
    'that ends in the future by the times of its %s file is refused with the line',
    async (format, text, more) => {
      const file = await fileOf(text)
      const request = { file, format, chain: 'ETH', importedBy: 'operator:test', ...more }
      expect(
        await importLedger(request, { database: ledger.database, now: () => new Date(IMPORTED_AT) }),
      ).toEqual({ status: 'refused', message: 'line 2: the time is more than a day in the future', line: 2 })
    },
  )

  test('of heights that did not exist at the import never counts, once blocks or other ranges show it', async () => {
    const file = await fileOf(csvOf([{ block: 150, time: '2026-11-20T00:00:00Z' }]))
    const far = { completeFrom: 0, completeTo: 9_000_000, covers: ['native', 'internal', 'token'] as const }
    await ledger.imported(file, far)
    expect((await ranges())[0]).toMatchObject({
      toHeight: 9_000_000,
      toAtS: Date.parse('2026-11-20') / 1_000,
    })
    const later = await fileOf(csvOf([{ block: 8_000, time: '2026-12-20T00:00:00Z', hash: hash(77) }]))
    const request = { file: later, format: 'csv', chain: 'ETH', importedBy: 'operator:test' }
    const declared = { completeFrom: 7_000, completeTo: 8_000, covers: ['native'] as const }
    await importLedger(
      { ...request, ...declared },
      { database: ledger.database, now: () => new Date('2026-12-21') },
    )
    expect(await ranges()).toEqual([
      { kind: 'native', fromHeight: 7_000, toHeight: 8_000, toAtS: Date.parse('2026-12-20') / 1_000 },
    ])
  })

  test('of transactions without the values of their inputs is refused', async () => {
    const transaction = {
      hash: 'aa'.repeat(32),
      block_number: 5,
      inputs: [{ addresses: ['x'] }],
      outputs: [{ index: 0, addresses: ['1BoatSLRHtKNngkdXEeobR76b53LETtpyT'], value: 5 }],
    }
    const file = await fileOf(JSON.stringify({ ...transaction, inputs: [{ addresses: [] }] }))
    const request = { file, format: 'bitcoin-etl', chain: 'BTC', importedBy: 'operator:test' }
    expect(await importLedger({ ...request, ...range }, { database: ledger.database })).toMatchObject({
      status: 'refused',
      line: 1,
    })
    expect(await importLedger(request, { database: ledger.database })).toMatchObject({ status: 'imported' })
  })
})

test('a failure that a killed import told counts once another import tells it', async () => {
  await ledger.imported(await fileOf(csvOf([{ hash: hash(1), status: '' }])))
  const failed = csvOf([{ hash: hash(1), status: '0' }])
  const receipts = `transaction_hash,cumulative_gas_used,status\n${hash(1)},1,0\n`
  await ledger.imported(await fileOf(failed))
  await ledger.database.execute('UPDATE ledger.segment SET ledger_seq = NULL WHERE ledger_seq = 2')
  const read = async (): Promise<number> => (await readOf(address(2_000)))!.transfers.length
  expect(await read()).toBe(1)
  await etl(receipts)
  expect(await readOf(address(2_000))).toBeUndefined()
  await ledger.database.execute('UPDATE ledger.segment SET ledger_seq = NULL WHERE ledger_seq = 2')
  expect(await read()).toBe(1)
  await ledger.imported(await fileOf(`${failed}\n`))
  expect(await readOf(address(2_000))).toBeUndefined()
})

test('what a second killed import took over is not lost when the first one ends', async () => {
  const rows = csvOf([{ hash: hash(1) }, { hash: hash(2) }])
  const first = await fileOf(rows)
  const state = async (seq: number | null) =>
    await ledger.database.execute('UPDATE ledger.segment SET ledger_seq = $1', [seq])
  await ledger.imported(first)
  // The same state as after two imports that were killed before their publication, one after the other.
  await state(null)
  const second = await fileOf(`${rows}\n`)
  await ledger.imported(second)
  await state(null)
  await ledger.imported(first)
  expect(await ledger.seen()).toHaveLength(2)
})

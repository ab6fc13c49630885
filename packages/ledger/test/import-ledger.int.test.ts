import { join } from 'node:path'
import { sharedDataFolder } from '@cupel/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { currentLedger, declaredRanges, importLedger } from '../src/index.js'
import { address, csvOf, hash, IMPORTED_AT, startLedger, type LedgerInstallation } from './installation.js'

let ledger: LedgerInstallation
beforeEach(async () => {
  ledger = await startLedger()
}, 60_000)
afterEach(async () => await ledger.close())

const refused = async (text: string, format = 'csv', chain = 'ETH') =>
  await importLedger(
    { file: await ledger.file('refused', text), format, chain, importedBy: 'operator:test' },
    { database: ledger.database, now: () => new Date(IMPORTED_AT) },
  )

describe('one file', () => {
  test('is visible as a whole once imported, its event is in the outbox, and a second import changes nothing', async () => {
    const file = await ledger.file('a.csv', csvOf([{}, {}, {}]))
    const summary = await ledger.imported(file)
    expect(summary).toMatchObject({
      status: 'imported',
      ledgerSeq: 1,
      rows: 3,
      added: 3,
      known: 0,
      firstHeight: 100,
      lastHeight: 102,
    })
    expect(await ledger.seen()).toHaveLength(3)
    const outbox = await ledger.database.query<{ event: { type: string; data: object } }>(
      'SELECT event FROM projection.outbox',
    )
    expect(outbox).toMatchObject([
      {
        event: {
          type: 'LedgerSegmentImported',
          data: { ledgerSeq: 1, chain: 'ETH', added: 3, sha256: summary.sha256 },
        },
      },
    ])
    expect(await ledger.imported(file)).toMatchObject({ status: 'already-imported', ledgerSeq: 1, added: 3 })
    expect(await ledger.seen()).toHaveLength(3)
    expect((await currentLedger(ledger.database)).ledgerSeq).toBe(1)
  })

  test('leaves statistics of every table that it fills, and tells that their rows are visible', async () => {
    // A transaction that moves nothing leaves only its place.
    const rows = Array.from({ length: 1_500 }, (_, n) => ({
      hash: hash(n + 1),
      from: address(n + 1),
      txIndex: 0,
      raw: n < 1_000 ? '1' : '0',
    }))
    await ledger.imported(await ledger.file('a.csv', csvOf(rows)))
    const tables = await ledger.database.query(
      `SELECT pg_class.relname, reltuples::int4 AS rows FROM pg_class JOIN pg_stat_user_tables ON relid = oid
       WHERE schemaname = 'ledger' AND n_live_tup > 0 AND last_analyze IS NOT NULL AND last_vacuum IS NOT NULL
       ORDER BY pg_class.relname`,
    )
    expect(tables).toEqual([
      { relname: 'address', rows: 1_001 },
      { relname: 'segment', rows: 1 },
      { relname: 'transaction_place', rows: 500 },
      { relname: 'transfer', rows: 1_000 },
    ])
  })

  test('records in its segment who imported it and why; an import without a reason records none', async () => {
    for (const reason of ['blocks of May, ticket 117', undefined])
      await importLedger(
        {
          file: await ledger.file(`${reason}.csv`, csvOf([{ raw: reason === undefined ? '1' : '2' }])),
          ...{ format: 'csv', chain: 'ETH', importedBy: 'operator:test', reason },
        },
        { database: ledger.database, now: () => new Date(IMPORTED_AT) },
      )
    const outbox = await ledger.database.query('SELECT event FROM projection.outbox ORDER BY seq')
    expect(outbox.slice(-2)).toMatchObject([
      { event: { data: { importedBy: 'operator:test', reason: 'blocks of May, ticket 117' } } },
      { event: { data: { importedBy: 'operator:test', reason: '' } } },
    ])
  })

  test('counts rows that are not counted transfers by reason', async () => {
    const usdt = '0xdac17f958d2ee523a2206206994597c13d831ec7'
    const summary = await ledger.imported(
      await ledger.file(
        'b.csv',
        csvOf([
          {},
          { raw: '0' },
          { to: '' },
          { to: address(0) },
          { from: address(7), to: address(7) },
          { kind: 'erc20', contract: address(99), index: 1 },
          { kind: 'erc20', contract: usdt, index: 2, raw: '25000000' },
          { status: '0' },
        ]),
      ),
    )
    expect(summary).toMatchObject({
      rows: 8,
      leftOut: {
        zero_value: 1,
        no_counterparty: 1,
        burn_address: 1,
        to_itself: 1,
        unknown_asset: 1,
        failed: 1,
      },
    })
    expect((await ledger.seen()).map(({ kind, amount }) => [kind, amount])).toEqual([
      ['native', '1000000000000000000'],
      ['token', '25000000'],
    ])
  })

  test('without raw amounts is read by its decimals, exactly', async () => {
    await ledger.imported(
      await ledger.file(
        'c.csv',
        csvOf([
          { raw: '', amount: '3364.5375835279715' },
          { raw: '', amount: '1.5e-05' },
        ]),
      ),
    )
    expect((await ledger.seen()).map(({ amount }) => amount).sort()).toEqual([
      '15000000000000',
      '3364537583527971500000',
    ])
  })

  test('counts each of equal rows without a hash, and none of them twice', async () => {
    const same = { hash: '', block: '' as const, from: address(1) }
    const text = csvOf([same, same, { ...same, from: address(2) }])
    await ledger.imported(await ledger.file('d.csv', text))
    expect(await ledger.seen()).toHaveLength(3)
    expect(await ledger.imported(await ledger.file('d2.csv', `${text}\n`))).toMatchObject({
      added: 0,
      known: 3,
    })
    expect(await ledger.seen()).toHaveLength(3)
  })

  test.each<[string, string, string, string]>([
    ['a row that is cut', csvOf([{}]).trimEnd().slice(0, -40), 'csv', 'the file may be cut'],
    ['a text that is not an address of the chain', csvOf([{ from: '0x12' }]), 'csv', 'not an address of ETH'],
    ['a fraction as raw amount', csvOf([{ raw: '1.5' }]), 'csv', 'not a whole number of base units'],
    ['a text that is not a time', csvOf([{ time: 'yesterday' }]), 'csv', 'not a time'],
    ['another heading', 'a,b\n1,2\n', 'csv', 'columns of the file are not those of the format csv'],
    ['JSON that is cut', '{"hash":"0x1","gas_price":1', 'ethereum-etl', 'the file may be cut'],
    [
      'records of something else',
      '{"a":1}\n',
      'ethereum-etl',
      'columns of the file are not those of the format ethereum-etl',
    ],
    [
      'a transaction without outputs',
      '{"hash":"1","inputs":[]}\n',
      'bitcoin-etl',
      'columns of the file are not those of the format bitcoin-etl',
    ],
    ['an unknown format', '', 'xml', 'The format is one of'],
  ])('with %s is refused, and nothing of it is seen', async (_name, text, format, message) => {
    expect(await refused(text, format)).toMatchObject({
      status: 'refused',
      message: expect.stringContaining(message) as string,
    })
    expect(await ledger.seen()).toEqual([])
    expect((await currentLedger(ledger.database)).ledgerSeq).toBe(0)
  })

  test('that is empty is a segment without transfers', async () => {
    expect(
      await ledger.imported(await ledger.file('empty.csv', ''), { format: 'ethereum-etl' }),
    ).toMatchObject({ rows: 0, added: 0 })
  })
})

describe('two files', () => {
  test('with the same transfer count it once, and the second may prove it', async () => {
    await ledger.imported(await ledger.file('unknown.csv', csvOf([{ status: '' }])))
    expect(await ledger.seen()).toMatchObject([{ proven: false }])
    expect(await ledger.imported(await ledger.file('proven.csv', csvOf([{ status: '1' }])))).toMatchObject({
      added: 0,
      known: 1,
    })
    expect(await ledger.seen()).toMatchObject([{ proven: true }])
  })

  test('of which one reports a failure remove the transfer, in either order', async () => {
    await ledger.imported(await ledger.file('unknown.csv', csvOf([{ status: '' }, { hash: hash(9) }])))
    await ledger.imported(await ledger.file('failed.csv', csvOf([{ status: '0' }])))
    expect(await ledger.seen()).toHaveLength(1)
    await ledger.imported(await ledger.file('late-copy.csv', csvOf([{ status: '' }, { hash: hash(10) }])))
    expect(await ledger.seen()).toHaveLength(2)
  })

  test('of which one has receipts: they prove and remove transfers of the other', async () => {
    const transactions = [1, 2, 3]
      .map((n) => `${hash(n)},0,${n},${address(n)},${address(50)},7,21000,1,1683029999`)
      .join('\n')
    await ledger.imported(
      await ledger.file(
        'transactions.csv',
        `hash,nonce,block_number,from_address,to_address,value,gas,gas_price,block_timestamp\n${transactions}\n`,
      ),
      { format: 'ethereum-etl' },
    )
    const receipts = `transaction_hash,cumulative_gas_used,status\n${hash(1)},1,1\n${hash(2)},1,0\n`
    await ledger.imported(await ledger.file('receipts.csv', receipts), { format: 'ethereum-etl' })
    expect((await ledger.seen()).map(({ from, proven }) => [from, proven])).toEqual([
      [address(1), true],
      [address(3), false],
    ])
  })

  test('of which the second replaces a block by one without any transfer', async () => {
    const range = { completeFrom: 100, completeTo: 100, covers: ['native'] as const }
    await ledger.imported(await ledger.file('old.csv', csvOf([{ block: 100 }])), range)
    expect(
      await ledger.imported(await ledger.file('new.csv', csvOf([])), { ...range, replace: true }),
    ).toMatchObject({ rows: 0, retired: 1 })
    expect(await ledger.seen()).toEqual([])
  })

  test('of which the second replaces reorganised blocks', async () => {
    const range = { completeFrom: 100, completeTo: 110, covers: ['native'] as const }
    await ledger.imported(
      await ledger.file('old.csv', csvOf([{ block: 100 }, { block: 101 }, { block: 102 }])),
      range,
    )
    const moved = csvOf([{ block: 100 }, { block: 103 }, { block: 102, hash: hash(33), from: address(5) }])
    const summary = await ledger.imported(await ledger.file('new.csv', moved), { ...range, replace: true })
    expect(summary).toMatchObject({ added: 1, known: 2, retired: 1 })
    expect((await ledger.seen()).map(({ from, block }) => [from, block])).toEqual([
      [address(1_000), 100],
      [address(5), 102],
      [address(1_001), 103],
    ])
  })
})

describe('declared ranges', () => {
  test('are merged if adjacent, and end at the time of their last height', async () => {
    const part = async (from: number, to: number, block: number, time: string) =>
      await ledger.imported(await ledger.file(`${from}.csv`, csvOf([{ block, time, hash: hash(block) }])), {
        ...{ completeFrom: from, completeTo: to, covers: ['token', 'native', 'internal'] as const },
      })
    await part(0, 99, 90, '2026-11-19T00:00:00Z')
    await part(100, 200, 150, '2026-11-20T00:00:00Z')
    await part(300, 400, 350, '2026-11-21T00:00:00Z')
    const ranges = await declaredRanges(ledger.database, { chain: 'ETH', ledgerSeq: 3 })
    expect(ranges.filter(({ kind }) => kind === 'native')).toEqual([
      { kind: 'native', fromHeight: 0, toHeight: 200, toAtS: Date.parse('2026-11-20') / 1_000 },
      { kind: 'native', fromHeight: 300, toHeight: 400, toAtS: Date.parse('2026-11-21') / 1_000 },
    ])
    // Before the second import there was a gap.
    expect(await declaredRanges(ledger.database, { chain: 'ETH', ledgerSeq: 1 })).toMatchObject(
      ['native', 'internal', 'token'].map((kind) => ({ kind, fromHeight: 0, toHeight: 99 })),
    )
  })

  test.each([
    [{ completeFrom: 5 }, 'go together'],
    [{ completeFrom: 5, completeTo: 4 }, 'beyond'],
    [{ replace: true }, 'needs the range'],
    [{ completeFrom: 5, completeTo: 6 }, 'name them with --covers'],
    [{ covers: ['native'] as const }, '--covers needs the range'],
    [{ completeFrom: 5, completeTo: 6, covers: [] }, 'one or more'],
    [{ completeFrom: 5, completeTo: 6, format: 'blocks' }, 'A file of blocks holds no transfers'],
  ])('%j is refused', async (request, message) => {
    const file = await ledger.file('r.csv', csvOf([{}]))
    await expect(ledger.imported(file, request)).rejects.toThrow(message)
  })
})

test.each([
  ['height', { block: 2 ** 31 }],
  ['index of the transaction', { txIndex: 2 ** 31 }],
])('a %s that no row can hold is refused by name, and the largest one is kept', async (name, row) => {
  const [key] = Object.keys(row)
  const refused = await ledger.file('beyond.csv', csvOf([{}, row]))
  await expect(ledger.imported(refused)).rejects.toThrow(
    `line 3: the ${name} 2147483648 is beyond 2147483647`,
  )
  expect(await ledger.seen()).toEqual([])
  await ledger.imported(await ledger.file('largest.csv', csvOf([{ [key!]: 2 ** 31 - 1 }])))
  expect(await ledger.seen()).toHaveLength(1)
})

test('inputs of a transaction pay its outputs in proportion, and change is not a transfer', async () => {
  const part = (owner: string, value: number) => ({ addresses: [owner], value })
  const [a, b, c] = [
    '1DoQeKfU3dYhN9bxMpFFcVUnufCPDqSPae',
    '1PZMgkF2x161qvfP7dhoWSEEU3SjnQE1m9',
    '1HaHTfmvoUW6i6nhJf8jJs6tU4cHNmBQHQ',
  ]
  const transaction = {
    ...{
      hash: 'a'.repeat(64),
      block_number: 5,
      block_timestamp: 1_270_917_100,
      is_coinbase: false,
      index: 1,
    },
    inputs: [part(a, 300), part(b, 100)],
    outputs: [part(c, 200), part(a, 196)],
  }
  const coinbase = { ...transaction, hash: 'b'.repeat(64), is_coinbase: true, inputs: [] }
  const lines = [transaction, coinbase].map((one) => JSON.stringify(one)).join('\n')
  const summary = await ledger.imported(await ledger.file('btc.json', lines), {
    format: 'bitcoin-etl',
    chain: 'BTC',
  })
  expect(summary.leftOut).toEqual({ change: 1 })
  const edges = (await ledger.seen()).map(({ from, to, amount }) => [from, to, Number(amount)])
  expect(edges).toEqual(
    [
      [a, c, 150],
      [b, c, 50],
      ['issuance', c, 200],
      ['issuance', a, 196],
    ].sort(),
  )
})

describe.skipIf(sharedDataFolder() === null)('the shared files', () => {
  const shared = (path: string): string => join(sharedDataFolder()!, path)

  test('of one block tell the same transfers in our layout and in that of ethereum-etl', async () => {
    await ledger.imported(shared('raw/ethereum-etl/blocks_17173049_17173050_transactions.csv'), {
      format: 'ethereum-etl',
    })
    const native = (await ledger.seen()).length
    expect(native).toBeGreaterThan(50)
    await ledger.imported(shared('raw/ethereum-etl/blocks_17173049_17173050_token_transfers.json'), {
      format: 'ethereum-etl',
    })
    const all = (await ledger.seen()).length
    expect(all).toBeGreaterThan(native)
    expect(await ledger.imported(shared('chain/eth_blocks_17173049_17173050.csv'))).toMatchObject({
      added: 0,
      known: all,
    })
  })

  test('of TRON leave out empty counterparties', async () => {
    const summary = await ledger.imported(shared('chain/trx_blocks_0_10000.csv'), { chain: 'TRX' })
    expect(summary.rows).toBe(2_172)
    expect(summary.leftOut).toMatchObject({ no_counterparty: expect.any(Number) as number })
    expect(summary.added + Object.values(summary.leftOut).reduce((sum, count) => sum + count, 0)).toBe(2_172)
  })

  test('of bitcoin-etl are read', async () => {
    const summary = await ledger.imported(
      shared('raw/bitcoin-etl/bitcoin__stream_50001_50002__expected_transactions.json'),
      {
        format: 'bitcoin-etl',
        chain: 'BTC',
      },
    )
    expect(summary.rows).toBe(4)
    expect(summary.added).toBeGreaterThan(0)
  })
})

/** A search ends at services, hubs, contracts and limits. It states the reason, and the same state gives the same result. */
import { compilePolicy, defaultPolicy, type ExposureLimits, type LabelFacts } from '@cupel/domain'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { examineAddress } from '../src/index.js'
import {
  address,
  csvOf,
  hash,
  startLedger,
  type CsvTransfer,
  type LedgerInstallation,
} from './installation.js'

const SCREENED = address(2_000)
const MIDDLE = address(3_000)
const THIEF = address(4_000)
const GENERATED_AT = '2026-11-21T09:00:00.000Z'

let ledger: LedgerInstallation
let files = 0
beforeEach(async () => {
  ledger = await startLedger()
}, 60_000)
afterEach(async () => await ledger.close())

/** Imports the transfers an hour apart, in their order. */
async function imported(transfers: readonly CsvTransfer[]): Promise<void> {
  files += 1
  const rows = transfers.map((one, index) => ({
    hash: hash(files * 1_000 + index),
    time: new Date(Date.parse('2026-11-01') + index * 3_600_000).toISOString(),
    ...one,
  }))
  await ledger.imported(await ledger.file(`${files}.csv`, csvOf(rows)))
}

const label = (of: string, changes: Partial<LabelFacts>): LabelFacts => ({
  ...{
    labelId: `${of}-${changes.category}`,
    subcategory: '',
    sanction: null,
    source: 'list',
    dataset: 'list',
    chain: 'ETH',
    address: of,
    role: 'owner',
  },
  ...{ category: 'stolen', entity: 'Somebody', origin: 'list', kind: 'forensic', confidencePpm: 900_000 },
  ...{
    sourceUrl: '',
    observedAt: null,
    validFrom: null,
    validTo: null,
    knownFrom: GENERATED_AT,
    knownTo: null,
  },
  ...changes,
})
const thief = label(THIEF, {})

async function examined(
  labels: readonly LabelFacts[] = [thief],
  limits: Partial<ExposureLimits> = {},
  ledgerSeq = files,
) {
  const exposure = { ...defaultPolicy.exposure, limits: { ...defaultPolicy.exposure.limits, ...limits } }
  return await examineAddress(ledger.database, {
    ...{ chain: 'ETH', address: SCREENED, ledgerSeq, labelSets: [], generatedAt: GENERATED_AT },
    policy: compilePolicy({ ...defaultPolicy, exposure }),
    labelsOf: async (keys) =>
      new Map(
        labels
          .filter((one) => keys.includes(`evm:${one.address}`))
          .map((one) => [`evm:${one.address}`, [one]]),
      ),
  })
}

beforeEach(() => {
  files = 0
})

const path: readonly CsvTransfer[] = [
  { from: THIEF, to: MIDDLE },
  { from: MIDDLE, to: SCREENED },
]

test('a path goes through a stranger', async () => {
  await imported(path)
  expect(await examined()).toMatchObject({
    transfersExamined: 2,
    cut: [],
    measures: [
      { category: 'stolen', relation: 'indirect', amount: '1000000000000000000', sourceAddress: THIEF },
    ],
  })
})

describe('a path ends', () => {
  test('at a service, to which the value is attributed', async () => {
    await imported(path)
    const record = await examined([thief, label(MIDDLE, { category: 'mixer' })])
    expect(record).toMatchObject({
      cut: [{ address: MIDDLE, reason: 'service', hops: 1 }],
      measures: [{ category: 'mixer', relation: 'direct', sourceAddress: MIDDLE }],
      truncated: false,
    })
    expect((await examined([thief, label(MIDDLE, { category: 'clean_exchange' })])).measures).toEqual([])
  })

  test('at an unlabelled hub, whose value has no source; a labelled hub is followed', async () => {
    await imported([...path, ...[1, 2, 3].map((n) => ({ from: address(10 + n), to: MIDDLE }))])
    const limits = { hub_counterparties: 4 }
    // Less than dust makes nobody a counterparty of value.
    await imported([{ from: address(20), to: MIDDLE, raw: '1' }])
    expect(await examined([thief], limits)).toMatchObject({
      cut: [{ address: MIDDLE, reason: 'hub', hops: 1 }],
      measures: [{ category: 'unattributed', relation: 'direct', amount: '1000000000000000000' }],
    })
    const labelled = await examined(
      [thief, label(MIDDLE, { category: 'scam', confidencePpm: 400_000 })],
      limits,
    )
    expect(labelled.measures.map(({ category }) => category)).toEqual(['scam', 'stolen'])
  })

  test('at the contract of a counted token', async () => {
    const usdt = '0xdac17f958d2ee523a2206206994597c13d831ec7'
    await imported([
      { from: THIEF, to: usdt },
      { from: usdt, to: SCREENED },
    ])
    expect(await examined()).toMatchObject({
      cut: [{ address: usdt, reason: 'contract' }],
      measures: [{ category: 'unattributed' }],
    })
  })

  test('at unlabelled code, which internal calls show; a label of the code is followed', async () => {
    await imported([
      { from: THIEF, to: MIDDLE },
      { from: MIDDLE, to: SCREENED, kind: 'internal' },
    ])
    const unattributed = { category: 'unattributed', relation: 'direct', amount: '1000000000000000000' }
    expect(await examined()).toMatchObject({
      cut: [{ address: MIDDLE, reason: 'contract', hops: 1 }],
      measures: [unattributed],
    })
    const weak = label(MIDDLE, { category: 'scam', confidencePpm: 400_000 })
    const labelled = await examined([thief, weak])
    expect(labelled.cut).toEqual([])
    expect(labelled.measures.map(({ category }) => category)).toEqual(['scam', 'stolen'])
  })

  test('at no account that only lets code act for it', async () => {
    await imported([
      { from: THIEF, to: MIDDLE },
      { from: MIDDLE, to: SCREENED, kind: 'internal' },
      { from: MIDDLE, to: address(10) },
    ])
    expect(await examined()).toMatchObject({
      cut: [],
      measures: [{ category: 'stolen', relation: 'indirect' }],
    })
  })

  test('at the limit of intermediaries; those of most value come first', async () => {
    const other = address(3_001)
    await imported([...path, { from: THIEF, to: other, raw: '9' }, { from: other, to: SCREENED, raw: '9' }])
    expect(await examined([thief], { intermediaries: 1 })).toMatchObject({
      cut: [{ address: other, reason: 'limit' }],
      truncated: true,
      measures: [{ paths: [{ steps: [{ to: MIDDLE }, { from: MIDDLE }] }] }],
    })
  })

  test('at the limit of transfers of all intermediaries', async () => {
    await imported(path)
    expect(await examined([thief], { transfers_of_intermediaries: 1 })).toMatchObject({
      cut: [{ reason: 'limit' }],
      truncated: true,
    })
  })
})

test('transfers outside the state do not count towards the limits', async () => {
  const other = address(3_001)
  await imported([...path, { from: THIEF, to: other }, { from: other, to: SCREENED }])
  const limits = { transfers_of_intermediaries: 4, transfers_per_intermediary: 6, hub_counterparties: 6 }
  const before = await examined([thief], limits)
  expect(before).toMatchObject({ cut: [], truncated: false, measures: [{ sources: 1, transfers: 2 }] })
  await imported([1, 2, 3, 4].map(() => ({ from: THIEF, to: MIDDLE })))
  expect(await examined([thief], limits, 1)).toEqual(before)
  expect((await examined([thief], limits, 2)).cut).toMatchObject([{ address: MIDDLE, reason: 'limit' }])
  await imported([{ from: THIEF, to: MIDDLE }])
  expect(await examined([thief], limits, 1)).toEqual(before)
  expect((await examined([thief], limits, 3)).cut).toMatchObject([{ address: MIDDLE, reason: 'limit' }])
})

describe('strangers do not end the search', () => {
  const dust = (count: number, to: string): readonly CsvTransfer[] =>
    Array.from({ length: count }, (_, n) => ({
      ...{ from: address(100_000 + n), to, raw: '1', time: '2026-11-20T00:00:00Z' },
    }))

  test('1,001 dust payments make no hub of an intermediary, and hide nothing that passed through it', async () => {
    await imported([...path, ...dust(1_001, MIDDLE)])
    expect(await examined()).toMatchObject({
      cut: [{ address: MIDDLE, reason: 'too_many_transfers', hops: 1 }],
      truncated: true,
      measures: [{ category: 'stolen', relation: 'indirect', amount: '1000000000000000000' }],
    })
  })

  test('5,001 dust payments after a large one leave it in the direct exposure', async () => {
    await imported([{ from: THIEF, to: SCREENED }, ...dust(5_001, SCREENED)])
    expect(await examined()).toMatchObject({
      ownTransfers: 5_002,
      truncated: true,
      measures: [
        { category: 'stolen', amount: '1000000000000000000', total: '1000000000000005001', transfers: 1 },
      ],
    })
  })

  test('of what is read in part, the largest transfers are followed', async () => {
    const [small, large] = [address(3_001), address(3_002)]
    const paid = (by: string, raw: string): readonly CsvTransfer[] => [
      { from: THIEF, to: by, raw },
      { from: by, to: MIDDLE, raw },
    ]
    const value = '20000000000000000'
    await imported([
      ...paid(large, `3${value.slice(1)}`),
      { from: MIDDLE, to: SCREENED, raw: `5${value.slice(1)}` },
      ...paid(small, value),
    ])
    const record = await examined([thief], { transfers_per_intermediary: 2, hub_counterparties: 9 })
    expect(record).toMatchObject({ cut: [{ reason: 'too_many_transfers' }], truncated: true })
    expect(record.transfersExamined).toBe(2)
  })
})

test('newer payments of more than dust take no place of a larger one that passed through an intermediary', async () => {
  const newer = [1, 2, 3].map((n) => ({ from: address(10 + n), to: MIDDLE, raw: '20000000000000000' }))
  await imported([...path, ...newer])
  expect(await examined([thief], { transfers_per_intermediary: 2, hub_counterparties: 9 })).toMatchObject({
    cut: [{ address: MIDDLE, reason: 'too_many_transfers', hops: 1 }],
    measures: [{ category: 'stolen', relation: 'indirect', amount: '1000000000000000000' }],
  })
})

describe('of an address with too many transfers', () => {
  const payments = [3, 1, 2].map((n) => ({ from: THIEF, to: SCREENED, raw: `${n}` }))

  test('all are added up: no transfer is left out of the direct exposure', async () => {
    await imported(payments)
    expect(await examined([thief], { transfers: 1 })).toMatchObject({
      ownTransfers: 3,
      truncated: true,
      measures: [
        {
          ...{ amount: '6', total: '6', totalComplete: false, provenAmount: '6', transfers: 3 },
          ...{ firstAt: '2026-11-01T00:00:00.000Z', lastAt: '2026-11-01T02:00:00.000Z' },
          counterparties: [{ address: THIEF, amount: '6', transfers: 3 }],
        },
      ],
      breakdown: [{ total: '6', parts: [{ category: 'stolen', amount: '6' }] }],
    })
  })

  test('the sums of a day, of unproven ones and of each asset stay apart', async () => {
    await imported([
      ...payments,
      { ...payments[0]!, time: '2026-11-02T00:00:00Z' },
      { ...payments[0]!, status: '' },
      {
        from: THIEF,
        to: SCREENED,
        raw: '7',
        kind: 'erc20',
        contract: '0xdac17f958d2ee523a2206206994597c13d831ec7',
      },
      { from: SCREENED, to: THIEF, raw: '9' },
    ])
    const { measures } = await examined([thief], { transfers: 1 })
    expect(
      measures.map(({ asset, direction, amount, provenAmount, transfers }) => [
        asset,
        direction,
        amount,
        provenAmount,
        transfers,
      ]),
    ).toEqual([
      ['ETH', 'in', '12', '9', 5],
      ['USD', 'in', '7000000000000', '7000000000000', 1],
      ['ETH', 'out', '9', '9', 1],
    ])
  })

  test('those of an intermediary that was read whole are followed all the same', async () => {
    await imported([
      { from: THIEF, to: MIDDLE },
      { from: MIDDLE, to: SCREENED, raw: '400000000000000000' },
      { from: MIDDLE, to: SCREENED, raw: '600000000000000000' },
    ])
    expect(await examined([thief], { transfers: 1 })).toMatchObject({
      ownTransfers: 2,
      measures: [{ relation: 'indirect', amount: '1000000000000000000', transfers: 2 }],
      breakdown: [{ parts: [{ category: 'stolen', amount: '1000000000000000000' }] }],
    })
  })
})

test('a state of the ledger never changes: later additions, proofs, failures and retirements are not in it', async () => {
  await imported([
    { from: THIEF, to: SCREENED, status: '', block: 7 },
    { from: MIDDLE, to: SCREENED, status: '', block: 8 },
  ])
  const before = await examined()
  expect(before.measures).toMatchObject([{ amount: '1000000000000000000', provenAmount: '0' }])
  const first = hash(1_000)
  await ledger.imported(
    await ledger.file(
      'proof.csv',
      csvOf([{ hash: first, from: THIEF, to: SCREENED, block: 7, time: '2026-11-01T00:00:00Z' }]),
    ),
  )
  expect((await examined([thief], {}, 2)).measures).toMatchObject([{ provenAmount: '1000000000000000000' }])
  await ledger.imported(
    await ledger.file(
      'failed.csv',
      csvOf([{ hash: hash(1_001), from: MIDDLE, to: SCREENED, status: '0', block: 8 }]),
    ),
  )
  expect((await examined([thief], {}, 3)).ownTransfers).toBe(1)
  await ledger.imported(
    await ledger.file('empty.csv', csvOf([{ hash: hash(9_999), from: MIDDLE, to: THIEF, block: 7 }])),
    {
      ...{ completeFrom: 7, completeTo: 7, covers: ['native'], replace: true },
    },
  )
  expect((await examined([thief], {}, 4)).status).toBe('absent')
  expect(await examined([thief], {}, 1)).toEqual(before)
  expect((await examined([thief], {}, 3)).ownTransfers).toBe(1)
})

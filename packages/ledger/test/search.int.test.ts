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
    const weth = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
    await imported([
      { from: THIEF, to: weth },
      { from: weth, to: SCREENED },
    ])
    expect(await examined()).toMatchObject({
      cut: [{ address: weth, reason: 'contract' }],
      measures: [{ category: 'unattributed' }],
    })
  })

  test('at an address with too many transfers, and the coverage says so', async () => {
    await imported([...path, { from: MIDDLE, to: THIEF }])
    expect(await examined([thief], { transfers_per_intermediary: 2 })).toMatchObject({
      cut: [{ address: MIDDLE, reason: 'too_many_transfers' }],
      truncated: true,
      measures: [],
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
  const limits = { transfers_of_intermediaries: 4, transfers_per_intermediary: 6 }
  const before = await examined([thief], limits)
  expect(before).toMatchObject({ cut: [], truncated: false, measures: [{ sources: 1, transfers: 2 }] })
  await imported([1, 2, 3, 4].map(() => ({ from: THIEF, to: MIDDLE })))
  expect(await examined([thief], limits, 1)).toEqual(before)
  expect((await examined([thief], limits, 2)).cut).toMatchObject([{ address: MIDDLE, reason: 'limit' }])
  await imported([{ from: THIEF, to: MIDDLE }])
  expect(await examined([thief], limits, 1)).toEqual(before)
  expect((await examined([thief], limits, 3)).cut).toMatchObject([{ reason: 'too_many_transfers' }])
})

test('of an address with too many transfers the newest are read', async () => {
  await imported([1, 2, 3].map((n) => ({ from: THIEF, to: SCREENED, raw: `${n}` })))
  const record = await examined([thief], { transfers: 2 })
  expect(record).toMatchObject({ ownTransfers: 2, truncated: true, measures: [{ amount: '5', total: '5' }] })
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

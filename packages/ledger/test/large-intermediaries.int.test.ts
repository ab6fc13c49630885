/** Many screens go through the same large addresses: what is known of one is not read again, and a part of its transfers shows a hub. */
import { compilePolicy, defaultPolicy, type LabelFacts } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createKnownTransfers, examineAddress } from '../src/index.js'
import { type ExamineOptions } from '../src/examine-address.js'
import {
  address,
  csvOf,
  hash,
  startLedger,
  type CsvTransfer,
  type LedgerInstallation,
} from './installation.js'

const SCREENED = address(1)
const HUB = address(2)
const REGULAR = address(3)
const THIEF = address(4)
const STRANGERS = 150
const LIMIT = 10
const GENERATED_AT = '2026-11-21T09:00:00.000Z'

let ledger: LedgerInstallation
let asked: string[] = []
/** Addresses of which every transfer was counted. */
let counted: unknown[] = []
beforeAll(async () => {
  ledger = await startLedger()
  const pairs = Array.from({ length: STRANGERS }, (_, n) => [
    [address(100 + n), HUB],
    [THIEF, REGULAR],
  ]).flat()
  await importPairs([...pairs, [HUB, SCREENED], [REGULAR, SCREENED]])
}, 60_000)
afterAll(async () => await ledger.close())
beforeEach(() => {
  asked = []
  counted = []
})

let made = 0
async function importPairs(pairs: readonly (readonly string[])[]): Promise<void> {
  const rows = pairs.map(([from, to]): CsvTransfer => {
    made += 1
    const time = new Date(Date.parse('2026-11-01') + made * 60_000).toISOString()
    return { from: from!, to: to!, time, block: made, hash: hash(made) }
  })
  await ledger.imported(await ledger.file(`${made}.csv`, csvOf(rows)))
}

const stolen: LabelFacts = {
  ...{ labelId: 'thief', source: 'list', dataset: 'list', chain: 'ETH', address: THIEF, role: 'owner' },
  ...{ category: 'stolen', entity: 'A thief', origin: 'list', kind: 'forensic', confidencePpm: 900_000 },
  ...{ sourceUrl: '', observedAt: null, validFrom: null, validTo: null, knownFrom: GENERATED_AT },
  ...{ knownTo: null, subcategory: '', sanction: null },
}

async function examined(
  limits: Partial<typeof defaultPolicy.exposure.limits>,
  options: ExamineOptions = {},
  ledgerSeq = 1,
) {
  const database: Queryable = {
    ...ledger.database,
    query: async (statement, values) => {
      const name = typeof statement === 'string' ? statement : statement.name!
      asked.push(name)
      if (name === 'ledger.read-whole-sizes') counted.push(...(values![2] as string[]))
      return await ledger.database.query(statement, values)
    },
  }
  const exposure = { ...defaultPolicy.exposure, limits: { ...defaultPolicy.exposure.limits, ...limits } }
  return await examineAddress(
    database,
    {
      ...{ chain: 'ETH', address: SCREENED, ledgerSeq, labelSets: [], generatedAt: GENERATED_AT },
      policy: compilePolicy({ ...defaultPolicy, exposure }),
      labelsOf: async (keys) => new Map(keys.includes(`evm:${THIEF}`) ? [[`evm:${THIEF}`, [stolen]]] : []),
    },
    options,
  )
}

const few = { hub_counterparties: LIMIT, transfers_per_intermediary: LIMIT }

test('a part of its transfers shows a hub, and every transfer counts for another address', async () => {
  const { cut } = await examined(few)
  expect(cut).toEqual([
    { address: HUB, reason: 'hub', hops: 1 },
    { address: REGULAR, reason: 'too_many_transfers', hops: 1 },
  ])
  expect(counted).toEqual([REGULAR])
  // Many counterparties are within this limit, but no part of the transfers shows that.
  expect((await examined({ ...few, hub_counterparties: STRANGERS + 1 })).cut).toEqual([
    { address: HUB, reason: 'too_many_transfers', hops: 1 },
    { address: REGULAR, reason: 'too_many_transfers', hops: 1 },
  ])
})

test('a hub stays one where the limit of all intermediaries is reached', async () => {
  const { cut } = await examined({ ...few, transfers_of_intermediaries: LIMIT / 2 })
  expect(cut).toEqual([
    { address: HUB, reason: 'hub', hops: 1 },
    { address: REGULAR, reason: 'limit', hops: 1 },
  ])
})

test('the transfers of an intermediary are read once in one state of the ledger, and measure the same', async () => {
  const knownTransfers = createKnownTransfers()
  const reads = (): number => asked.filter((one) => one === 'ledger.read-all-transfers').length
  const first = await examined({}, { knownTransfers })
  const firstReads = reads()
  asked = []
  expect(await examined({}, { knownTransfers })).toEqual(first)
  expect(firstReads - reads()).toBe(1)
  await importPairs([[THIEF, REGULAR]])
  const next = await examined({}, { knownTransfers }, 2)
  expect(next).toEqual(await examined({}, {}, 2))
  expect(next.transfersExamined).toBe(first.transfersExamined + 1)
  expect(await examined({}, { knownTransfers })).toEqual(first)
})

test('transfers that were read for the largest ones answer no question for all', async () => {
  const knownTransfers = createKnownTransfers()
  await examined({ transfers_per_intermediary: STRANGERS - 1 }, { knownTransfers })
  expect(await examined({}, { knownTransfers })).toEqual(await examined({}))
})

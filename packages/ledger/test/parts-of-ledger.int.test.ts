/** A ledger without calls and unknown tokens is not asked for them, and a later state that has them is. */
import { compilePolicy, defaultPolicy } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { examineAddress } from '../src/index.js'
import { address, csvOf, hash, startLedger, type LedgerInstallation } from './installation.js'

const [PAYER, MIDDLE, SCREENED, CODE] = [address(1), address(2), address(3), address(4)]
const UNKNOWN_TOKEN = address(99)
const RARE = ['ledger.read-code', 'ledger.read-unknown-tokens']

let ledger: LedgerInstallation
let database: Queryable
let asked: string[] = []
beforeAll(async () => {
  ledger = await startLedger()
  database = {
    ...ledger.database,
    query: async (statement, values) => {
      asked.push(typeof statement === 'string' ? statement : statement.name!)
      return await ledger.database.query(statement, values)
    },
  }
  const rows = [
    { from: PAYER, to: MIDDLE },
    { from: MIDDLE, to: SCREENED },
  ]
  await ledger.imported(await ledger.file('1.csv', csvOf(rows)))
}, 60_000)
afterAll(async () => await ledger.close())
beforeEach(() => (asked = []))

const examined = (ledgerSeq: number) =>
  examineAddress(database, {
    ...{ chain: 'ETH', address: SCREENED, ledgerSeq, labelSets: [], generatedAt: '2026-11-21T09:00:00.000Z' },
    policy: compilePolicy(defaultPolicy),
    labelsOf: () => Promise.resolve(new Map()),
  })
const rareAsked = (): readonly string[] => asked.filter((one) => RARE.includes(one)).sort()

test('a state without calls and unknown tokens is not asked for them, and says so once', async () => {
  const first = await examined(1)
  expect(rareAsked()).toEqual([])
  expect(asked).toContain('ledger.parts')
  asked = []
  expect(await examined(1)).toEqual(first)
  expect(rareAsked()).toEqual([])
  expect(asked).not.toContain('ledger.parts')
})

test('a later state with them is asked for both, and the earlier one says what it said', async () => {
  const before = await examined(1)
  const rows = [
    { from: CODE, to: SCREENED, kind: 'internal', hash: hash(50), block: 300 },
    {
      from: PAYER,
      to: SCREENED,
      kind: 'token',
      contract: UNKNOWN_TOKEN,
      hash: hash(51),
      block: 301,
      index: 0,
    },
  ]
  await ledger.imported(await ledger.file('2.csv', csvOf(rows)))
  asked = []
  const after = await examined(2)
  expect(rareAsked()).toEqual(RARE)
  expect(after.cut).toEqual([{ address: CODE, reason: 'contract', hops: 1 }])
  expect(after.breakdown.flatMap(({ contract }) => contract)).toContain(UNKNOWN_TOKEN)
  expect(await examined(1)).toEqual(before)
})

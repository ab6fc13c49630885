/** An examination of thousands of transfers pauses on its way without changing its result, and queries nothing after it is given up. */
import { compiledDefaultPolicy, STEP_ITEMS, type LabelFacts } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examineAddress, type KnownSizes } from '../src/index.js'
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
const EXCHANGE = address(2)
const THIEF = address(3)
const MIDDLES = 6
/** Each of them traded this often with each of its counterparties. */
const TIMES = 300
const GENERATED_AT = '2026-11-21T09:00:00.000Z'

let ledger: LedgerInstallation
beforeAll(async () => {
  ledger = await startLedger()
  const transfers: CsvTransfer[] = []
  const begin = Date.parse('2026-11-01')
  const pay = (from: string, to: string): void => {
    const time = new Date(begin + transfers.length * 60_000).toISOString()
    transfers.push({ from, to, time, hash: hash(transfers.length + 1), raw: `1${'0'.repeat(16)}` })
  }
  for (let time = 0; time < TIMES; time++) {
    for (let middle = 0; middle < MIDDLES; middle++) {
      pay(THIEF, address(100 + middle))
      pay(address(100 + middle), SCREENED)
    }
    for (let more = 0; more < 4; more++) pay(SCREENED, EXCHANGE)
  }
  await ledger.imported(await ledger.file('busy.csv', csvOf(transfers)))
}, 60_000)
afterAll(async () => await ledger.close())

const stolen: LabelFacts = {
  ...{ labelId: 'thief', source: 'list', dataset: 'list', chain: 'ETH', address: THIEF, role: 'owner' },
  ...{ category: 'stolen', entity: 'A thief', origin: 'list', kind: 'forensic', confidencePpm: 900_000 },
  ...{ sourceUrl: '', observedAt: null, validFrom: null, validTo: null, knownFrom: GENERATED_AT },
  ...{ knownTo: null, subcategory: '', sanction: null },
}

/** The queries of an examination to the database and for labels, in order. */
function examination(options: ExamineOptions = {}) {
  const asked: string[] = []
  const database: Queryable = {
    query: async (statement, values) => {
      asked.push(typeof statement === 'string' ? statement : statement.name!)
      return await ledger.database.query(statement, values)
    },
    execute: async () => {
      throw new Error('An examination writes nothing')
    },
  }
  const record = examineAddress(
    database,
    {
      ...{ chain: 'ETH', address: SCREENED, ledgerSeq: 1, labelSets: [], generatedAt: GENERATED_AT },
      policy: compiledDefaultPolicy,
      labelsOf: async (keys) => {
        asked.push('labels')
        return new Map(keys.includes(`evm:${THIEF}`) ? [[`evm:${THIEF}`, [stolen]]] : [])
      },
    },
    options,
  )
  return { asked, record }
}

test('an examination pauses wherever it should and measures the same', async () => {
  const whole = await examination().record
  let rests = 0
  const inPieces = await examination({
    pace: () => {
      rests += 1
      return Promise.resolve()
    },
  }).record
  expect(inPieces).toEqual(whole)
  expect(whole).toMatchObject({
    transfersExamined: (2 * MIDDLES + 4) * TIMES,
    measures: [{ relation: 'indirect', category: 'stolen', transfers: MIDDLES * TIMES }],
    cut: [{ address: EXCHANGE, reason: 'too_many_transfers' }],
  })
  // Every transfer is processed several times: decoded, weighed, replayed, hashed.
  expect(rests).toBeGreaterThan((4 * whole.transfersExamined) / STEP_ITEMS)
})

test('an examination that is abandoned between two queries sends no further query', async () => {
  class GivenUp extends Error {}
  const askedAt: number[] = []
  const whole = examination({
    pace: () => {
      askedAt.push(whole.asked.length)
      return null
    },
  })
  await whole.record
  const firstMoments = [...new Set(askedAt)].map((count) => askedAt.indexOf(count))
  expect(firstMoments.length).toBeGreaterThanOrEqual(5)
  for (const moment of firstMoments) {
    let left = moment
    const { asked, record } = examination({
      pace: () => {
        if (left === 0) throw new GivenUp()
        left -= 1
        return null
      },
    })
    await expect(record).rejects.toBeInstanceOf(GivenUp)
    await new Promise((resolve) => setImmediate(resolve))
    expect(asked.length).toBe(askedAt[moment])
  }
})

test('the size of a large address is counted once in one state of the ledger', async () => {
  const knownSizes: KnownSizes = new Map()
  const first = examination({ knownSizes })
  const record = await first.record
  expect(first.asked).toContain('ledger.read-sizes')
  const second = examination({ knownSizes })
  expect(await second.record).toEqual(record)
  expect(second.asked).not.toContain('ledger.read-sizes')
})

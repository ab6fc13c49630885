/** Threads examine as this thread does, their faults have names, and a thread that ends is replaced. */
import { silentLogger } from '@cupel/contracts'
import { compiledDefaultPolicy } from '@cupel/domain'
import { importLedger, ledgerMigrations } from '@cupel/ledger'
import { openDatabase } from '@cupel/postgres'
import { listSets, setFacts } from '@cupel/labels/read-model'
import { readModels } from '@cupel/operation/read-models'
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  LateError,
  createExaminationThreads,
  type ExaminationThreads,
  createExaminer,
  processMs,
  type ExaminationOrder,
} from '@cupel/screening/worker'
import { openFollowed } from '../installation.js'

const CUSTOMER = '0x00000000219ab540356cbb839cbe05303d7705fa'
const PARTNER = '0x1111111111111111111111111111111111111111'
const LISTED = '0x098b716b8aaf21512996dc57eb0615e2383e2f96'
const labelOf = (address: string, category: string) => ({
  ...{ address, chain: 'ETH', category, entity: 'Bank of Example', source: 'list', sourceUrl: '' },
  confidencePpm: 900_000,
})
const HEADING =
  'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source,status'
const ROW = `ETH,1,2026-11-20T00:00:00Z,0x${'01'.repeat(32)},,native,ETH,,${CUSTOMER},${PARTNER},1000000000000000000,1,,test,1`

let installation: TestInstallation
let threads: ExaminationThreads
beforeEach(async () => {
  installation = await openTestInstallation({ migrations: [ledgerMigrations], readModels })
  const { database } = installation
  const file = await installation.file('transfers.csv', `${HEADING}\n${ROW}\n`)
  await importLedger({ file, format: 'csv', chain: 'ETH', importedBy: 'test' }, { database })
  threads = createExaminationThreads({ connection: database.connection, logger: silentLogger, threads: 1 })
}, 60_000)
afterEach(async () => {
  await threads.close()
  await installation.close()
})

const orderOf = (over: Partial<ExaminationOrder> = {}): ExaminationOrder => ({
  ...{ accountId: 'a', chain: 'ETH', address: CUSTOMER, ledgerSeq: 1, labelSetSeq: 0, labelSets: [] },
  ...{ policyText: compiledDefaultPolicy.canonical, generatedAt: '2026-11-21T00:00:00.000Z' },
  ...{
    ranges: [],
    hasHistories: true,
    pricesSha256: null,
    lane: 'interactive',
    deadlineAtMs: processMs() + 60_000,
  },
  ...over,
})

test('a thread finds what this thread finds', async () => {
  await threads.ready()
  const here = createExaminer(installation.database)
  for (const address of [CUSTOMER, PARTNER, PARTNER.replaceAll('1', '2')])
    expect(await threads.exposure(orderOf({ address }))).toEqual(await here.exposure(orderOf({ address })))
  const cluster = orderOf({ chain: 'BTC', address: '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa' })
  expect(await threads.cluster(cluster)).toEqual(await here.cluster(cluster))
})

test('an examination past its deadline is late, and another fault keeps its name', async () => {
  await expect(threads.exposure(orderOf({ deadlineAtMs: processMs() }))).rejects.toBeInstanceOf(LateError)
  await expect(threads.exposure(orderOf({ policyText: '{' }))).rejects.toMatchObject({ name: 'SyntaxError' })
})

test('a thread that ends fails its examinations, and the next one is examined by another thread', async () => {
  await threads.ready()
  const { database } = installation
  const held = openDatabase({ ...database.connection, maxConnections: 1 })
  const cut = held.transaction({ at: 'test' }, async (transaction) => {
    await transaction.execute('LOCK TABLE ledger.transfer IN ACCESS EXCLUSIVE MODE')
    const waiting = threads.exposure(orderOf())
    const failed = expect(waiting).rejects.toThrow('The thread of the examination ended')
    await threads.close()
    await failed
  })
  await cut
  await held.close()
  expect((await threads.exposure(orderOf())).result).toMatchObject({ status: 'examined', ownTransfers: 1 })
})

test('an examination in a thread uses the lists of its own order, not those of an earlier one', async () => {
  const { publish, database, close } = await openFollowed()
  await publish('ofac_sdn', [labelOf(LISTED, 'sanctions')])
  await publish('exchanges', [labelOf(PARTNER, 'clean_exchange')])
  const { labelSets, labelSetSeq } = await vi.waitFor(async () => {
    const sets = await listSets(database)
    expect(sets).toHaveLength(2)
    return {
      labelSets: sets.map(setFacts),
      labelSetSeq: Math.max(...sets.map((one) => one.labelSetSeq)),
    }
  }, 30_000)
  const file = await installation.file('transfers.csv', `${HEADING}\n${ROW}\n`)
  await importLedger({ file, format: 'csv', chain: 'ETH', importedBy: 'test' }, { database })
  const own = createExaminationThreads({ connection: database.connection, logger: silentLogger, threads: 1 })
  const here = createExaminer(database)
  const records = []
  for (const sets of [labelSets, labelSets, []]) {
    const order = orderOf({ labelSets: sets, labelSetSeq })
    records.push(await own.exposure(order))
    expect(records.at(-1)).toEqual(await here.exposure(order))
  }
  expect(records[1]).toEqual(records[0])
  // Without the list nobody has the name of a listed party, and the exchange is clean.
  expect(records[2]).not.toEqual(records[0])
  await own.close()
  await close()
}, 60_000)

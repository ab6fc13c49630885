/** A stage that was late is finished beside the screens, and the next screen has the result: as it would be if it was examined then. */
import { compiledDefaultPolicy } from '@cupel/domain'
import { importLedger, ledgerMigrations } from '@cupel/ledger'
import type { Queryable } from '@cupel/postgres'
import { readModels } from '@cupel/operation/read-models'
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startExposureStage, type ExposureStage } from './exposure-stage.js'
import type { Request } from './lane.js'

const CUSTOMER = '0x00000000219ab540356cbb839cbe05303d7705fa'
const PARTNER = '0x1111111111111111111111111111111111111111'
const BUSY = `0x${'b'.repeat(40)}`
const WAIT = 30_000
const PLACE = { chain: 'ETH', address: CUSTOMER }

let installation: TestInstallation
let stage: ExposureStage
/** Resolves when the ledger answers; the ledger fails where it rejects. */
let ledgerAnswers: Promise<void>
let reads: number
let busyReads: number
/** The addresses of each read. */
let asked: string[]
beforeEach(async () => {
  installation = await openTestInstallation({ migrations: [ledgerMigrations], readModels })
  const { database } = installation
  const file = await installation.file('transfers.csv', csvOf([rowOf(1, CUSTOMER, PARTNER)]))
  const range = { completeFrom: 0, completeTo: 1, covers: ['native'] } as const
  const result = await importLedger(
    { file, format: 'csv', chain: 'ETH', importedBy: 'test', ...range },
    { database },
  )
  expect(result.status).toBe('imported')
  await installation.relay()
  ledgerAnswers = Promise.resolve()
  reads = 0
  busyReads = 0
  asked = []
  const gated: Queryable = {
    ...database,
    query: async (statement, values) => {
      if (typeof statement !== 'string' && statement.name === 'ledger.read-transfers') {
        reads += 1
        asked.push(...(values?.[2] as readonly string[]))
        if ((values?.[2] as readonly string[]).includes(BUSY)) busyReads += 1
        await ledgerAnswers
      }
      return await database.query(statement, values)
    },
  }
  stage = await startExposureStage({
    ...{ ...installation.deps, database: gated },
    budgetMs: 1_000,
  })
}, 60_000)
afterEach(async () => {
  await stage.stop()
  await installation.close()
})

const HEADING =
  'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source,status'
const csvOf = (rows: readonly string[]): string => `${HEADING}\n${rows.join('\n')}\n`
const rowOf = (number: number, from: string, to: string): string =>
  `ETH,1,2026-11-20T00:00:00Z,0x${number.toString(16).padStart(64, '0')},,native,ETH,,${from},${to},1000000000000000000,1,,test,1`

async function examined({
  accountId = 'a',
  labelSetSeq = 0,
  at = '2026-11-20T01:00:00.000Z',
  address = CUSTOMER,
} = {}) {
  const request = { data: { accountId, livemode: true, chain: 'ETH', canonicalAddress: address } } as Request
  const context = { policy: compiledDefaultPolicy, labelSetSeq, labelSets: [], generatedAt: at }
  const [findings] = stage.forLane('interactive')([request])!.examine(context)
  return (await findings!).exposure
}

async function whileSilent<T>(work: () => Promise<T>): Promise<T> {
  let answer: () => void
  ledgerAnswers = new Promise((resolve) => (answer = resolve))
  try {
    return await work()
  } finally {
    answer!()
  }
}

test('what was late is there for the next screen, in this state of the labels only', async () => {
  expect(await whileSilent(examined)).toMatchObject({ status: 'late' })
  await stage.settled(PLACE)
  const kept = await whileSilent(examined)
  expect(kept.status).toBe('examined')
  expect(kept).toEqual(await examined({ labelSetSeq: 1 }))
  expect(await whileSilent(() => examined({ labelSetSeq: 2 }))).toMatchObject({ status: 'late' })
})

test('what failed is finished too', async () => {
  ledgerAnswers = Promise.reject(new Error('The connection was lost'))
  ledgerAnswers.catch(() => undefined)
  const failed = examined()
  await expect(failed).resolves.toMatchObject({ status: 'failed' })
  ledgerAnswers = Promise.resolve()
  await stage.settled(PLACE)
  ledgerAnswers = Promise.reject(new Error('The connection was lost'))
  ledgerAnswers.catch(() => undefined)
  expect(await examined()).toMatchObject({ status: 'examined' })
})

test('of screens at once only one piece of work is made', async () => {
  await whileSilent(async () => {
    const first = await examined()
    expect(first.status).toBe('late')
    const before = reads
    await Promise.all([examined(), examined(), examined()])
    expect(reads - before).toBeLessThanOrEqual(1)
  })
  await stage.settled(PLACE)
})

test('a kept result is not used where the clock changes it', async () => {
  await whileSilent(examined)
  await stage.settled(PLACE)
  // The declared range ends on 2026-11-20 at midnight, and is too old a day later.
  const later = { at: '2026-11-21T00:00:00.001Z' }
  expect((await whileSilent(examined)).status).toBe('examined')
  expect((await whileSilent(() => examined(later))).status).toBe('late')
})

test('the first screen of a state has the busiest addresses examined, and no other one', async () => {
  const { database, file } = installation
  const senders = Array.from({ length: 300 }, (_, n) => `0x${(n + 1).toString(16).padStart(40, '0')}`)
  const rows = csvOf(senders.map((one, n) => rowOf(n + 2, one, BUSY)))
  const request = { format: 'csv', chain: 'ETH', importedBy: 'test', file: await file('busy.csv', rows) }
  expect((await importLedger(request, { database })).status).toBe('imported')
  await installation.relay()
  await vi.waitFor(async () => expect((await examined()).ledgerSeq).toBe(2), WAIT)
  await vi.waitFor(() => expect(busyReads).toBe(1), WAIT)
  await stage.settled({ chain: 'ETH', address: BUSY })
  const kept = await whileSilent(() => examined({ address: BUSY }))
  expect(kept).toMatchObject({ status: 'examined', ownTransfers: senders.length })
  expect(await whileSilent(examined)).toMatchObject({ status: 'late' })
  await stage.settled(PLACE)
})

test('the late stages of one account do not wait until all of another account are done', async () => {
  const { database, file } = installation
  const wallets = Array.from({ length: 6 }, (_, n) => `0x${(n + 10).toString(16).padStart(40, '0')}`)
  const rows = csvOf(wallets.map((wallet, n) => rowOf(n + 2, wallet, `0x${'c'.repeat(39)}${n}`)))
  const request = { format: 'csv', chain: 'ETH', importedBy: 'test', file: await file('more.csv', rows) }
  expect((await importLedger(request, { database })).status).toBe('imported')
  await installation.relay()
  await vi.waitFor(async () => expect((await examined()).ledgerSeq).toBe(2), WAIT)
  await whileSilent(async () => {
    await Promise.all(wallets.map((address) => examined({ address, accountId: 'much' })))
    expect(await examined({ accountId: 'other', labelSetSeq: 1 })).toMatchObject({ status: 'late' })
    asked = []
  })
  await Promise.all([PLACE, ...wallets.map((address) => ({ ...PLACE, address }))].map(stage.settled))
  const ownReads = asked.filter((address) => [CUSTOMER, ...wallets].includes(address))
  expect(ownReads).toContain(CUSTOMER)
  expect(ownReads.indexOf(CUSTOMER)).toBeLessThanOrEqual(2)
})

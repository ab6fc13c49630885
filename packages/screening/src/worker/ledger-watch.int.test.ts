/** The scorer does not query the ledger for addresses that it surely does not hold, and never calls a held address absent. */
import { silentLogger } from '@cupel/contracts'
import { compiledDefaultPolicy } from '@cupel/domain'
import { importLedger, LEDGER_LOOK_INTERVAL_MS, ledgerMigrations } from '@cupel/ledger'
import type { Database, Queryable } from '@cupel/postgres'
import { readModels } from '@cupel/operation/read-models'
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startExposureStage, type ExposureStage } from './exposure-stage.js'
import type { Request } from './lane.js'
import { LEDGER_STALE_AFTER_MS, UNSTATED_AFTER_MS, watchLedger } from './ledger-watch.js'

const WAIT = { timeout: 150_000, interval: 20 }
const CUSTOMER = '0x00000000219ab540356cbb839cbe05303d7705fa'
const PARTNER = '0x1111111111111111111111111111111111111111'
const STRANGER = '0x2222222222222222222222222222222222222222'
const READ = 'ledger.read-transfers'

let installation: TestInstallation
let database: Database
let stage: ExposureStage | null
/** Names of the statements, in order. */
let asked: string[]
let recording: Queryable
beforeEach(async () => {
  installation = await openTestInstallation({ migrations: [ledgerMigrations], readModels })
  database = installation.database
  stage = null
  asked = []
  recording = {
    ...database,
    query: async (statement, values) => {
      asked.push(typeof statement === 'string' ? statement : statement.name!)
      return await database.query(statement, values)
    },
  }
}, 60_000)
afterEach(async () => {
  await stage?.stop()
  await installation.close()
})

const heading =
  'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source,status'

async function importTransfer(from: string, to: string, name: string): Promise<void> {
  const row = `ETH,1,2026-11-20T00:00:00Z,0x${name.repeat(64).slice(0, 64)},,native,ETH,,${from},${to},1000000000000000000,1,,test,1`
  const file = await installation.file(`${name}.csv`, `${heading}\n${row}\n`)
  const result = await importLedger({ file, format: 'csv', chain: 'ETH', importedBy: 'test' }, { database })
  expect(result.status).toBe('imported')
  await installation.relay()
}

const startStage = async (): Promise<ExposureStage> =>
  await startExposureStage({
    ...installation.deps,
    database: recording,
    budgetMs: 20_000,
  })

async function examined(address: string) {
  const data = { accountId: 'a', livemode: true, chain: 'ETH', canonicalAddress: address }
  const request = { data } as Request
  const [findings] = stage!
    .forLane('interactive')([request])!
    .examine({
      ...{ policy: compiledDefaultPolicy, labelSetSeq: 0, labelSets: [] },
      generatedAt: '2026-11-21T09:00:00.000Z',
    })
  return (await findings!).exposure
}

/** Whether the scorer queried the ledger for the transfers of this address. */
async function asksFor(address: string): Promise<boolean> {
  const before = asked.filter((name) => name === READ).length
  await examined(address)
  return asked.filter((name) => name === READ).length > before
}

test('whom the ledger does not hold it is not asked about, and the record is the same', async () => {
  await importTransfer(CUSTOMER, PARTNER, '01')
  stage = await startStage()
  const before = await examined(STRANGER)
  expect(before).toMatchObject({ status: 'absent', ledgerSeq: 1 })
  await vi.waitFor(async () => expect(await asksFor(STRANGER)).toBe(false), WAIT)
  expect(await examined(STRANGER)).toEqual(before)
  expect(await asksFor(CUSTOMER)).toBe(true)
  expect(await examined(PARTNER)).toMatchObject({ status: 'examined', ownTransfers: 1 })
})

test('a scorer rests between two looks as long as an import waits for it', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const watch = await watchLedger(installation.deps)
  const rests = timers.mock.calls.map(([, ms]) => ms)
  timers.mockRestore()
  await watch.stop()
  expect(rests).toContain(LEDGER_LOOK_INTERVAL_MS)
})

test('in a new state it is asked again, and what came with it is found in its first report', async () => {
  await importTransfer(CUSTOMER, PARTNER, '01')
  stage = await startStage()
  await vi.waitFor(async () => expect(await asksFor(STRANGER)).toBe(false), WAIT)
  await importTransfer(STRANGER, PARTNER, '02')
  await vi.waitFor(async () => {
    const record = await examined(STRANGER)
    expect(record.status).toBe(record.ledgerSeq === 1 ? 'absent' : 'examined')
    expect(record.ledgerSeq).toBe(2)
  }, WAIT)
  const other = PARTNER.replaceAll('1', '3')
  await vi.waitFor(async () => expect(await asksFor(other)).toBe(false), WAIT)
})

test('of a further segment only its addresses are read', async () => {
  const many = Array.from({ length: 1_500 }, (_, index) => {
    const from = `0x7${index.toString(16).padStart(39, '0')}`
    return `ETH,1,2026-11-20T00:00:00Z,0x${index.toString(16).padStart(64, '9')},,native,ETH,,${from},${PARTNER},1000000000000000000,1,,test,1`
  })
  const file = await installation.file('many.csv', [heading, ...many, ''].join('\n'))
  await importLedger({ file, format: 'csv', chain: 'ETH', importedBy: 'test' }, { database })
  await installation.relay()
  let read = 0
  const watch = await watchLedger({
    ...installation.deps,
    database: {
      ...database,
      query: async (statement, values) => {
        const rows = await database.query(statement, values)
        if (typeof statement !== 'string' && statement.name === 'ledger.filter-address') read += rows.length
        return rows as never
      },
    },
  })
  try {
    await vi.waitFor(() => expect(watch.mayHold('ETH', STRANGER, 1)).toBe(false), WAIT)
    expect(read).toBe(many.length + 1)
    read = 0
    await importTransfer(CUSTOMER, PARTNER, '01')
    await vi.waitFor(() => expect([watch.seq(), watch.mayHold('ETH', STRANGER, 2)]).toEqual([2, false]), WAIT)
    expect(watch.mayHold('ETH', CUSTOMER, 2)).toBe(true)
    expect(read).toBeLessThan(10)
  } finally {
    await watch.stop()
  }
})

test('a ledger of too many addresses is asked about each', async () => {
  await importTransfer(CUSTOMER, PARTNER, '01')
  const pages: string[] = []
  const watch = await watchLedger({
    ...installation.deps,
    database: {
      ...recording,
      query: async (statement, values) => {
        const rows = await recording.query(statement, values)
        pages.push((statement as { name: string }).name)
        return rows as never
      },
    },
    maxFilteredAddresses: 1,
  })
  await vi.waitFor(() => expect(pages).toContain('ledger.filter-address'), WAIT)
  // The watch looked again meanwhile, and did not read again.
  await vi.waitFor(
    () => expect(pages.filter((name) => name === 'ledger.current').length).toBeGreaterThan(2),
    WAIT,
  )
  expect(pages.filter((name) => name === 'ledger.filter-address')).toHaveLength(1)
  expect(watch.mayHold('ETH', STRANGER, 1)).toBe(true)
  await watch.stop()
})

test('a state that a database which hangs does not confirm is not the present one, until it answers again', async () => {
  await importTransfer(CUSTOMER, PARTNER, '01')
  let nowMs = 0
  let answer: () => void = () => undefined
  let hangs: Promise<void> | null = null
  let isAsked = false
  const watch = await watchLedger({
    ...installation.deps,
    nowMs: () => nowMs,
    database: {
      ...database,
      query: async (statement, values) => {
        isAsked = true
        await hangs
        return await database.query(statement, values)
      },
    },
  })
  try {
    expect(watch.fault()).toBeNull()
    hangs = new Promise<void>((resolve) => (answer = resolve))
    isAsked = false
    await vi.waitFor(() => expect(isAsked).toBe(true), WAIT)
    nowMs += LEDGER_STALE_AFTER_MS
    expect(watch.fault()).toBeNull()
    nowMs += 1
    expect(watch.fault()).toContain('could not be read')
    answer()
    await vi.waitFor(() => expect(watch.fault()).toBeNull(), WAIT)
  } finally {
    answer()
    await watch.stop()
  }
})

test('a segment that stays without an event is told to the operator, and is not used', async () => {
  await importTransfer(CUSTOMER, PARTNER, '01')
  let nowMs = 0
  const told: string[] = []
  const logger = { ...silentLogger, error: (_: unknown, text: string) => void told.push(text) }
  const watch = await watchLedger({ ...installation.deps, logger, nowMs: () => nowMs })
  try {
    await database.execute(
      `INSERT INTO ledger.segment OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(s, '{"segment_id":99,"ledger_seq":2,"sha256":"x"}')).* FROM ledger.segment s`,
    )
    await vi.waitFor(() => {
      nowMs += UNSTATED_AFTER_MS / 4
      expect(told).toEqual([expect.stringMatching(/segment 2 .* no event of the log states.* not used/)])
    }, WAIT)
    expect(watch.seq()).toBe(1)
  } finally {
    await watch.stop()
  }
})

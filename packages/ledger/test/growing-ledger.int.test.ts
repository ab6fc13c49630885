/** A ledger that grows by one segment after another: each costs the same, and is compared as all were. */
import type { Queryable } from '@cupel/postgres'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLedgerCheck } from '../src/index.js'
import { address, csvOf, hash, startLedger, type LedgerInstallation } from './installation.js'

const SLICE_ROWS = 2
let ledger: LedgerInstallation
let files = 0
beforeEach(async () => {
  ledger = await startLedger()
}, 60_000)
afterEach(async () => await ledger.close())

async function grow(segments: number): Promise<void> {
  for (let one = 0; one < segments; one += 1) {
    const block = (files += 1)
    const paid = { from: address(1), to: address(2), block, hash: hash(block), time: '2026-11-20T00:00:00Z' }
    await ledger.imported(await ledger.file(`${block}.csv`, csvOf([paid])))
  }
  await ledger.relay()
}

/** Counts the segments that are compared. */
function counting(database: Queryable, counted: { segments: number }): Queryable {
  const query: Queryable['query'] = async (statement, values) => {
    const rows = await database.query(statement, values)
    if (typeof statement === 'string' && statement.includes('FROM ledger.segment'))
      counted.segments += rows.length
    return rows as never
  }
  return { ...database, query }
}

test('one more segment costs the newest slices, and gives the state of a whole comparison', async () => {
  const counted = { segments: 0 }
  const { log, codec, database } = ledger
  const look = createLedgerCheck(
    { log, codec, database: counting(database, counted) },
    { sliceRows: SLICE_ROWS },
  )
  await grow(9)
  expect(await look()).toMatchObject({ ledgerSeq: 9, fault: null, unstated: null })
  expect(counted.segments).toBe(9)
  for (const ledgerSeq of [10, 11, 12]) {
    counted.segments = 0
    await grow(1)
    const state = await look()
    expect(state).toMatchObject({ ledgerSeq, fault: null })
    expect(state).toEqual(await createLedgerCheck(ledger)())
    expect(counted.segments).toBeLessThanOrEqual(2 * SLICE_ROWS)
  }
  await database.execute('UPDATE ledger.segment SET complete_to = 7 WHERE ledger_seq = 12')
  expect((await look()).fault).toContain('segment 12')
})

test('a segment that was altered before others came is found, though those come first', async () => {
  await grow(9)
  const look = createLedgerCheck(ledger, { sliceRows: SLICE_ROWS })
  await look()
  await ledger.database.execute('UPDATE ledger.segment SET complete_to = 7 WHERE ledger_seq = 3')
  await grow(1)
  const faults = []
  for (let turn = 0; turn <= 10 / SLICE_ROWS + 1; turn += 1) faults.push((await look()).fault)
  expect(faults.at(-1)).toContain('segment 3')
})

test('a newest segment that vanished is named', async () => {
  await grow(4)
  const look = createLedgerCheck(ledger, { sliceRows: SLICE_ROWS })
  await look()
  await ledger.database.execute('DELETE FROM ledger.segment WHERE ledger_seq = 4')
  expect((await look()).fault).toContain('lacks segment 4')
})

/** The relay takes turns with whoever has this lock. */
const whileEventsWait = (work: () => Promise<void>): Promise<void> =>
  ledger.database.transaction({ at: 'test' }, async (holding) => {
    await holding.query(`SELECT pg_advisory_xact_lock(hashtextextended('cupel.outbox-relay', 0))`)
    await work()
  })
const importNext = async (): Promise<void> => {
  const block = (files += 1)
  const paid = { from: address(1), to: address(2), block, hash: hash(block), time: '2026-11-20T00:00:00Z' }
  await ledger.imported(await ledger.file(`${block}.csv`, csvOf([paid])))
}

test('a row that is there before its event costs the newest slices, until the log states it', async () => {
  await grow(9)
  const counted = { segments: 0 }
  const look = createLedgerCheck(
    { ...ledger, database: counting(ledger.database, counted) },
    { sliceRows: SLICE_ROWS },
  )
  await look()
  counted.segments = 0
  await whileEventsWait(async () => {
    await importNext()
    for (let turn = 0; turn < 2; turn += 1)
      expect(await look()).toMatchObject({ ledgerSeq: 9, unstated: expect.any(String) as string })
  })
  await ledger.relay()
  expect(await look()).toEqual(await createLedgerCheck(ledger)())
  expect(counted.segments).toBeLessThanOrEqual(3 * 2 * SLICE_ROWS)
})

test('a stated segment that vanishes together with one that no event states yet is named', async () => {
  await grow(4)
  const look = createLedgerCheck(ledger, { sliceRows: SLICE_ROWS })
  await look()
  await grow(1)
  await whileEventsWait(async () => {
    await importNext()
    expect(await look()).toMatchObject({ ledgerSeq: 5, unstated: expect.any(String) as string })
    await ledger.database.execute('DELETE FROM ledger.segment WHERE ledger_seq > 4')
    expect((await look()).fault).toContain('lacks segment 5')
  })
})

test('segments whose rows were there before the first look, and whose events came later, are compared', async () => {
  await grow(3)
  const look = createLedgerCheck(ledger, { sliceRows: SLICE_ROWS })
  await whileEventsWait(async () => {
    for (let one = 0; one < 6; one += 1) await importNext()
    expect(await look()).toMatchObject({ ledgerSeq: 3, unstated: expect.any(String) as string })
    await ledger.database.execute('UPDATE ledger.segment SET complete_to = 7 WHERE ledger_seq = 5')
  })
  await ledger.relay()
  expect((await look()).fault).toContain('segment 5')
})

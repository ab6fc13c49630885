/** A process that starts goes on from what an earlier one compared, and believes it only with its MAC. */
import type { EventLog, LogRange } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLedgerCheck, importPrices, keepComparison } from '../src/index.js'
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

async function importPricesOf(day: string): Promise<void> {
  const file = await ledger.file(`${day}.csv`, `day,asset,usd\n${day},ETH,1\n`)
  expect(await importPrices({ file, importedBy: 'test' }, ledger)).toMatchObject({ status: 'imported' })
  await ledger.relay()
}

/** What a look costs. */
interface Cost {
  records: number
  rows: number
  statements: number
}

function counting(counted: Cost): Pick<LedgerInstallation, 'codec' | 'database'> & { log: EventLog } {
  const { log, codec, database } = ledger
  const query: Queryable['query'] = async (statement, values) => {
    const rows = await database.query(statement, values)
    counted.statements += 1
    counted.rows += rows.length
    return rows as never
  }
  async function* read(range: LogRange) {
    for await (const records of log.read(range)) {
      counted.records += records.length
      yield records
    }
  }
  return { codec, database: { ...database, query }, log: { ...log, read } }
}

/** The first look of a process that keeps what it compared, with its cost. */
async function firstLook(log: Partial<EventLog> = {}) {
  const cost: Cost = { records: 0, rows: 0, statements: 0 }
  const deps = counting(cost)
  const state = await createLedgerCheck(
    { ...deps, log: { ...deps.log, ...log } },
    { sliceRows: SLICE_ROWS, keep: keepComparison },
  )()
  return { state, cost }
}

/** Compares everything. */
const wholeLook = () => createLedgerCheck({ ...ledger, log: { ...ledger.log, macs: undefined } })()

test('the next process reads one record and the newest slices, however many segments there are', async () => {
  await grow(8)
  expect((await firstLook()).cost.records).toBe(8)
  const few = await firstLook()
  await grow(40)
  await firstLook()
  const many = await firstLook()
  expect(many.state).toEqual(await wholeLook())
  expect(few.cost.records).toBe(1)
  expect(many.cost.records).toBe(few.cost.records)
  expect(many.cost.statements).toBe(few.cost.statements)
  // One hash of each slice, and no row of the slices before the newest one.
  expect(many.cost.rows - few.cost.rows).toBe(40 / SLICE_ROWS)
})

test('what came while no process ran is compared, and only that', async () => {
  await grow(9)
  await firstLook()
  await grow(3)
  const { state, cost } = await firstLook()
  expect(state).toEqual(await wholeLook())
  expect(state).toMatchObject({ ledgerSeq: 12, fault: null, unstated: null })
  // The record that binds what was kept to the log, and the new ones.
  expect(cost.records).toBe(1 + 3)
})

// One segment has the slice of the table; of three the newest one has another.
test.each([1, 3])(
  'a table of prices that came while no process ran is in force, and compared once (%i segments)',
  async (segments) => {
    await grow(segments)
    await firstLook()
    await importPricesOf('2026-11-20')
    const { state } = await firstLook()
    expect(state).toEqual(await wholeLook())
    expect(state.pricesSha256).toMatch(/^[0-9a-f]{64}$/)
    const next = await firstLook()
    expect(next.state).toEqual(state)
    expect(next.cost.records).toBe(1)
  },
)

test.each([1, 3])(
  'what a process compares again because of a table of prices is kept (%i segments)',
  async (segments) => {
    await grow(segments)
    const look = createLedgerCheck(ledger, { sliceRows: SLICE_ROWS, keep: keepComparison })
    await look()
    await importPricesOf('2026-11-20')
    // Each slice has its turn.
    await look()
    const state = await look()
    expect(state.pricesSha256).toMatch(/^[0-9a-f]{64}$/)
    const next = await firstLook()
    expect(next.state).toEqual(state)
    expect(next.cost.records).toBe(1)
  },
)

test.each([1, 5, 9])('segment %i, altered while no process ran, is found by the first look', async (seq) => {
  await grow(9)
  await firstLook()
  await ledger.database.execute('UPDATE ledger.segment SET complete_to = 7 WHERE ledger_seq = $1', [seq])
  expect((await firstLook()).state.fault).toContain(`segment ${seq}`)
})

test.each([1, 5, 9])('segment %i, removed while no process ran, is named by the first look', async (seq) => {
  await grow(9)
  await firstLook()
  await ledger.database.execute('DELETE FROM ledger.segment WHERE ledger_seq = $1', [seq])
  expect((await firstLook()).state.fault).toContain(`lacks segment ${seq}`)
})

test.each([10, 2 ** 52])(
  'segment %i, which no event states, is not used after a restart either',
  async (seq) => {
    await grow(9)
    await firstLook()
    await ledger.database.execute(
      `INSERT INTO ledger.segment (ledger_seq, chain, format, file_name, sha256, covers, replaces, asset_table_version, published_at, imported_by)
     VALUES (${seq}, 'ETH', 'csv', 'x', 'x', '{native}', false, '1', '2026-11-21T00:00:00.000Z', 'x')`,
    )
    expect((await firstLook()).state).toMatchObject({ ledgerSeq: 9, unstated: expect.any(String) as string })
  },
)

/** What an attacker does who can write every row: hides an altered segment from the hashes that were kept. */
async function forge(macOf: (text: string) => string): Promise<void> {
  await ledger.database.execute('UPDATE ledger.segment SET complete_to = 7 WHERE ledger_seq = 1')
  const [altered] = await ledger.database.query<{ hash: string }>(
    `SELECT md5(string_agg('segment ' || t::text, E'\n' ORDER BY 'segment ' || t::text)) AS hash
     FROM ledger.segment AS t WHERE ledger_seq < ${SLICE_ROWS}`,
  )
  const [row] = await ledger.database.query<{ text: string }>('SELECT text FROM ledger.compared')
  const kept = JSON.parse(row!.text) as { slices: [number, string][] }
  const slices = kept.slices.map(([slice, one]) => [slice, slice === 0 ? altered!.hash : one])
  const text = JSON.stringify({ ...kept, slices })
  await ledger.database.execute('UPDATE ledger.compared SET text = $1, mac = $2', [text, macOf(text)])
}

test('without the record keys nobody can say that a segment was compared', async () => {
  await grow(9)
  await firstLook()
  const [row] = await ledger.database.query<{ mac: string }>('SELECT mac FROM ledger.compared')
  await forge(() => row!.mac)
  expect((await firstLook()).state.fault).toContain('segment 1')
})

test('the forgery of these tests is one: with the keys it would be believed', async () => {
  await grow(9)
  await firstLook()
  const identity = await ledger.log.identity()
  let purpose = ''
  const macs = {
    ...ledger.log.macs!,
    macOf(of: string, text: string) {
      purpose = of
      return ledger.log.macs!.macOf(of, text)
    },
  }
  await ledger.database.execute('DELETE FROM ledger.compared')
  await firstLook({ macs })
  expect(purpose).toContain(identity)
  await forge((text) => ledger.log.macs!.macOf(purpose, text))
  expect((await firstLook()).state.fault).toBeNull()
})

test('what was compared with another log, or told for another purpose, is compared again', async () => {
  await grow(9)
  await firstLook({ identity: async () => 'another log' })
  expect((await firstLook()).cost.records).toBe(9)
  await ledger.database.execute('UPDATE ledger.compared SET mac = $1', [
    ledger.log.macs!.macOf('another purpose', 'x'),
  ])
  expect((await firstLook()).cost.records).toBe(9)
})

test('what cannot be kept costs the next process its time, and nothing else', async () => {
  await grow(5)
  await ledger.database.execute('ALTER TABLE ledger.compared RENAME TO elsewhere')
  expect((await firstLook()).state).toMatchObject({ ledgerSeq: 5, fault: null })
  expect((await firstLook()).cost.records).toBe(5)
})

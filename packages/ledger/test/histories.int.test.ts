/** What a provider said of all transfers of one address: it makes the history of that address whole, and of no other. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { compiledDefaultPolicy } from '@cupel/domain'
import {
  addressHistories,
  currentLedger,
  declaredRanges,
  examineAddress,
  type LedgerImportRequest,
} from '../src/index.js'
import { type HistoryFacts } from '../src/segments.js'
import {
  address,
  csvOf,
  hash,
  startLedger,
  type CsvTransfer,
  type LedgerInstallation,
} from './installation.js'

let ledger: LedgerInstallation
let files = 0
beforeEach(async () => {
  ledger = await startLedger()
}, 60_000)
afterEach(async () => await ledger.close())

const fileOf = async (text: string): Promise<string> => await ledger.file(`${(files += 1)}.txt`, text)
const ALICE = address(1)
const BOB = address(2)
const CAROL = address(3)
const ALL = ['native', 'internal', 'token'] as const
const HEAD_AT_S = Date.parse('2026-11-20T23:00:00Z') / 1_000

const paid = (from: string, to: string, block: number) => ({
  ...{ from, to, block, hash: hash(block), time: '2026-11-20T00:00:00Z' },
})

const factsOf = (of: string, height: number, told: Partial<HistoryFacts> = {}): HistoryFacts => ({
  ...{ address: of, provider: 'explorer', height, hash: hash(height), atS: HEAD_AT_S, incomplete: [] },
  ...told,
})

/** A reading of the history of an address up to a height, as lines of JSON. */
async function read(
  of: string,
  height: number,
  transfers: readonly CsvTransfer[],
  {
    after = null,
    told = {},
    covers = ALL,
  }: {
    readonly after?: number | null
    readonly told?: Partial<HistoryFacts>
    readonly covers?: LedgerImportRequest['covers']
  } = {},
) {
  const [heading, ...rows] = csvOf(transfers).trim().split('\n')
  const columns = heading!.split(',')
  const lines = rows.map((row) =>
    JSON.stringify(Object.fromEntries(row.split(',').map((value, index) => [columns[index]!, value]))),
  )
  return await ledger.imported(await fileOf(lines.map((line) => `${line}\n`).join('')), {
    ...(covers!.length === 0
      ? {}
      : { completeFrom: after === null ? 0 : after + 1, completeTo: height, covers }),
    history: factsOf(of, height, told),
  })
}

const seqNow = async (): Promise<number> => (await currentLedger(ledger.database)).ledgerSeq
const examined = async (one: string, ledgerSeq?: number) =>
  await examineAddress(ledger.database, {
    ...{ chain: 'ETH', address: one, ledgerSeq: ledgerSeq ?? (await seqNow()) },
    ...{ policy: compiledDefaultPolicy, labelSets: [], generatedAt: '2026-11-21T00:00:00.000Z' },
    labelsOf: async () => new Map(),
  })

describe('a whole history', () => {
  test('of an address without transfers is whole, and says which provider told it, at which block', async () => {
    await read(ALICE, 500, [])
    const { historyComplete, incomplete, histories, ranges } = await examined(ALICE)
    expect({ historyComplete, incomplete }).toEqual({ historyComplete: true, incomplete: [] })
    expect(histories).toEqual([
      {
        ...{ address: ALICE, provider: 'explorer', height: 500, hash: hash(500), kinds: ALL, incomplete: [] },
        at: '2026-11-20T23:00:00.000Z',
      },
    ])
    expect(ranges).toMatchObject(ALL.map((kind) => ({ kind, fromHeight: 0, toHeight: 500 })))
  })

  test('says nothing of another address, and declares nothing for the chain', async () => {
    await read(ALICE, 500, [])
    expect(await examined(BOB)).toMatchObject({ historyComplete: false, histories: [], ranges: [] })
    expect(await declaredRanges(ledger.database, { chain: 'ETH', ledgerSeq: await seqNow() })).toEqual([])
  })

  test('is not enough while that of an address which the money came through is not read', async () => {
    await read(CAROL, 500, [])
    await read(ALICE, 500, [paid(BOB, ALICE, 100)])
    expect((await examined(ALICE)).incomplete).toEqual(['intermediary_unread'])
    await read(BOB, 500, [paid(CAROL, BOB, 90), paid(BOB, ALICE, 100)])
    // Carol is beyond the hops; what she paid is known, and all that Bob had.
    expect(await examined(ALICE)).toMatchObject({ historyComplete: true, incomplete: [] })
    expect((await examined(CAROL)).incomplete).toContain('shortfall')
  })

  test('is not lost because strangers sent less than dust', async () => {
    const dust = { ...paid(address(9), ALICE, 120), raw: '1' }
    await read(BOB, 500, [paid(CAROL, BOB, 90), paid(BOB, ALICE, 100)])
    await read(ALICE, 500, [paid(BOB, ALICE, 100), dust])
    expect((await examined(ALICE)).incomplete).toEqual([])
    // Whoever pays somebody else is not dusted.
    await read(ALICE, 510, [{ ...paid(ALICE, address(9), 505), raw: '1' }], { after: 500 })
    expect((await examined(ALICE)).incomplete).toEqual(['intermediary_unread'])
  })

  test('holds until the block of its head, and ages', async () => {
    await read(ALICE, 500, [], { told: { atS: HEAD_AT_S - 48 * 3_600 } })
    expect((await examined(ALICE)).incomplete).toEqual(['range_gap'])
    await read(ALICE, 600, [], { after: 500 })
    await ledger.imported(await fileOf(csvOf([paid(BOB, ALICE, 700)])))
    expect((await examined(ALICE)).incomplete).toContain('range_gap')
  })

  test('of some kinds needs the others from elsewhere', async () => {
    await read(ALICE, 500, [], { told: { incomplete: ['no_traces'] }, covers: ['native', 'token'] })
    expect((await examined(ALICE)).incomplete).toEqual(['no_traces'])
    await ledger.imported(await fileOf(csvOf([paid(BOB, CAROL, 7)])), {
      ...{ completeFrom: 0, completeTo: 500, covers: ['internal'] },
    })
    expect((await examined(ALICE)).incomplete).toEqual([])
  })
})

describe('a later reading', () => {
  test('continues an earlier one, and an earlier state of the ledger stays as it was', async () => {
    await read(ALICE, 500, [])
    const before = await seqNow()
    await read(ALICE, 600, [], { after: 450 })
    const [history] = await addressHistories(ledger.database, {
      ...{ chain: 'ETH', ledgerSeq: await seqNow(), addresses: [ALICE] },
    })
    expect(history!.ranges).toHaveLength(6)
    expect((await examined(ALICE)).ranges).toMatchObject(ALL.map(() => ({ fromHeight: 0, toHeight: 600 })))
    expect((await examined(ALICE, before)).histories).toMatchObject([{ height: 500 }])
  })

  test.each([
    ['truncated', 'history_truncated'],
    ['contradicting_pages', 'history_contradicting'],
    ['reorganised', 'history_reorganised'],
    ['rate_limited', 'history_unfinished'],
  ])('that is %s takes back what earlier ones said, until one from the beginning', async (gap, reason) => {
    await read(ALICE, 500, [])
    await read(ALICE, 600, [], { after: 450, told: { incomplete: [gap] } })
    const found = await examined(ALICE)
    expect(found.historyComplete).toBe(false)
    expect(found.incomplete).toContain(reason)
    await read(ALICE, 610, [])
    expect(await examined(ALICE)).toMatchObject({ historyComplete: true, incomplete: [] })
  })

  test('with a row that cannot be read is not whole, and leaves the history of others whole', async () => {
    await read(BOB, 600, [])
    const bad = { ...paid(BOB, ALICE, 100), status: 'perhaps' }
    await read(ALICE, 600, [bad, paid(CAROL, ALICE, 101)])
    expect((await examined(ALICE)).incomplete).toContain('unreadable_rows')
    expect((await examined(BOB)).incomplete).not.toContain('unreadable_rows')
  })

  test('of another provider makes up for a bad one', async () => {
    await read(ALICE, 600, [], { told: { incomplete: ['truncated'] }, covers: [] })
    await read(ALICE, 600, [], { told: { provider: 'another' } })
    expect(await examined(ALICE)).toMatchObject({
      ...{ historyComplete: true, incomplete: [] },
      histories: [{ provider: 'another' }, { provider: 'explorer', incomplete: ['truncated'] }],
    })
  })
})

test('transfers that a file and a provider tell count once', async () => {
  const told = [paid(BOB, ALICE, 100), paid(ALICE, CAROL, 110)]
  await ledger.imported(await fileOf(csvOf(told)))
  const before = await examined(ALICE)
  expect(await read(ALICE, 500, told)).toMatchObject({ added: 0, known: 2 })
  const { breakdown, ownTransfers } = await examined(ALICE)
  expect(ownTransfers).toBe(before.ownTransfers)
  expect(breakdown.map(({ total }) => total)).toEqual(before.breakdown.map(({ total }) => total))
})

test('empty readings of two addresses are two segments, and the same reading is imported once', async () => {
  const [one, two] = [await read(ALICE, 500, []), await read(BOB, 500, [])]
  expect(two.segmentId).not.toBe(one.segmentId)
  expect(await read(ALICE, 500, [])).toMatchObject({ status: 'already-imported', segmentId: one.segmentId })
})

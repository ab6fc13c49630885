/** Every change of records with leaves is found and named by its place; nothing else is reported. */
import { LogStoppedError, type AuthenticLog, type EventCodec, type LogRecord } from '@cupel/event-log'
import { assertWithin } from '@cupel/testkit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  compareRecords,
  type ComparedRecords,
  type ReadLeaf,
} from '../../src/transparency/compare/compare-records.js'
import { createFindings } from '../../src/transparency/compare/findings.js'
import { parseLeafEntry } from '../../src/transparency/format/leaf.js'
import { leafOfRecord } from '../../src/transparency/leaf-of-record.js'

const place = { topic: 'a.topic', partition: 3 }
const noReports = { partOf: () => () => null, decodeAs: () => null } as unknown as EventCodec

function record(offset: number, text = `value ${offset}`): LogRecord {
  const headers = {
    ce_id: `event ${text}`,
    ce_time: '2026-11-23T02:00:00.000Z',
    cupel_mac: `k.mac of ${text}`,
  }
  return {
    ...place,
    offset,
    key: `key ${text}`,
    value: Buffer.from(text),
    headers,
    timestampMs: 1_000 + offset,
  }
}
const recordsTo = (count: number): LogRecord[] => Array.from({ length: count }, (_, offset) => record(offset))

/** A log of one partition. Like the embedded one it refuses a page that lacks a record. */
function logOf(records: readonly LogRecord[], start: number): AuthenticLog {
  const end = (records.at(-1)?.offset ?? start - 1) + 1
  const log = {
    startOffset: async () => start,
    endOffset: async () => end,
    async *read({ from, to }: { from: number; to: number }) {
      let next = from
      for (const each of records.filter(({ offset }) => offset >= from && offset < to)) {
        if (each.offset !== next) throw new LogStoppedError('gap', `Record ${next} is missing.`)
        yield [each]
        next += 1
      }
      if (next < to) throw new LogStoppedError('gap', `Record ${next} is missing.`)
    },
  }
  return { ...log, unchecked: log, forgeryCheck: async () => () => null } as unknown as AuthenticLog
}

/** `places`: whether the leaves state where their records are, as rows do. */
function leavesOf(records: readonly LogRecord[], places: boolean): ReadLeaf[] {
  return records.map((each, index) => {
    const made = leafOfRecord(each, () => null)
    const position = places ? { ...place, offset: each.offset } : null
    return { ...parseLeafEntry(made.entry)!, index, stored: { entry: made.entry }, record: position }
  })
}

async function compared(
  records: readonly LogRecord[],
  leaves: readonly ReadLeaf[],
  start = 0,
): Promise<ComparedRecords & { readonly named: readonly { offset: number; to: number; kind: string }[] }> {
  const findings = createFindings(1_000)
  const comparison = await compareRecords({
    ...{ log: logOf(records, start), codec: noReports, places: [place], accepted: [], findings },
    ...{ endsEarlier: false, checksTimes: true, leaves: leaves.length },
  })
  // In two parts, as for a long history.
  const middle = Math.floor(leaves.length / 2)
  await comparison.compare(leaves.slice(0, middle))
  await comparison.compare(leaves.slice(middle))
  const ended = await comparison.end(null)
  return { ...ended, named: findings.problems(ended.timeBefore) }
}

/** Changes of the records at an offset. */
const tamperings: Readonly<Record<string, (records: LogRecord[], at: number) => LogRecord[]>> = {
  changed: (records, at) =>
    records.map((each) => (each.offset === at ? { ...each, value: Buffer.from('other') } : each)),
  'dated back': (records, at) =>
    records.map((each) =>
      each.offset === at
        ? { ...each, headers: { ...each.headers, ce_time: '2020-01-01T00:00:00.000Z' } }
        : each,
    ),
  'given another time': (records, at) =>
    records.map((each) => (each.offset === at ? { ...each, timestampMs: each.timestampMs! + 1 } : each)),
  'under another key': (records, at) =>
    records.map((each) => (each.offset === at ? { ...each, key: 'other' } : each)),
  removed: (records, at) => records.filter(({ offset }) => offset !== at),
  'removed, the rest moved up': (records, at) =>
    records.filter(({ offset }) => offset !== at).map((each, offset) => ({ ...each, offset })),
  inserted: (records, at) =>
    [...records.slice(0, at), record(at, 'inserted'), ...records.slice(at)].map((each, offset) => {
      return { ...each, offset }
    }),
  'cut off': (records, at) => records.slice(0, at),
}

const lengths = fc.record({ signed: fc.integer({ min: 2, max: 700 }), unsigned: fc.nat({ max: 20 }) })

test('records that are as they were signed agree, wherever retention has cut the front', async () => {
  await assertWithin(
    { name: 'untouched histories', full: 300, minimum: 10 },
    fc.asyncProperty(lengths, fc.nat({ max: 600 }), async ({ signed, unsigned }, kept) => {
      const records = recordsTo(signed + unsigned)
      for (const places of [true, false]) {
        const leaves = leavesOf(records.slice(0, signed), places)
        expect(await compared(records, leaves)).toMatchObject({ named: [], unplaced: [], records: signed })
      }
      const start = Math.min(kept, records.length - 1)
      const leaves = leavesOf(records.slice(0, signed), true)
      expect(await compared(records.slice(start), leaves, start)).toMatchObject({ named: [] })
    }),
  )
})

/** Each history is signed once and then changed this many times, because signing costs as much as comparing. */
const CHANGES = 5
const CHANGED_HISTORIES = 10_000 / CHANGES
/** Ten thousand changes take minutes of one busy core. */
const HANG_MS = 1_800_000

test('a change of a signed record is found, and named by its place', { timeout: HANG_MS }, async () => {
  const change = fc.record({
    kind: fc.constantFrom(...Object.keys(tamperings)),
    part: fc.double({ min: 0, max: 0.999, noNaN: true }),
  })
  const changes = fc.array(change, { minLength: CHANGES, maxLength: CHANGES })
  await assertWithin(
    { name: `histories tampered with in ${CHANGES} ways`, full: CHANGED_HISTORIES, minimum: 10 },
    fc.asyncProperty(lengths, changes, async ({ signed, unsigned }, drawn) => {
      const records = recordsTo(signed + unsigned)
      const leaves = leavesOf(records.slice(0, signed), true)
      for (const { kind, part } of drawn) {
        const at = Math.floor(part * signed)
        const { named } = await compared(tamperings[kind]!(records, at), leaves)
        expect(named[0], kind).toMatchObject({ offset: at })
      }
    }),
  )
})

test('from leaves that name no place a change is found too', async () => {
  const records = recordsTo(600)
  const leaves = leavesOf(records, false)
  for (const kind of ['changed', 'dated back', 'under another key', 'removed', 'cut off'])
    expect((await compared(tamperings[kind]!(records, 300), leaves)).unplaced[0], kind).toBe(300)
  const { named } = await compared(tamperings['given another time']!(records, 300), leaves)
  expect(named).toMatchObject([{ kind: 'other-time', offset: 300, to: 301 }])
})

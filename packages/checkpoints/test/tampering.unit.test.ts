/** Every change of signed records is found and named by its place; nothing else is reported. */
import { turnsOnly } from '@cupel/concurrency'
import { placeOf, type EventLog, type LogRecord } from '@cupel/event-log'
import { assertWithin } from '@cupel/testkit'
import fc from 'fast-check'
import { test, expect } from 'vitest'
import { comparePartition, type Difference, type NumberedExtension } from '../src/compare-partition.js'
import { extend } from '../src/extend.js'
import type { PartitionState } from '../src/state.js'

const place = { topic: 'a.topic', partition: 3 }

function record(offset: number, text = `value ${offset}`): LogRecord {
  const headers = { ce_id: `event ${text}`, ce_time: '2026-11-23T02:00:00.000Z' }
  return { ...place, offset, key: `key ${text}`, value: Buffer.from(text), headers }
}

/** A log of one partition. Kafka keeps something internal at an offset without a record. */
function logOf(
  records: readonly LogRecord[],
  start: number,
  end: number,
): EventLog & { readonly openReads: number } {
  // On Kafka each open read holds a connection.
  let openReads = 0
  return {
    get openReads() {
      return openReads
    },
    startOffset: async () => start,
    endOffset: async () => end,
    async *read({ from, to }: { from: number; to: number }) {
      openReads += 1
      try {
        yield records.filter(({ offset }) => offset >= from && offset < to)
      } finally {
        openReads -= 1
      }
    },
  } as unknown as EventLog & { readonly openReads: number }
}

async function signed(records: readonly LogRecord[], ends: readonly number[]): Promise<NumberedExtension[]> {
  const extensions: NumberedExtension[] = []
  let states: ReadonlyMap<string, PartitionState> = new Map()
  for (const end of ends) {
    const made = await extend(logOf(records, 0, end), [place], states, {
      ...{ maxRecords: Number.MAX_SAFE_INTEGER, pauses: turnsOnly() },
    })
    states = new Map(made.partitions.map((state) => [placeOf(state), state]))
    extensions.push(...made.extensions.map((extension) => ({ ...extension, number: extensions.length + 1 })))
  }
  return extensions
}

/** Changes of the records at an offset, and the first offset that differs afterwards. */
const tamperings: Readonly<Record<string, (records: LogRecord[], at: number) => LogRecord[]>> = {
  changed: (records, at) =>
    records.map((each) => (each.offset === at ? { ...each, value: Buffer.from('other') } : each)),
  'dated back': (records, at) =>
    records.map((each) =>
      each.offset === at
        ? { ...each, headers: { ...each.headers, ce_time: '2020-01-01T00:00:00.000Z' } }
        : each,
    ),
  'under another key': (records, at) =>
    records.map((each) => (each.offset === at ? { ...each, key: 'other' } : each)),
  removed: (records, at) => records.filter(({ offset }) => offset !== at),
  'removed, the rest moved up': (records, at) =>
    records.filter(({ offset }) => offset !== at).map((each, offset) => ({ ...each, offset })),
  inserted: (records, at) =>
    [...records.slice(0, at), record(at, 'inserted'), ...records.slice(at)].map((each, offset) => ({
      ...each,
      offset,
    })),
  exchanged: (records, at) => {
    const other = at === 0 ? 1 : at - 1
    return records.map((each) =>
      each.offset === at
        ? { ...records[other]!, offset: at }
        : each.offset === other
          ? { ...records[at]!, offset: other }
          : each,
    )
  },
  'cut off': (records, at) => records.slice(0, at),
}

/** Most histories end in the third subtree of 256 records, one in five has up to three whole ones: a longer one shows nothing else. */
const endsUpTo = (max: number): fc.Arbitrary<number[]> =>
  fc.uniqueArray(fc.integer({ min: 2, max }), { minLength: 1, maxLength: 6 })
const histories = fc
  .record({
    ends: fc.oneof({ weight: 4, arbitrary: endsUpTo(540) }, { weight: 1, arbitrary: endsUpTo(900) }),
    unsigned: fc.nat({ max: 20 }),
    kept: fc.nat({ max: 600 }),
  })
  .map(({ ends, ...rest }) => ({ ends: ends.sort((a, b) => a - b), ...rest }))

async function differencesOf(
  records: readonly LogRecord[],
  extensions: readonly NumberedExtension[],
  start = 0,
): Promise<readonly Difference[]> {
  const end = (records.at(-1)?.offset ?? -1) + 1
  const log = logOf(records, start, end)
  const comparer = comparePartition(log, place, 0, { start, end })
  // Compares in two parts, as for a long history.
  const middle = Math.floor(extensions.length / 2)
  if (middle > 0) await comparer.compare(extensions.slice(0, middle))
  await comparer.compare(extensions.slice(middle))
  expect(log.openReads).toBe(0)
  return comparer.result().differences
}

test('records that are as they were signed agree, wherever retention has cut the front', async () => {
  const suite = { name: 'untouched histories', full: 500, minimum: 10 }
  await assertWithin(
    suite,
    fc.asyncProperty(histories, async ({ ends, unsigned, kept }) => {
      const records = Array.from({ length: ends.at(-1)! + unsigned }, (_, offset) => record(offset))
      const extensions = await signed(records, ends)
      expect(await differencesOf(records, extensions)).toEqual([])
      const start = Math.min(kept, records.length - 1)
      expect(await differencesOf(records.slice(start), extensions, start)).toEqual([])
    }),
  )
})

/** Each history is signed once and then changed this many times, because signing costs as much as comparing. */
const CHANGES = 5
const CHANGED_HISTORIES = 10_000 / CHANGES
/** Ten thousand changes take a minute of one idle core. */
const HANG_MS = 1_800_000

test('a change of a signed record is found, and named within 256 records', { timeout: HANG_MS }, async () => {
  const suite = {
    ...{ name: `histories tampered with in ${CHANGES} ways`, full: CHANGED_HISTORIES, minimum: 10 },
    demanded: CHANGED_HISTORIES,
  }
  const change = fc.record({
    kind: fc.constantFrom(...Object.keys(tamperings)),
    part: fc.double({ min: 0, max: 0.999, noNaN: true }),
  })
  const changes = fc.array(change, { minLength: CHANGES, maxLength: CHANGES })
  await assertWithin(
    suite,
    fc.asyncProperty(histories, changes, async ({ ends, unsigned }, drawn) => {
      const last = ends.at(-1)!
      const records = Array.from({ length: last + unsigned }, (_, offset) => record(offset))
      const extensions = await signed(records, ends)
      for (const { kind, part } of drawn) {
        const at = Math.floor(part * last)
        expectNamed(await differencesOf(tamperings[kind]!(records, at), extensions), { kind, at, last })
      }
    }),
  )
})

/** The first difference contains the first changed offset. */
function expectNamed(
  differences: readonly Difference[],
  { kind, at, last }: { kind: string; at: number; last: number },
): void {
  const first = kind === 'exchanged' ? Math.min(at, at === 0 ? 0 : at - 1) : at
  expect(differences.length).toBeGreaterThan(0)
  const { kind: what, from, to } = differences[0]!
  // If records are missing at the end, the records between the previous checkpoint and the gap cannot be compared.
  if (what === 'missing') {
    expect(to).toBe(last)
    return
  }
  expect(from).toBeLessThanOrEqual(first)
  expect(to).toBeGreaterThan(first)
  expect(to - from).toBeLessThanOrEqual(256)
}

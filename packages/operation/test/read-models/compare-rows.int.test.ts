/** Each row of a label is what the log states, and a row of nobody is named. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openFixture, type Fixture } from './fixture.js'
import { asserted, published, retired } from './label-events.js'
import { compareLabelRows, countLabelRows, labelView } from '@cupel/labels/read-model'

const OWNER = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM'

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
  fixture.run(labelView)
  const owner = { chain: 'SOL', address: OWNER, canonicalAddress: OWNER, lookupKey: `sol:${OWNER}` }
  const first = asserted('i1', 'a')
  // The second record repeats the first one, and states no further row.
  await fixture.project(
    labelView,
    first,
    first,
    asserted('i1', 'b'),
    asserted('i1', 'c', owner),
    published('i1'),
  )
  await fixture.project(labelView, asserted('i2', 'd'), retired('i2', 'b'), published('i2'))
})
afterEach(() => fixture.close())

const compared = async () => await compareLabelRows(fixture, () => Promise.resolve(true))

test.each([
  ['lacks a label', `DELETE FROM label_view.label WHERE label_id = 'b'`, /lacks label b of import i1/],
  [
    'has another category',
    `UPDATE label_view.label SET category = 'clean_exchange' WHERE label_id = 'b'`,
    /label b of import i1 with another category/,
  ],
  [
    'has another key',
    `UPDATE label_view.label SET lookup_key = 'evm:x' WHERE label_id = 'b'`,
    /another lookup_key/,
  ],
  [
    'has another confidence, as if of an earlier record',
    `UPDATE label_view.label SET confidence_ppm = 1, log_offset = 0 WHERE label_id = 'd'`,
    /has 4 labels, and the log states 3/,
  ],
  [
    'has a label of its own',
    `INSERT INTO label_view.label SELECT (jsonb_populate_record(l, '{"label_id":"x"}')).* FROM label_view.label l WHERE label_id = 'a'`,
    /has 5 labels, and the log states 4/,
  ],
  ['lacks the end of a label', 'DELETE FROM label_view.retirement', /lacks the end of label b of import i2/],
  [
    'has an end of its own',
    `INSERT INTO label_view.retirement VALUES ('d', 'i2', '2026-11-20T12:00:00.000Z', 1)`,
    /has 2 ends of labels, and the log states 1/,
  ],
  ['lacks a further key', 'DELETE FROM label_view.label_key', /lacks the key sol:\w+ of label c/],
  [
    'has a further key of its own',
    `INSERT INTO label_view.label_key VALUES ('evm:x', 'i1', 'a')`,
    /keys of labels, and the log states/,
  ],
])('an untouched view agrees, and one that %s is named', async (_, statement, words) => {
  expect(await compared()).toBeNull()
  await fixture.database.execute(statement)
  expect(await compared()).toMatch(words)
})

test('a comparison that is ended says nothing', async () => {
  expect(await compareLabelRows(fixture, () => Promise.resolve(false))).toBeUndefined()
})

test('a part of the work reads few labels, however many a record states, and all labels and ends are counted', async () => {
  const named = (record: number) => {
    const one = asserted('i3', 'x')
    const labels = Array.from({ length: 300 }, (_, n) => ({
      ...one.data.labels[0]!,
      labelId: `${record} ${n}`,
    }))
    return { ...one, data: { ...one.data, labels } }
  }
  await fixture.project(labelView, named(1), named(2), named(3))
  let parts = 0
  const afterSlice = () => Promise.resolve((parts += 1) > 0)
  expect(await compareLabelRows(fixture, afterSlice)).toBeNull()
  expect(parts).toBeGreaterThanOrEqual(3)
  expect(await countLabelRows(fixture.database)).toBe(4 + 900 + 1)
})

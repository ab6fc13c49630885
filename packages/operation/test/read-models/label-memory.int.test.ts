import type { Queryable, Statement } from '@cupel/postgres'
import { rebuildReadModel } from '@cupel/projections'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openFixture, type Fixture } from './fixture.js'
import { asserted, published, retired } from './label-events.js'
import {
  labelView,
  readLabelsAsOf,
  readLabelSnapshot,
  rememberLabels,
  type Label,
} from '@cupel/labels/read-model'

let fixture: Fixture
/** The keys of each statement that reads labels. */
let asked: string[][]
let database: Queryable
beforeEach(async () => {
  fixture = await openFixture()
  fixture.run(labelView)
  asked = []
  database = Object.assign(Object.create(fixture.database) as Queryable, {
    query(statement: Statement, values: readonly unknown[]) {
      asked.push([...(values[0] as string[])])
      return fixture.database.query(statement, values)
    },
  })
})
afterEach(() => fixture.close())

const keysOf = (...names: string[]): { lookupKeys: string[] } => ({
  lookupKeys: names.map((name) => `evm:${name}`),
})
const byKey = (labels: readonly Label[]): string[] =>
  labels.map((label) => JSON.stringify([label.lookupKey, label])).sort()

test('an address is looked up once in a state of the labels, also one without labels', async () => {
  await fixture.project(labelView, asserted('i1', 'a'), published('i1'))
  const read = rememberLabels(database)
  const first = await read(keysOf('a', 'b'))
  const second = await read(keysOf('b', 'a', 'c'))
  expect(asked).toEqual([['evm:a', 'evm:b'], ['evm:c']])
  expect(byKey(second.labels)).toEqual(byKey(first.labels))
  expect(second).toMatchObject({ labelSetSeq: 1, checkpoint: { next: 2 } })
})

test('without a publication nothing is remembered', async () => {
  const read = rememberLabels(database)
  await read(keysOf('a'))
  await read(keysOf('a'))
  expect(asked).toEqual([['evm:a'], ['evm:a']])
})

test('of more keys than are kept, those read longest ago are asked for again', async () => {
  await fixture.project(labelView, asserted('i1', 'a'), published('i1'))
  const read = rememberLabels(database, 2)
  for (const name of ['a', 'b', 'c', 'b', 'a']) await read(keysOf(name))
  expect(asked.map(([key]) => key ?? '')).toEqual(['evm:a', 'evm:b', 'evm:c', '', 'evm:a'])
})

test('the next screen after a publication or a retirement sees it', async () => {
  const read = rememberLabels(fixture.database)
  await fixture.project(labelView, asserted('i1', 'a'), published('i1'))
  expect((await read(keysOf('a', 'b'))).labels.map(({ labelId }) => labelId)).toEqual(['a'])
  await fixture.project(labelView, asserted('i2', 'b'), published('i2'))
  expect((await read(keysOf('a', 'b'))).labels.map(({ labelId }) => labelId).sort()).toEqual(['a', 'b'])
  await fixture.project(labelView, retired('i3', 'a'), published('i3'))
  const { labels } = await read(keysOf('a', 'b'))
  expect(labels.find(({ labelId }) => labelId === 'a')?.listed).toBe(false)
})

test('a label that comes after the publication of its import is seen, although the number of the state stays', async () => {
  const read = rememberLabels(fixture.database)
  await fixture.project(labelView, asserted('i1', 'a'), published('i1'))
  expect((await read(keysOf('a', 'late'))).labels).toHaveLength(1)
  await fixture.project(labelView, asserted('i1', 'late'))
  const { labelSetSeq, labels } = await read(keysOf('a', 'late'))
  expect([labelSetSeq, labels.length]).toEqual([1, 2])
})

test('tables that a rebuild put in the place of damaged ones are read, although the view stands where it stood', async () => {
  await fixture.project(labelView, asserted('i1', 'a'), published('i1'))
  await fixture.database.execute('DELETE FROM label_view.label')
  const read = rememberLabels(fixture.database)
  expect((await read(keysOf('a'))).labels).toEqual([])
  await rebuildReadModel({
    ...{ readModel: labelView, ...fixture.deps },
    accept: { differences: 1, by: 'test', reason: 'the label was deleted' },
  })
  expect((await read(keysOf('a'))).labels.map(({ labelId }) => labelId)).toEqual(['a'])
})

test('whatever is published meanwhile, the labels are those of the state that the answer names', async () => {
  const read = rememberLabels(fixture.database, 3)
  const names = ['a', 'b', 'c', 'd', 'e']
  await fixture.project(labelView, asserted('i0', 'a'), published('i0'))
  let isOver = false
  const readers = [0, 1, 2].map(async (reader) => {
    let reads = 0
    while (!isOver || reads < 20) {
      const chosen = keysOf(...names.filter((_, index) => (reads * 7 + reader * 3 + index * index) % 3 > 0))
      const { labels, labelSetSeq } = await read(chosen)
      const truth = await readLabelsAsOf(fixture.database, { ...chosen, labelSetSeq })
      expect(byKey(labels)).toEqual(byKey(truth.labels))
      reads += 1
    }
  })
  for (let round = 1; round <= 12; round += 1) {
    const name = names[round % names.length]!
    const change = round % 3 === 0 ? retired(`i${round}`, name) : asserted(`i${round}`, name)
    await fixture.project(labelView, change, published(`i${round}`))
  }
  isOver = true
  await Promise.all(readers)
  const now = await readLabelSnapshot(fixture.database, keysOf(...names))
  expect(byKey((await read(keysOf(...names))).labels)).toEqual(byKey(now.labels))
})

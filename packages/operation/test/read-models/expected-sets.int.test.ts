/** Expected lists are numbered among the publications, so each state of knowledge keeps its name. */
import type { DomainEvent, LabelSetExpected } from '@cupel/contracts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { event, openFixture, type Fixture } from './fixture.js'
import { published } from './label-events.js'
import {
  labelView,
  listPublications,
  listSets,
  readLabelsAsOf,
  readLabelSnapshot,
} from '@cupel/labels/read-model'

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
  fixture.run(labelView)
})
afterEach(() => fixture.close())

const expected = (id: string, more: Partial<LabelSetExpected> = {}): DomainEvent<'LabelSetExpected'> =>
  event('LabelSetExpected', id, {
    expectationId: id,
    source: 'ofac_sdn',
    dataset: 'ofac_sdn.csv',
    expected: true,
    expectedAt: '2026-11-20T12:00:00.000Z',
    expectedBy: 'test',
    reason: '',
    ...more,
  })

/** Texts such as `e1 expected!`: the record, its kind, and whether it is required. */
async function statesOf(...seqs: readonly number[]): Promise<string[]> {
  const states: string[] = []
  for (const labelSetSeq of seqs) {
    const { sets } = await readLabelsAsOf(fixture.database, { lookupKeys: [], labelSetSeq })
    states.push(
      sets
        .map(({ importId, kind, refreshConfigured }) => `${importId} ${kind}${refreshConfigured ? '!' : ''}`)
        .join(', '),
    )
  }
  return states
}

const project = (...events: readonly DomainEvent[]): Promise<void> => fixture.project(labelView, ...events)

test('a list is missing until it is published, whoever knew its source, and every state is read again as it was', async () => {
  await project(
    expected('e1'),
    expected('e2', { source: '', dataset: 'other.csv' }),
    published('i1', { refreshConfigured: true }),
    published('i2', { source: 'somebody', dataset: 'other.csv' }),
  )
  expect(await statesOf(0, 1, 2, 3, 4)).toEqual([
    '',
    'e1 expected!',
    'e2 expected!, e1 expected!',
    'e2 expected!, i1 published!',
    'i1 published!, i2 published',
  ])
  const now = await readLabelSnapshot(fixture.database, { lookupKeys: [] })
  expect(now).toMatchObject({ labelSetSeq: 4, sets: [{ importId: 'i1' }, { importId: 'i2' }] })
  const set = { source: 'ofac_sdn', dataset: 'ofac_sdn.csv' }
  expect((await listPublications(fixture.database, set)).map(({ importId }) => importId)).toEqual(['i1'])
})

test('a published set is required from when it is waited for, and until it is published by hand again', async () => {
  await project(published('i1'), expected('e1', { source: '' }), published('i2'), expected('e2'))
  expect(await statesOf(1, 2, 3, 4)).toEqual([
    'i1 published',
    'i1 published!',
    'i2 published',
    'i2 published!',
  ])
})

test('a wait that was ended ends what it required, and history of a set is not an arrival', async () => {
  await project(
    expected('e1'),
    published('h1', { historical: true }),
    expected('e2', { expected: false, reason: 'given up' }),
    published('i1'),
    expected('e3'),
    expected('e4', { expected: false }),
  )
  expect(await statesOf(1, 2, 3, 4, 5, 6)).toEqual([
    'e1 expected!',
    'e1 expected!',
    '',
    'i1 published',
    'i1 published!',
    'i1 published',
  ])
})

test('numbers do not depend on how records were batched: a rebuild and a repeat give the same rows', async () => {
  await project(expected('e1'))
  await project(published('i1'), expected('e2', { dataset: 'b.csv' }))
  await project(expected('e2', { dataset: 'b.csv' }), published('i1'), expected('e3', { dataset: 'c.csv' }))
  const before = await listSets(fixture.database)
  expect(before.map(({ importId, labelSetSeq }) => [importId, labelSetSeq])).toEqual([
    ['e2', 3],
    ['e3', 4],
    ['i1', 2],
  ])
  const { comparison } = await fixture.rebuild(labelView)
  expect(comparison.find(({ table }) => table === 'publication')).toMatchObject({
    ...{ rowsBefore: 4, rowsAfter: 4, isEqual: true },
  })
  expect(await listSets(fixture.database)).toEqual(before)
})

import { rebuildReadModel, runReadModel } from '@cupel/projections'
import { diesAt } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openFixture, type Fixture } from './fixture.js'
import { asserted, published, retired } from './label-events.js'
import { labelView, readLabelSnapshot } from '@cupel/labels/read-model'

const events = [
  asserted('i1', 'a'),
  asserted('i1', 'b'),
  published('i1'),
  retired('i2', 'a'),
  published('i2'),
  asserted('i3', 'unpublished'),
]

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
})
afterEach(() => fixture.close())

/** One record at a time, so that a death can hit more than one batch. */
const slowly = { ...labelView, maxBatchRecords: 1 }
const diesFollowing = (point: string): Promise<void> =>
  diesAt(fixture.connectionString, point, (deps) => runReadModel({ ...deps, readModel: slowly }))
const diesRebuilding = (point: string): Promise<void> =>
  diesAt(fixture.connectionString, point, async (deps) => {
    await rebuildReadModel({ ...deps, readModel: labelView })
  })

async function labels(): Promise<string[]> {
  const lookupKeys = ['evm:a', 'evm:b', 'evm:unpublished']
  const { labels: found, labelSetSeq } = await readLabelSnapshot(fixture.database, { lookupKeys })
  return [`state ${labelSetSeq}`, ...found.map((label) => label.labelId + (label.listed ? '' : '†'))]
}

const LEFT_AND_RIGHT = ['before', 'after'] as const

test.each(LEFT_AND_RIGHT)('a projector killed %s a commit neither loses nor repeats a row', async (side) => {
  await fixture.append(...events)
  await diesFollowing(`${side}:projector.batch:3`)
  fixture.run(labelView)
  await fixture.caughtUp(labelView)
  expect(await labels()).toEqual(['state 2', 'a†', 'b'])
  expect((await fixture.rebuild(labelView)).comparison.filter((table) => !table.isEqual)).toEqual([])
})

const rebuilding = [
  'projector.install-tables',
  'projector.rebuild-batch',
  'projector.rebuild-compare',
  'projector.rebuild-switch',
  'projector.rebuild-drop',
] as const
const rebuildKills = rebuilding.flatMap((name) => LEFT_AND_RIGHT.map((side) => `${side}:${name}:1` as const))

test.each(rebuildKills)(
  'a rebuild killed %s leaves whole tables in service, and the next one clears up',
  async (point) => {
    fixture.run(labelView)
    await fixture.project(labelView, ...events)
    await diesRebuilding(point)
    expect(await labels()).toEqual(['state 2', 'a†', 'b'])
    await fixture.project(labelView, published('i3'))
    expect(await labels()).toEqual(['state 3', 'a†', 'b', 'unpublished'])
    expect((await fixture.rebuild(labelView)).comparison.filter((table) => !table.isEqual)).toEqual([])
    const schemas = await fixture.database.query(
      `SELECT FROM pg_namespace WHERE nspname LIKE 'label\\_view%'`,
    )
    expect(schemas).toHaveLength(1)
  },
)

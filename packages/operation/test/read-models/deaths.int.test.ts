/** A projector that dies again and again, after any visit of any failpoint, has the rows of one that never died. */
import { deathsWithin, diesAt } from '@cupel/testkit/installation'
import { runReadModel } from '@cupel/projections'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openFixture, type Fixture } from './fixture.js'
import { asserted, published, retired } from './label-events.js'
import { labelView } from '@cupel/labels/read-model'

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
})
afterAll(() => fixture.close())

/** One record at a time, so that a death can hit any of them. */
const slowly = { ...labelView, maxBatchRecords: 1 }
/** Visits that the events of one import cost at least: their commits, before and after each. */
const VISITS = 6

/** A thousand deaths in the night. */
const NIGHT_MS = 3_600_000

test('however often projectors die, no row is lost or repeated', { timeout: NIGHT_MS }, async () => {
  let imports = 0
  for (const point of deathsWithin({ name: 'deaths of a projector', visits: VISITS })) {
    const id = `i${(imports += 1)}`
    await fixture.append(asserted(id, id), retired(id, `i${imports - 1}`), published(id))
    await diesAt(fixture.connectionString, point, (deps) => runReadModel({ ...deps, readModel: slowly }))
  }
  fixture.run(labelView)
  await fixture.caughtUp(labelView)
  const { comparison } = await fixture.rebuild(labelView)
  expect(comparison.filter((table) => !table.isEqual)).toEqual([])
  expect(comparison.length).toBeGreaterThan(0)
})

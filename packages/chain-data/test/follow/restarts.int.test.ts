/** A follower may die at any moment: the next one leaves no gap and imports nothing twice. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { deathsWithin, diesAt, type LifeDeps } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { follow } from '../../src/follow/index.js'
import { NOW, startFollowed, type Followed } from './followed.js'

const never = new AbortController().signal

let followed: Followed
beforeEach(async () => {
  followed = await startFollowed({ head: 20 })
}, 60_000)
afterEach(async () => await followed.close())

const lives = async ({ database }: LifeDeps): Promise<void> =>
  follow(await followed.options({ to: 15, segmentBlocks: 4 }), { database, signal: never, now: () => NOW })

async function expectWhole(): Promise<void> {
  expect(await followed.movements()).toHaveLength(3 * 16)
  const ranges = (await followed.segments()).map(
    ({ completeFrom, completeTo }) => `${completeFrom}-${completeTo}`,
  )
  expect(ranges).toEqual(['0-0', '1-4', '5-8', '9-12', '13-15'])
  expect(await readdir(join(followed.folder, 'files'))).toEqual([])
  const events = await followed.database.query<{ seq: number }>(
    `SELECT (event->'data'->>'ledgerSeq')::int8 AS seq FROM projection.outbox WHERE event->>'type' = 'LedgerSegmentImported' ORDER BY 1`,
  )
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
}

test.each([
  'before:follow.file:2',
  'after:follow.file:2',
  'before:follow.import:2',
  'before:ledger.segment:2',
  'after:ledger.segment:2',
  'after:ledger.batch:2',
  'before:ledger.publish:2',
  'after:ledger.publish:2',
  'after:follow.import:2',
])('a follower that dies at %s is continued by the next one', async (point) => {
  await diesAt(followed.connectionString, point, lives)
  await followed.follows({ to: 15, segmentBlocks: 4 })
  await expectWhole()
})

test('followers that die again and again import a whole range', { timeout: 120_000 }, async () => {
  const points = deathsWithin({ name: 'followers', visits: 12 })
  let deaths = 0
  for (const point of points) {
    const isDone = (await followed.ranges())[0] === 'native 0-15'
    if (isDone || deaths === 12) break
    deaths += 1
    await diesAt(followed.connectionString, point, lives).catch((error: unknown) => {
      if (!String(error).includes('The work ended before')) throw error
    })
  }
  await followed.follows({ to: 15, segmentBlocks: 4 })
  await expectWhole()
})

import { afterEach, beforeEach, expect, test } from 'vitest'
import { openFixture, type Fixture } from '../test/fixture.js'
import { ensureCheckpoints, ensureCheckpoint } from './checkpoint.js'
import { advanceCheckpoints, loadCheckpoint } from './index.js'

const GROUP = 'a.group.v1'
const at = (partition: number) => ({ group: GROUP, topic: 'a.topic', partition })

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
})
afterEach(() => fixture.close())

const advance = async (expected: number, next: number, log = 'log-1'): Promise<boolean> => {
  const move = { ...at(0), expected, next }
  const moved = await fixture.database.transaction({ at: 'test' }, (transaction) =>
    advanceCheckpoints(transaction, { group: GROUP, log, moves: [move] }),
  )
  return moved.length === 1
}
const stored = async (partition = 0): Promise<number | undefined> =>
  (await loadCheckpoint(fixture.database, at(partition)))?.next

test('a checkpoint moves from the expected value only', async () => {
  expect(await advance(0, 5)).toBe(true)
  expect(await advance(0, 7)).toBe(false)
  expect(await advance(4, 7)).toBe(false)
  expect(await advance(5, 7, 'log-2')).toBe(false)
  expect(await stored()).toBe(5)
  expect(await advance(5, 7)).toBe(true)
  expect(await stored()).toBe(7)
})

test('a missing checkpoint is created at the start and nowhere else', async () => {
  expect(await advance(3, 5)).toBe(false)
  expect(await stored()).toBeUndefined()
  expect(await ensureCheckpoint(fixture.database, at(0), 'log-1')).toMatchObject({ next: 0, log: 'log-1' })
  expect(await ensureCheckpoint(fixture.database, at(0), 'log-2')).toMatchObject({ next: 0, log: 'log-1' })
})

test('checkpoints of several partitions are loaded together, in their order, and the missing ones are created', async () => {
  await ensureCheckpoint(fixture.database, at(1), 'log-1')
  await advanceCheckpoints(fixture.database, {
    group: GROUP,
    log: 'log-1',
    moves: [{ topic: 'a.topic', partition: 1, expected: 0, next: 9 }],
  })
  const places = [2, 1, 0].map((partition) => ({ topic: 'a.topic', partition }))
  const ensured = await ensureCheckpoints(fixture.database, { group: GROUP, log: 'log-1', places })
  expect(ensured.map(({ next }) => next)).toEqual([0, 9, 0])
  expect([await stored(0), await stored(1), await stored(2)]).toEqual([0, 9, 0])
})

test('members that create the same checkpoints in opposite order wait for each other and do not deadlock', async () => {
  const places = Array.from({ length: 32 }, (_, partition) => ({ topic: 'b.topic', partition }))
  const ensure = (order: typeof places) =>
    ensureCheckpoints(fixture.database, { group: GROUP, log: 'log-1', places: order })
  const [one, other] = await Promise.all([ensure(places), ensure([...places].reverse())])
  expect([...one, ...other].map(({ next }) => next)).toEqual(Array.from({ length: 64 }, () => 0))
})

test('a move that is rolled back did not take place', async () => {
  const attempt = fixture.database.transaction({ at: 'test' }, async (transaction) => {
    const move = { ...at(0), expected: 0, next: 5 }
    await advanceCheckpoints(transaction, { group: GROUP, log: 'log-1', moves: [move] })
    throw new Error('no')
  })
  await expect(attempt).rejects.toThrow('no')
  expect(await stored()).toBeUndefined()
})

test('of two moves from one value at the same time one takes place', async () => {
  await ensureCheckpoint(fixture.database, at(0), 'log-1')
  const moved = await Promise.all([advance(0, 5), advance(0, 6), advance(0, 7)])
  expect(moved.filter((one) => one)).toHaveLength(1)
})

test('of several partitions those move whose value is expected', async () => {
  for (const partition of [0, 1, 2]) await ensureCheckpoint(fixture.database, at(partition), 'log-1')
  const moves = [
    { topic: 'a.topic', partition: 0, expected: 0, next: 10 },
    { topic: 'a.topic', partition: 1, expected: 5, next: 11 },
    { topic: 'a.topic', partition: 2, expected: 0, next: 12 },
  ]
  const moved = await advanceCheckpoints(fixture.database, { group: GROUP, log: 'log-1', moves })
  expect(moved.map((move) => move.partition)).toEqual([0, 2])
  expect([await stored(0), await stored(1), await stored(2)]).toEqual([10, 0, 12])
})

test('moves of the same partitions in opposite order wait for each other and do not deadlock', async () => {
  const partitions = Array.from({ length: 32 }, (_, partition) => partition)
  for (const partition of partitions) await ensureCheckpoint(fixture.database, at(partition), 'log-1')
  const mover = async (order: readonly number[]): Promise<void> => {
    for (let round = 0; round < 40; round += 1) {
      // Each move leaves the checkpoint where it is, so every mover always finds the expected value.
      const moves = order.map((partition) => ({ topic: 'a.topic', partition, expected: 0, next: 0 }))
      await fixture.database.transaction({ at: 'test' }, (transaction) =>
        advanceCheckpoints(transaction, { group: GROUP, log: 'log-1', moves }),
      )
    }
  }
  await Promise.all([mover(partitions), mover([...partitions].reverse()), mover(partitions)])
  expect(await stored(31)).toBe(0)
})

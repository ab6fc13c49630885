import { silentLogger } from '@cupel/contracts'
import { openDatabase } from '@cupel/postgres'
import { until } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openFixture, type Fixture } from '../../test/fixture.js'
import { TOPIC } from '../../test/note-view.js'
import { loadCheckpoint } from '../index.js'
import { createBackgroundCheckpoint, type BackgroundCheckpoint } from './background-checkpoint.js'

const GROUP = 'scorer.interactive.v1'
const PLACE = { topic: TOPIC, partition: 0 }

let fixture: Fixture
const open: BackgroundCheckpoint[] = []
beforeEach(async () => {
  fixture = await openFixture()
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((checkpoint) => checkpoint.stop()))
  await fixture.close()
})

function background(onLost?: () => void, log = 'log-1', putOffMs = 0): BackgroundCheckpoint {
  const checkpoint = createBackgroundCheckpoint({
    database: fixture.database,
    group: GROUP,
    log,
    at: 'test',
    logger: silentLogger,
    intervalMs: 10,
    putOffMs,
    ...(onLost === undefined ? {} : { onLost }),
  })
  open.push(checkpoint)
  return checkpoint
}

const done = (checkpoint: BackgroundCheckpoint, firstOffset: number, nextOffset: number): void =>
  checkpoint.acknowledged({ ...PLACE, firstOffset, nextOffset })
const stored = async (): Promise<number | undefined> =>
  (await loadCheckpoint(fixture.database, { group: GROUP, ...PLACE }))?.next

test('the checkpoint moves to where everything is acknowledged, by itself, and not past a gap', async () => {
  const checkpoint = background()
  expect(await checkpoint.load(PLACE)).toMatchObject({ next: 0, log: 'log-1' })
  done(checkpoint, 5, 10)
  done(checkpoint, 0, 3)
  await until(async () => expect(await stored()).toBe(3))
  done(checkpoint, 3, 5)
  await until(async () => expect(await stored()).toBe(10))
})

test('a store is put off while little would be repeated, and not while much would', async () => {
  const checkpoint = background(undefined, 'log-1', 3_600_000)
  await checkpoint.load(PLACE)
  done(checkpoint, 0, 1)
  await until(async () => expect(await stored()).toBe(1))
  // Acknowledges records one by one: the checkpoint stores them only at the hundredth.
  for (let at = 1; at <= 100; at += 1) {
    expect(await stored()).toBe(1)
    done(checkpoint, at, at + 1)
  }
  await until(async () => expect(await stored()).toBe(101))
})

test('stopping stores what is acknowledged; the next member goes on there', async () => {
  const checkpoint = background()
  await checkpoint.load(PLACE)
  done(checkpoint, 0, 7)
  await checkpoint.stop()
  expect(await background().load(PLACE)).toMatchObject({ next: 7 })
})

test('what was acknowledged beyond a gap is forgotten when the partition is loaded again', async () => {
  const checkpoint = background()
  await checkpoint.load(PLACE)
  done(checkpoint, 5, 10)
  await checkpoint.load(PLACE)
  done(checkpoint, 0, 5)
  await checkpoint.flush()
  expect(await stored()).toBe(5)
})

test('a member whose partition was taken over does not move the checkpoint and is told', async () => {
  const onLost = vi.fn()
  const zombie = background(onLost)
  await zombie.load(PLACE)
  const owner = background()
  await owner.load(PLACE)
  done(owner, 0, 4)
  await owner.flush()
  done(zombie, 0, 2)
  await zombie.flush()
  expect(onLost).toHaveBeenCalledWith(PLACE)
  done(zombie, 2, 9)
  await zombie.flush()
  expect(await stored()).toBe(4)
  done(owner, 4, 6)
  await owner.flush()
  expect(await stored()).toBe(6)
})

test('a checkpoint that a crash of the database took back is made up for', async () => {
  const checkpoint = background()
  await checkpoint.load(PLACE)
  done(checkpoint, 0, 8)
  await checkpoint.flush()
  await fixture.database.execute('UPDATE projection.checkpoint SET next = 2 WHERE group_name = $1', [GROUP])
  done(checkpoint, 8, 9)
  await until(async () => expect(await stored()).toBe(9))
})

test('while the database is away nothing is lost: it is stored when it is back', async () => {
  const checkpoint = background()
  await checkpoint.load(PLACE)
  await fixture.database.execute('ALTER TABLE projection.checkpoint RENAME TO away')
  done(checkpoint, 0, 3)
  await expect(checkpoint.flush()).rejects.toThrow()
  await fixture.database.execute('ALTER TABLE projection.away RENAME TO checkpoint')
  await until(async () => expect(await stored()).toBe(3))
})

test('stopping with the database gone ends all the same', async () => {
  const gone = openDatabase({
    connectionString: 'postgresql://nobody@127.0.0.1:1/none',
    maxConnections: 1,
    applicationName: 'test',
  })
  const checkpoint = createBackgroundCheckpoint({
    database: gone,
    group: GROUP,
    log: 'log-1',
    at: 'test',
    logger: silentLogger,
  })
  await expect(checkpoint.load(PLACE)).rejects.toThrow()
  await checkpoint.stop()
  await gone.close()
})

test('a checkpoint taken on another log is handed out as such and never moved', async () => {
  const before = background()
  await before.load(PLACE)
  done(before, 0, 3)
  await before.stop()
  const foreign = background(undefined, 'log-2')
  expect(await foreign.load(PLACE)).toMatchObject({ next: 3, log: 'log-1' })
  done(foreign, 3, 5)
  await foreign.flush()
  expect(await stored()).toBe(3)
})

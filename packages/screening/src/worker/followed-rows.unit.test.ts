/** Rows that cannot be compared with the log are at fault, whatever the reason. */
import { silentLogger } from '@cupel/contracts'
import { until } from '@cupel/testkit'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import {
  followRows,
  PER_ROW_MS,
  STALLED_AFTER_MS,
  UNCOMPARED_AFTER_MS,
  type FollowedRows,
  type FollowedRowsDeps,
} from './followed-rows.js'

let followed: FollowedRows | undefined
let end: (found: undefined) => void
let ended: Promise<undefined>
beforeEach(() => {
  ended = new Promise((resolve) => (end = resolve))
})
afterEach(async () => {
  end(undefined)
  await followed?.stop()
})

/** A statement that does not end before the test. */
const hanging = () => ended

function follow(over: Partial<FollowedRowsDeps>) {
  const clock = { at: 0, passes: 0, differences: [] as string[], rests: [] as number[] }
  const { compare = () => Promise.resolve(null) } = over
  followed = followRows({
    ...{ kind: 'labels', logger: silentLogger, countRows: () => Promise.resolve(0), nowMs: () => clock.at },
    onDifference: (found) => clock.differences.push(found),
    sleep: async (ms) => void clock.rests.push(ms),
    ...over,
    async compare(afterSlice) {
      clock.passes += 1
      return await compare(afterSlice)
    },
  })
  return { clock, state: () => followed!.state() }
}

test('the age is that of the last whole comparison, and a whole comparison has no fault', async () => {
  const { clock, state } = follow({})
  clock.at = 40
  await until(() => expect(clock.passes).toBeGreaterThan(1))
  await until(() =>
    expect(state()).toEqual({ kind: 'labels', ageMs: 0, fault: null, difference: null, equalForMs: 0 }),
  )
  clock.at += 1_000
  expect(state().ageMs).toBe(1_000)
})

test('a refused statement is a fault at once, and no longer once the comparison is past its place', async () => {
  let refuses = true
  const { state } = follow({
    async compare(afterSlice) {
      await afterSlice(0)
      if (refuses) throw new Error('permission denied for table label')
      await afterSlice(0)
      return await hanging()
    },
  })
  await until(() =>
    expect(state().fault).toBe(
      'A scorer cannot compare the rows of labels with the log: permission denied for table label.',
    ),
  )
  refuses = false
  await until(() => expect(state().fault).toBeNull())
})

test('a slice that does not end is a fault after some minutes, however many rows there are', async () => {
  let isAsked = false
  const { clock, state } = follow({
    countRows: () => Promise.resolve(1e9),
    compare() {
      isAsked = true
      return hanging()
    },
  })
  await until(() => expect(isAsked).toBe(true))
  clock.at = STALLED_AFTER_MS
  expect(state().fault).toBeNull()
  clock.at += 1
  expect(state().fault).toContain('has not moved for 5 min')
})

test.each([0, 100_000])(
  'comparisons of %s rows that an import always ends are a fault after a time that grows with the rows',
  async (rows) => {
    const { clock, state } = follow({
      kind: 'ledger',
      countRows: () => Promise.resolve(rows),
      compare: () => Promise.resolve(undefined),
    })
    await until(() => expect(clock.passes).toBeGreaterThan(0))
    const limitMs = UNCOMPARED_AFTER_MS + rows * PER_ROW_MS
    clock.at = limitMs
    await until(() => expect(state().fault).toBeNull())
    clock.at += 1
    await until(() => expect(state().fault).toMatch(/rows of the ledger .* as a whole for \d+ min/))
  },
)

test('a difference does not count as a whole comparison', async () => {
  const { clock, state } = follow({ compare: () => Promise.resolve('label-view lacks label x') })
  clock.at = 7
  await until(() => expect(clock.differences.length).toBeGreaterThan(0))
  expect(state()).toMatchObject({ ageMs: 7, difference: 'label-view lacks label x' })
})

test('a comparison that an import ends rests half as long the next time, and a whole one rests as before', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { clock } = follow({
    async compare(afterSlice) {
      await afterSlice(64)
      return clock.passes < 8 ? undefined : null
    },
  })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(clock.rests.slice(0, 9)).toEqual([3_136, 1_568, 784, 392, 196, 98, 64, 64, 3_136])
})

test('a difference that an ended scorer found holds until all rows are compared once, without rests', async () => {
  let found: null | undefined = undefined
  const { clock } = follow({
    doubt: 'label-view lacks label x.',
    async compare(afterSlice) {
      await afterSlice(100)
      return found
    },
  })
  await until(() => expect(clock.passes).toBeGreaterThan(1))
  expect([followed!.doubt(), followed!.state().equalForMs]).toEqual(['label-view lacks label x.', null])
  expect(clock.rests.filter((ms) => ms > 0)).toEqual([])
  found = null
  await until(() => expect(followed!.doubt()).toBeNull())
  await until(() => expect(clock.rests.some((ms) => ms > 0)).toBe(true))
})

import { silentLogger } from '@cupel/contracts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLateNotes, type LateNotes } from './late-notes.js'
import type { ScreenInWait } from './pending-table.js'

const screen = (reportId: string): ScreenInWait => ({
  ...{ reportId, accountId: 'acc_1', livemode: true, isAccepted: false },
  // A note does not read the request.
  request: {} as ScreenInWait['request'],
})

let stored: string[]
let isDown: 'no' | 'fails' | 'hangs'
let notes: LateNotes
beforeEach(() => {
  vi.useFakeTimers()
  stored = []
  isDown = 'no'
  notes = createLateNotes({
    async store(screens) {
      if (isDown === 'fails') throw new Error('down')
      if (isDown === 'hangs') return await new Promise(() => undefined)
      stored.push(...screens.map(({ reportId }) => reportId))
    },
    logger: silentLogger,
  })
})
afterEach(async () => {
  isDown = 'no'
  await notes.stop()
  vi.useRealTimers()
})

test('a stored note accepts its screen, and is stored once', async () => {
  const one = screen('a')
  expect(await notes.note([one])).toBe(true)
  await vi.advanceTimersByTimeAsync(5_000)
  expect([stored, one.isAccepted]).toEqual([['a'], true])
})

test.each(['fails', 'hangs'] as const)('while the store %s, notes are kept until it answers', async (how) => {
  isDown = how
  const one = screen('a')
  const noted = notes.note([one, screen('b')])
  await vi.advanceTimersByTimeAsync(4_000)
  expect([await noted, one.isAccepted, stored]).toEqual([false, false, []])
  isDown = 'no'
  await vi.advanceTimersByTimeAsync(3_000)
  expect([stored, one.isAccepted]).toEqual([['a', 'b'], true])
})

test('notes that are kept are tried once more before the end', async () => {
  isDown = 'fails'
  await notes.note([screen('a')])
  isDown = 'no'
  await notes.stop()
  expect(stored).toEqual(['a'])
})

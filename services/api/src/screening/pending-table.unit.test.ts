import { silentLogger } from '@cupel/contracts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPendingTable, type PendingTable, type ScreenInWait } from './pending-table.js'

/** A screen whose request was acknowledged. */
const accepted = (reportId: string) => {
  const outcome = table.register(screen(reportId))
  table.accept(reportId)
  return outcome
}
const screen = (reportId: string): ScreenInWait => ({ reportId, accountId: 'acc_1', livemode: true })
const report = { kind: 'report', document: '{}' } as const

let noted: string[][]
let note: () => Promise<void>
let table: PendingTable
beforeEach(() => {
  vi.useFakeTimers()
  noted = []
  note = () => Promise.resolve()
  table = createPendingTable({
    deadlineMs: 1_000,
    note: (screens) => {
      noted.push(screens.map(({ reportId }) => reportId))
      return note()
    },
    logger: silentLogger,
  })
})
afterEach(() => {
  table.close()
  vi.useRealTimers()
})

test('the first outcome is the outcome', async () => {
  const outcome = table.register(screen('a'))
  table.settle('a', report)
  table.settle('a', { kind: 'failed', code: 'x' })
  expect(await outcome).toEqual(report)
  expect([table.size(), table.find('a')]).toEqual([0, undefined])
})

test('an id whose request the log never acknowledged is not handed out at the deadline', async () => {
  const outcome = table.register(screen('a'))
  await vi.advanceTimersByTimeAsync(1_050)
  expect(await outcome).toEqual({ kind: 'lost' })
  expect(noted).toEqual([])
})

test('an id nobody waits for settles nothing', () => {
  table.settle('stranger', report)
  expect(table.size()).toBe(0)
})

test('at the deadline an id is noted before it is handed out, together with others of that moment', async () => {
  const outcomes = [accepted('a'), accepted('b')]
  await vi.advanceTimersByTimeAsync(900)
  const young = accepted('c')
  expect(noted).toEqual([])
  await vi.advanceTimersByTimeAsync(150)
  expect(noted).toEqual([['a', 'b']])
  expect(await Promise.all(outcomes)).toEqual([{ kind: 'late' }, { kind: 'late' }])
  table.settle('c', report)
  expect(await young).toEqual(report)
})

test('a report that comes while its id is being noted is still the answer', async () => {
  let finishNoting = (): void => undefined
  note = () => new Promise((resolve) => (finishNoting = resolve))
  const outcome = accepted('a')
  await vi.advanceTimersByTimeAsync(1_050)
  table.settle('a', report)
  finishNoting()
  expect(await outcome).toEqual(report)
})

test('an id that cannot be noted is not handed out', async () => {
  note = () => Promise.reject(new Error('down'))
  const failing = accepted('a')
  await vi.advanceTimersByTimeAsync(1_050)
  expect(await failing).toEqual({ kind: 'lost' })

  note = () => new Promise(() => undefined)
  const hanging = accepted('b')
  await vi.advanceTimersByTimeAsync(2_100)
  expect(await hanging).toEqual({ kind: 'lost' })
})

test('the age of the queue is that of its oldest entry', async () => {
  void table.register(screen('a'))
  await vi.advanceTimersByTimeAsync(300)
  void table.register(screen('b'))
  expect(table.oldestAgeMs()).toBe(300)
  table.withdraw('a')
  expect(table.oldestAgeMs()).toBe(0)
})

test('an id handed out twice is a broken promise, not a second entry', async () => {
  void table.register(screen('a'))
  await expect(table.register(screen('a'))).rejects.toThrow(/twice/)
})

test('it is drained when the last entry is settled', async () => {
  void table.register(screen('a'))
  let isDrained = false
  const drained = table.drained().then(() => (isDrained = true))
  await vi.advanceTimersByTimeAsync(10)
  expect(isDrained).toBe(false)
  table.settle('a', report)
  await drained
  await table.drained()
})

test('one timer watches whatever waits, each up to its own deadline, and none runs for ids that were settled in time', async () => {
  expect(vi.getTimerCount()).toBe(0)
  const outcomes = [accepted('a')]
  await vi.advanceTimersByTimeAsync(400)
  outcomes.push(accepted('b'))
  const inTime = accepted('c')
  expect(vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(601)
  expect(noted).toEqual([['a']])
  table.settle('c', report)
  await vi.advanceTimersByTimeAsync(400)
  expect(noted).toEqual([['a'], ['b']])
  expect(await Promise.all([...outcomes, inTime])).toEqual([{ kind: 'late' }, { kind: 'late' }, report])
  expect(vi.getTimerCount()).toBe(0)

  const next = accepted('d')
  expect(vi.getTimerCount()).toBe(1)
  table.settle('d', report)
  expect(await next).toEqual(report)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(vi.getTimerCount()).toBe(0)
})

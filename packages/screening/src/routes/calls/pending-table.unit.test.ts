import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPendingTable, type PendingTable, type ScreenInWait } from './pending-table.js'

const wait = (reportId: string) => table.register(screen(reportId))
const screen = (reportId: string): ScreenInWait => ({
  ...{ reportId, accountId: 'acc_1', livemode: true, isAccepted: false },
  // The table does not read the request.
  request: {} as ScreenInWait['request'],
})
const report = { kind: 'report', document: '{}' } as const

let noted: string[][]
let note: () => Promise<boolean>
let table: PendingTable
beforeEach(() => {
  vi.useFakeTimers()
  noted = []
  note = () => Promise.resolve(true)
  table = createPendingTable({
    deadlineMs: 1_000,
    note: (screens) => {
      noted.push(screens.map(({ reportId }) => reportId))
      return note()
    },
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

test('a screen with patience has a deadline of its own, and counts for no limit of the others', async () => {
  const patient = table.register({ ...screen('a'), patienceMs: 20_000 })
  await vi.advanceTimersByTimeAsync(900)
  expect([table.size(), table.oldestAgeMs()]).toEqual([0, 0])
  const other = table.register(screen('b'))
  await vi.advanceTimersByTimeAsync(1_050)
  expect(await other).toEqual({ kind: 'late' })
  expect([table.size(), table.oldestAgeMs()]).toEqual([0, 0])
  table.settle('a', report)
  expect(await patient).toEqual(report)
  expect(table.size()).toBe(0)
})

test('an id whose request the log refused is noted at once, and is then late', async () => {
  const outcome = wait('a')
  table.expire('a')
  table.expire('a')
  table.expire('stranger')
  expect(await outcome).toEqual({ kind: 'late' })
  await vi.advanceTimersByTimeAsync(1_050)
  expect(noted).toEqual([['a']])
})

test('a wait that is spoiled goes on, and ends without a report and without a note', async () => {
  const [settled, expired] = [wait('a'), wait('b')]
  for (const id of ['a', 'b', 'stranger']) table.spoil(id)
  await vi.advanceTimersByTimeAsync(500)
  expect(table.size()).toBe(2)
  table.settle('a', report)
  await vi.advanceTimersByTimeAsync(600)
  expect(await Promise.all([settled, expired])).toEqual([
    { kind: 'failed', code: 'internal_error' },
    { kind: 'failed', code: 'internal_error' },
  ])
  expect(noted).toEqual([])
})

test('an id nobody waits for settles nothing', () => {
  table.settle('stranger', report)
  expect(table.size()).toBe(0)
})

test('at the deadline an id is noted before it is handed out, together with others of that moment', async () => {
  const outcomes = [wait('a'), wait('b')]
  await vi.advanceTimersByTimeAsync(900)
  const young = wait('c')
  expect(noted).toEqual([])
  await vi.advanceTimersByTimeAsync(150)
  expect(noted).toEqual([['a', 'b']])
  expect(await Promise.all(outcomes)).toEqual([{ kind: 'late' }, { kind: 'late' }])
  table.settle('c', report)
  expect(await young).toEqual(report)
})

test('a report that comes while its id is being noted is still the answer', async () => {
  let finishNoting: (isNoted: boolean) => void = () => undefined
  note = () => new Promise((resolve) => (finishNoting = resolve))
  const outcome = wait('a')
  await vi.advanceTimersByTimeAsync(1_050)
  table.settle('a', report)
  finishNoting(true)
  expect(await outcome).toEqual(report)
})

test('of an id that could not be noted nobody knows whether its screen was accepted', async () => {
  note = () => Promise.resolve(false)
  const outcome = wait('a')
  await vi.advanceTimersByTimeAsync(1_050)
  expect(await outcome).toEqual({ kind: 'unknown' })
})

test('the age of the queue is that of its oldest entry', async () => {
  void table.register(screen('a'))
  await vi.advanceTimersByTimeAsync(300)
  void table.register(screen('b'))
  expect(table.oldestAgeMs()).toBe(300)
  table.settle('a', report)
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
  const outcomes = [wait('a')]
  await vi.advanceTimersByTimeAsync(400)
  outcomes.push(wait('b'))
  const inTime = wait('c')
  expect(vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(601)
  expect(noted).toEqual([['a']])
  table.settle('c', report)
  await vi.advanceTimersByTimeAsync(400)
  expect(noted).toEqual([['a'], ['b']])
  expect(await Promise.all([...outcomes, inTime])).toEqual([{ kind: 'late' }, { kind: 'late' }, report])
  expect(vi.getTimerCount()).toBe(0)

  const next = wait('d')
  expect(vi.getTimerCount()).toBe(1)
  table.settle('d', report)
  expect(await next).toEqual(report)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(vi.getTimerCount()).toBe(0)
})

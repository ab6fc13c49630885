import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createContext } from '@cupel/command-line'
import { openKept, sinceOf, type Keeper } from './kept-verification.js'

let folder: string
let nowMs: number
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cupel-kept-'))
  nowMs = 0
})
afterEach(() => rmSync(folder, { recursive: true }))

const open = (whole = false, checks: { version?: string; checksMacs?: boolean } = {}): Keeper =>
  openKept(
    createContext({ CUPEL_HOME: folder }, []),
    { file: join(folder, 'kept'), sha256: undefined, whole },
    { log: 'a', publicKeys: null, checksMacs: true, now: () => (nowMs += 10_000), ...checks },
  )

const verified = {
  ...{ records: 4, byType: {}, repeats: 0, reports: 0, failures: 0, repeatedReports: 0 },
  ...{
    signatures: { signed: 0, unsigned: 0, beforeFirstKey: 0, reportsOfKey: {} },
    problemCount: 0,
    problems: [],
  },
}
const partition = { topic: 't', partition: 0, from: 0, to: 4, verified }
const headOf = (size: number, next: number) => ({
  tree: { size, peaks: [Buffer.alloc(32, size)] },
  places: new Map([['t/0', { next, last: size - 1 }]]),
})

test('an interrupted run goes on with the partitions and the leaves that it had done', () => {
  const first = open()
  first.onDone(partition)
  first.onHead(headOf(2, 3))
  const next = open()
  expect(next).toMatchObject({ isWhole: true, since: null, done: [partition] })
  expect(next.head).toEqual(headOf(2, 3))
})

test('a run that goes on with an interrupted one says since when, and what it does not read', () => {
  const first = open()
  expect(first.resumed).toBeNull()
  first.onDone(partition)
  first.onHead(headOf(2, 3))
  const next = open()
  const begunAt = next.resumed!.begunAt
  expect(next.resumed).toEqual({ begunAt, records: 4, leaves: 2 })
  next.onHead(headOf(3, 3))
  const last = open()
  expect(last.resumed).toEqual({ begunAt, records: 4, leaves: 3 })
  last.finish({ head: headOf(4, 4), again: null })
  expect(open()).toMatchObject({ resumed: null, since: { wholeAt: begunAt } })
})

test('a whole run does not go on with what a run of new records had done', () => {
  const first = open()
  first.onDone(partition)
  first.finish({ head: headOf(4, 4), again: null })
  open().onDone({ ...partition, from: 4, to: 9 })
  expect(open()).toMatchObject({ isWhole: false, done: [{ to: 9 }] })
  expect(open(true)).toMatchObject({ isWhole: true, done: [], head: null })
})

test('records that had no leaf are verified again', () => {
  const first = open()
  first.onDone(partition)
  first.finish({ head: headOf(3, 3), again: null })
  expect(sinceOf(open().since!)).toEqual(new Map([['t/0', 3]]))
})

test('what failed is not kept: after a whole run everything is verified again', () => {
  const first = open()
  first.onDone(partition)
  first.finish({ head: headOf(4, 4), again: null })
  const incremental = open()
  incremental.onDone({ ...partition, from: 4, to: 9 })
  incremental.fail()
  expect(open()).toMatchObject({ isWhole: false, since: { head: { size: 4 } }, done: [] })
  open(true).fail()
  expect(open()).toMatchObject({ isWhole: true, since: null, done: [] })
})

test.each([
  ['without record keys', { checksMacs: false }],
  ['by another version', { version: '0.0.1' }],
])('what was verified %s is verified again, and its tree stays known', (_, lesser) => {
  open(false, lesser).onDone(partition)
  expect(open(false, lesser).done).toHaveLength(1)
  expect(open().done).toEqual([])
  open(false, lesser).finish({ head: headOf(4, 4), again: null })
  expect(open(false, lesser)).toMatchObject({ isWhole: false })
  expect(open()).toMatchObject({ isWhole: true, since: null, named: [{ size: 4 }] })
})

test('the tree that was right stays known to whole runs, until one has compared it', () => {
  const first = open()
  expect(first.named).toEqual([])
  first.finish({ head: headOf(4, 4), again: null })
  expect(open().named).toEqual([])
  for (let run = 0; run < 2; run += 1) {
    const whole = open(true)
    expect(whole.named).toEqual([
      { size: 4, root: Buffer.alloc(32, 4).toString('base64'), file: join(folder, 'kept') },
    ])
    whole.fail()
  }
  const cutOff = open()
  cutOff.onHead(headOf(5, 5))
  expect(open()).toMatchObject({ isWhole: true, named: [] })
})

test('a round through the old records ends after thirty runs, however fast the log grows', () => {
  const first = open()
  first.finish({ head: headOf(1_000, 1_000), again: null })
  let [size, until, runs] = [1_000, 0, 0]
  for (; until < size; runs += 1) {
    expect(runs).toBeLessThan(30)
    const run = open()
    size = run.since!.head.size
    until = run.oldLeaves()!.until
    run.finish({ head: headOf(2 * size, 2 * size), again: headOf(until, until) })
  }
  expect(runs).toBe(30)
  expect(open().oldLeaves()!.since).toBeNull()
})

test('a thirtieth of the old records is compared again in each run, and a round ends at the kept head', () => {
  const first = open()
  first.finish({ head: headOf(45, 45), again: null })
  expect(open().oldLeaves()).toEqual({ since: null, until: 2 })
  open().finish({ head: headOf(60, 60), again: headOf(2, 2) })
  expect(open().oldLeaves()).toEqual({ since: headOf(2, 2), until: 4 })
  open().finish({ head: headOf(60, 60), again: headOf(60, 60) })
  expect(open().oldLeaves()).toEqual({ since: null, until: 2 })
})

/** What keeps the histories of a chain from being complete, as far as declared ranges tell. */
import type { DeclaredRange } from '@cupel/domain'
import { expect, test } from 'vitest'
import { kindsOf, type KindFault } from './overview.js'

const NOW_S = 1_800_000_000
const HOUR_S = 3_600
const age = { nowS: NOW_S, maxAgeHours: 24 }
const range = (change: Partial<DeclaredRange> = {}): DeclaredRange => ({
  ...{ kind: 'native', fromHeight: 0, toHeight: 100, toAtS: NOW_S - HOUR_S, ...change },
})

test.each<[string, DeclaredRange[], KindFault[]]>([
  ['whole from the first block', [range()], []],
  ['whole from the block after it', [range({ fromHeight: 1 })], []],
  ['nothing', [], ['undeclared']],
  ['a late start', [range({ fromHeight: 2 })], ['late_start']],
  ['a gap', [range(), range({ fromHeight: 110, toHeight: 120 })], ['gap']],
  ['rows that could not be read', [range({ hasUnreadableRows: true })], ['unreadable_rows']],
  ['an end in the future', [range({ toAtS: NOW_S + 1 })], ['in_future']],
  ['an end without a time', [range({ toAtS: null })], ['no_time']],
  ['an old end', [range({ toAtS: NOW_S - 25 * HOUR_S })], ['old']],
  ['an end as old as it may be', [range({ toAtS: NOW_S - 24 * HOUR_S })], []],
])('of Bitcoin: %s', (_, ranges, faults) => {
  expect(kindsOf('BTC', ranges, age)).toMatchObject([{ kind: 'native', isNeeded: true, faults }])
})

test('gaps are the heights before and between the ranges', () => {
  const [native] = kindsOf('BTC', [range({ fromHeight: 10 }), range({ fromHeight: 110, toHeight: 120 })], age)
  expect(native!.gaps).toEqual([
    { from: 0, to: 9 },
    { from: 101, to: 109 },
  ])
  expect(kindsOf('BTC', [range({ fromHeight: 1 })], age)[0]!.gaps).toEqual([])
})

test('a kind that the chain does not need is shown where it was declared', () => {
  expect(kindsOf('BTC', [range(), range({ kind: 'token' })], age)).toMatchObject([
    { kind: 'native', isNeeded: true },
    { kind: 'token', isNeeded: false },
  ])
  expect(kindsOf('ETH', [], age).map(({ kind, faults }) => [kind, ...faults])).toEqual([
    ['native', 'undeclared'],
    ['internal', 'undeclared'],
    ['token', 'undeclared'],
  ])
})

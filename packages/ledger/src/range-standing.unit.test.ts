import type { DeclaredRange } from '@cupel/domain'
import { expect, test } from 'vitest'
import { rangeStanding } from './range-standing.js'

const NOW_S = 1_800_000_000
const standingOf = (...ranges: readonly DeclaredRange[]): string =>
  rangeStanding('BTC', ranges, { nowS: NOW_S, maxAgeHours: 24 })

const native: DeclaredRange = { kind: 'native', fromHeight: 0, toHeight: 100, toAtS: NOW_S - 60 }
const token: DeclaredRange = { ...native, kind: 'token' }

test('further heights of the last range leave the standing as it is', () => {
  expect(standingOf({ ...native, toHeight: 110 }, token)).toBe(standingOf(native, token))
})

test.each<[string, DeclaredRange]>([
  ['a row that cannot be read', { ...token, hasUnreadableRows: true }],
  ['an end in the future', { ...token, toAtS: NOW_S + 60 }],
])('%s changes it, also in a range of a kind that the chain does not need', (_what, changed) => {
  expect(standingOf(native, changed)).not.toBe(standingOf(native, token))
})

/** The ledger in words. A word that this page does not know is shown as it is, and is a fault. */
import { amountText, visibleText } from '@cupel/reports/document'
import type { Heights, LedgerFollower, LedgerKind } from './ledger-answer.js'

const faults: Readonly<Record<string, string>> = {
  undeclared: 'nobody declared a range',
  late_start: 'does not begin at the first block',
  gap: 'has a gap',
  unreadable_rows: 'has rows that could not be read',
  in_future: 'ends in the future',
  no_time: 'its age is not known',
  old: 'is too old',
}

export const kindFaults = ({ faults: found }: LedgerKind): readonly string[] =>
  found.map((fault) => faults[fault] ?? visibleText(fault))

const kinds: Readonly<Record<string, string>> = {
  native: 'Native coins',
  internal: 'Internal calls',
  token: 'Tokens',
}
export const kindName = (kind: string): string => kinds[kind] ?? visibleText(kind)

export const number = (value: number): string => amountText(String(value))

export const heightsText = (heights: readonly Heights[]): string =>
  heights.length === 0
    ? 'none'
    : heights.map(({ from_height: from, to_height: to }) => `${number(from)}–${number(to)}`).join(', ')

/** Null if it runs and its lag is known and within the hours that a range may be old. */
export function followerText(
  { chain, fault, lag_blocks: blocks, lag_s: lagS }: LedgerFollower,
  maxAgeHours: number,
): string | null {
  if (fault !== null) return fault
  if (blocks === null) return `The node of ${chain} did not answer yet, so its lag is not known.`
  if (lagS === null) return `The follower of ${chain} imported no block yet.`
  return lagS > maxAgeHours * 3_600 ? `The follower of ${chain} is ${ageText(lagS)} behind.` : null
}

export function ageText(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} days`
}

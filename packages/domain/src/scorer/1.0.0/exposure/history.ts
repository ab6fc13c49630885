/** The heights over which a ledger is declared complete, and whether they cover the whole history of an address. */
import type { LedgerRange } from '@cupel/contracts'
import type { Transfer } from './transfer.js'

/** The kind of transfers that a declaration covers: a file of native transfers does not cover tokens. */
export type HistoryKind = 'native' | 'token' | 'internal'

export interface DeclaredRange {
  readonly kind: HistoryKind
  readonly fromHeight: number
  readonly toHeight: number
  /** Time of the last height; null where the source does not give it. */
  readonly toAtS: number | null
}

/** T of an asset in a direction, and whether it covers the whole history. */
export type AssetTotals = (
  contract: string,
  direction: 'in' | 'out',
) => { readonly total: bigint; readonly isComplete: boolean }

/** Highest height at which a complete history may begin. Transfers before a later one would be unknown. */
const LAST_FIRST_HEIGHT = 1
const HOUR_S = 3_600

export const historyKind = ({ contract }: Pick<Transfer, 'contract'>): 'native' | 'token' =>
  contract === '' ? 'native' : 'token'

const kindOrder: readonly HistoryKind[] = ['native', 'internal', 'token']

/** Ranges of one kind that touch or overlap become one; in order of kind and height. */
export function mergeRanges(ranges: readonly DeclaredRange[]): readonly DeclaredRange[] {
  const sorted = ranges
    .map((range) => ({ ...range, toAtS: range.toAtS ?? timeBelow(range, ranges) }))
    .sort(
      (a, b) =>
        kindOrder.indexOf(a.kind) - kindOrder.indexOf(b.kind) ||
        a.fromHeight - b.fromHeight ||
        a.toHeight - b.toHeight,
    )
  const merged: DeclaredRange[] = []
  for (const range of sorted) {
    const last = merged.at(-1)
    if (last === undefined || last.kind !== range.kind || range.fromHeight > last.toHeight + 1) {
      merged.push(range)
      continue
    }
    if (
      range.toHeight > last.toHeight ||
      (range.toHeight === last.toHeight && (range.toAtS ?? -1) > (last.toAtS ?? -1))
    )
      merged[merged.length - 1] = { ...range, fromHeight: last.fromHeight }
  }
  return merged
}

/** Some files have heights and no times: the end of a range is no earlier than that of any range that ends below it. */
function timeBelow({ toHeight }: DeclaredRange, ranges: readonly DeclaredRange[]): number | null {
  const times = ranges.flatMap((other) =>
    other.toAtS !== null && other.toHeight <= toHeight ? [other.toAtS] : [],
  )
  return times.length === 0 ? null : Math.max(...times)
}

/**
 * The last height up to which everything of a kind is known since the chain began, where that reaches to within the
 * policy's hours of the report; else null. A share over a part of a ledger would be wrong.
 */
export function completeUpTo(
  merged: readonly DeclaredRange[],
  kind: HistoryKind,
  { generatedAtS, maxAgeHours }: { readonly generatedAtS: number; readonly maxAgeHours: number },
): number | null {
  const range = merged.find((one) => one.kind === kind && one.fromHeight <= LAST_FIRST_HEIGHT)
  if (range === undefined || range.toAtS === null) return null
  return range.toAtS >= generatedAtS - maxAgeHours * HOUR_S ? range.toHeight : null
}

export const recordedRange = ({ kind, fromHeight, toHeight, toAtS }: DeclaredRange): LedgerRange => ({
  kind,
  fromHeight,
  toHeight,
  toAt: toAtS === null ? null : utcText(toAtS),
})

/** UTC, RFC 3339 with milliseconds. */
export const utcText = (seconds: number): string => new Date(seconds * 1_000).toISOString()

/** The heights over which a ledger is declared complete, and whether they cover the whole history of an address. */
import type { ExposureHistory, LedgerRange } from '@cupel/contracts'
import type { LevelReason } from '../risk/level-reasons.js'
import { hasTokens } from '../tables/asset-table.js'
import { chainFactsOf } from '../tables/chain-table.js'
import type { Transfer } from './transfer.js'

/** The kind of transfers that a declaration covers: a file of native transfers does not cover tokens. */
export type HistoryKind = 'native' | 'token' | 'internal'

export interface DeclaredRange {
  readonly kind: HistoryKind
  readonly fromHeight: number
  readonly toHeight: number
  /** Time of the last height; null where the source does not give it. */
  readonly toAtS: number | null
  /** The range contains a row of a file whose meaning is not certain. */
  readonly hasUnreadableRows?: boolean
}

/** What one provider said of all transfers of one address. */
export interface AddressHistory {
  /** Canonical. */
  readonly address: string
  readonly provider: string
  /** The newest block that the provider knew then. */
  readonly height: number
  /** Empty if the provider does not tell it. */
  readonly hash: string
  /** Time of that block, in seconds since 1970. */
  readonly atS: number
  /** Kinds of transfers that were read whole. */
  readonly kinds: readonly HistoryKind[]
  /** Why it is not whole, in the words of whoever read it; empty if it is. */
  readonly incomplete: readonly string[]
  /** The heights for which it is all that the address ever moved; none if what was read cannot be relied on. */
  readonly ranges: readonly DeclaredRange[]
}

/** Why a history is not known to be complete: reasons of a level too, which have words wherever a person reads them. */
export type HistoryFault = Extract<
  LevelReason,
  | 'range_gap'
  | 'no_traces'
  | 'no_tokens'
  | 'range_in_future'
  | 'shortfall'
  | 'balance_mismatch'
  | 'count_mismatch'
  | 'execution_unknown'
  | 'unknown_order'
  | 'intermediary_shortfall'
  | 'intermediary_unread'
  | 'unreadable_rows'
  | 'history_truncated'
  | 'history_contradicting'
  | 'history_reorganised'
  | 'history_unconfirmed'
  | 'history_disagreement'
  | 'history_unfinished'
  | 'uncounted_value'
  | 'illicit_token'
  | 'designated_contract'
>

/** Highest height at which a complete history may begin. Transfers before a later one would be unknown. */
const LAST_FIRST_HEIGHT = 1
const HOUR_S = 3_600

const kinds: readonly HistoryKind[] = ['native', 'internal', 'token']

/** Kinds of transfers without which a history of the chain is not complete. */
export function neededKinds(chain: string): readonly HistoryKind[] {
  if (chainFactsOf(chain)?.hasInternalTransfers === true) return kinds
  return hasTokens(chain) ? ['native', 'token'] : ['native']
}

/** The kind of range that a transfer lies in. */
const kindOf = ({ kind, contract }: Transfer, needed: readonly HistoryKind[]): HistoryKind => {
  if (contract !== '' || kind === 'token') return 'token'
  return kind === 'internal' && needed.includes('internal') ? 'internal' : 'native'
}

/** The reason that names a kind of which no range is declared. */
const undeclared: Readonly<Record<HistoryKind, HistoryFault>> = {
  native: 'range_gap',
  internal: 'no_traces',
  token: 'no_tokens',
}

/**
 * Why declared ranges do not show that all of these transfers are all there ever were: a kind that the chain needs is not
 * declared, ends in the future, has a gap, or does not contain a transfer.
 */
export function rangeFaults(
  chain: string,
  ranges: readonly DeclaredRange[],
  own: readonly Transfer[],
  age: { readonly generatedAtS: number; readonly maxAgeHours: number },
): readonly HistoryFault[] {
  const faults = new Set<HistoryFault>()
  const past = ranges.filter((range) => !endsInFuture(range, age.generatedAtS))
  if (past.length < ranges.length) faults.add('range_in_future')
  if (ranges.some(({ hasUnreadableRows }) => hasUnreadableRows === true)) faults.add('unreadable_rows')
  const merged = mergeRanges(past)
  const needed = neededKinds(chain)
  const upTo = new Map<HistoryKind, number>()
  for (const kind of needed) {
    const height = completeUpTo(merged, kind, age)
    if (height !== null) upTo.set(kind, height)
    else if (!ranges.some((range) => range.kind === kind)) faults.add(undeclared[kind])
    else if (past.some((range) => range.kind === kind)) faults.add('range_gap')
  }
  const isOutside = (one: Transfer): boolean => {
    const height = upTo.get(kindOf(one, needed))
    return height !== undefined && (one.blockNumber === null || one.blockNumber > height)
  }
  if (own.some(isOutside)) faults.add('range_gap')
  return [...faults]
}

/** Gaps of a history in the words of a report. */
const faultOfGap: Readonly<Record<string, HistoryFault>> = {
  truncated: 'history_truncated',
  contradicting_pages: 'history_contradicting',
  reorganised: 'history_reorganised',
  unconfirmed: 'history_unconfirmed',
  disagreement: 'history_disagreement',
  unreadable_rows: 'unreadable_rows',
  no_traces: 'no_traces',
  no_tokens: 'no_tokens',
  in_future: 'range_in_future',
}

export interface KnownHistory {
  readonly chain: string
  /** Declared for all addresses of the chain. */
  readonly ranges: readonly DeclaredRange[]
  /** What providers said of single addresses, of whichever. */
  readonly histories: readonly AddressHistory[]
  /** The addresses of one owner. */
  readonly addresses: readonly string[]
  /** What they moved. */
  readonly own: readonly Transfer[]
}

/**
 * Why neither declared ranges nor what providers said of the address, nor both together, show that these transfers are all there ever were. What
 * a provider said of one address of an owner says nothing of another one.
 */
export function historyFaults(
  { chain, ranges, histories, addresses, own }: KnownHistory,
  age: { readonly generatedAtS: number; readonly maxAgeHours: number },
): readonly HistoryFault[] {
  const faults = new Set<HistoryFault>()
  for (const address of addresses) {
    const told = histories.filter((one) => one.address === address)
    const found = rangeFaults(chain, [...ranges, ...told.flatMap((one) => one.ranges)], own, age)
    const gaps = found.length === 0 ? [] : told.flatMap(({ incomplete }) => incomplete)
    for (const fault of [...found, ...gaps.map((gap) => faultOfGap[gap] ?? 'history_unfinished')]) faults.add(fault)
  }
  return [...faults]
}

const endsInFuture = ({ toAtS }: DeclaredRange, generatedAtS: number): boolean =>
  toAtS !== null && toAtS > generatedAtS

/** Ranges of one kind that touch or overlap become one; in order of kind and height. */
export function mergeRanges(ranges: readonly DeclaredRange[]): readonly DeclaredRange[] {
  const sorted = ranges
    .map((range) => ({ ...range, toAtS: range.toAtS ?? timeBelow(range, ranges) }))
    .sort(
      (a, b) =>
        kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
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
    const unreadable = isUnreadable(last) || isUnreadable(range) ? { hasUnreadableRows: true } : {}
    if (
      range.toHeight > last.toHeight ||
      (range.toHeight === last.toHeight && (range.toAtS ?? -1) > (last.toAtS ?? -1))
    )
      merged[merged.length - 1] = { ...range, fromHeight: last.fromHeight, ...unreadable }
    else merged[merged.length - 1] = { ...last, ...unreadable }
  }
  return merged
}

const isUnreadable = ({ hasUnreadableRows }: DeclaredRange): boolean => hasUnreadableRows === true

/** Some files have heights and no times: the end of a range is no earlier than that of any range that ends below it. */
function timeBelow({ toHeight }: DeclaredRange, ranges: readonly DeclaredRange[]): number | null {
  const times = ranges.flatMap((other) =>
    other.toAtS !== null && other.toHeight <= toHeight ? [other.toAtS] : [],
  )
  return times.length === 0 ? null : Math.max(...times)
}

/**
 * The last height up to which everything of a kind is known since the chain began, where that reaches to within the
 * policy's hours of the report; else null, also where a gap divides the ranges, whatever their times. A share over a part of a
 * ledger would be wrong.
 */
function completeUpTo(
  merged: readonly DeclaredRange[],
  kind: HistoryKind,
  { generatedAtS, maxAgeHours }: { readonly generatedAtS: number; readonly maxAgeHours: number },
): number | null {
  const [range, beyondGap] = merged.filter((one) => one.kind === kind)
  if (range === undefined || beyondGap !== undefined) return null
  if (range.fromHeight > LAST_FIRST_HEIGHT || range.toAtS === null) return null
  return range.toAtS >= generatedAtS - maxAgeHours * HOUR_S ? range.toHeight : null
}

export const recordedRange = ({ kind, fromHeight, toHeight, toAtS }: DeclaredRange): LedgerRange => ({
  kind,
  fromHeight,
  toHeight,
  toAt: toAtS === null ? null : utcText(toAtS),
})

export const recordedHistory = ({ address, provider, ...history }: AddressHistory): ExposureHistory => ({
  address,
  provider,
  height: history.height,
  hash: history.hash,
  at: utcText(history.atS),
  kinds: [...history.kinds],
  incomplete: [...history.incomplete],
})

/** UTC, RFC 3339 with milliseconds. */
export const utcText = (seconds: number): string => new Date(seconds * 1_000).toISOString()

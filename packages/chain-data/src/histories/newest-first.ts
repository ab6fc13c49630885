/** Takes the rows of lists that begin with the newest one, and sees whether the pages fit each other. */
import type { HistoryGap } from './history-source.js'

export interface ToldRow {
  /** What no two rows have in common; null if rows may be equal. */
  readonly id: string | null
  /** Null if the row does not state its block. */
  readonly height: number | null
  readonly lines: readonly Readonly<Record<string, unknown>>[]
  /** Why the row is not among the lines. */
  readonly gap: HistoryGap | null
}

export interface NewestFirst {
  /** The lines of one page within the heights. `isPast`: older pages have none of these heights, or contradict the others. */
  take(rows: readonly ToldRow[]): { readonly lines: ToldRow['lines']; readonly isPast: boolean }
  /** Rows of all pages, those of other heights included. */
  rows(): number
}

export interface Heights {
  /** The first and the last height. */
  readonly from: number
  readonly to: number
  lacks(gap: HistoryGap): void
}

export function newestFirst({ from, to, lacks }: Heights): NewestFirst {
  const seen = new Set<string>()
  let lowest = Infinity
  let count = 0
  return {
    take(rows) {
      count += rows.length
      const lines: ToldRow['lines'][] = []
      for (const { id, height, lines: told, gap } of rows) {
        if ((height ?? lowest) > lowest || (id !== null && seen.has(id))) {
          lacks('contradicting_pages')
          return { lines: lines.flat(), isPast: true }
        }
        if (id !== null) seen.add(id)
        lowest = height ?? lowest
        if (lowest < from) return { lines: lines.flat(), isPast: true }
        if (lowest > to && height !== null) continue
        if (gap !== null) lacks(gap)
        lines.push(told)
      }
      return { lines: lines.flat(), isPast: false }
    },
    rows: () => count,
  }
}

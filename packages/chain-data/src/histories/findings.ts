/** Collects while a history is read why its kinds are not whole. */
import type { HistoryKind } from '@cupel/domain'
import type { HistoryEnd, HistoryGap } from './history-source.js'

export interface Findings {
  /** The kind is not whole; without a kind, none is. */
  lacks(gap: HistoryGap, kind?: HistoryKind): void
  end(head: HistoryEnd['head']): HistoryEnd
}

export function createFindings(kinds: readonly HistoryKind[]): Findings {
  const whole = new Set(kinds)
  const gaps = new Set<HistoryGap>()
  return {
    lacks(gap, kind) {
      gaps.add(gap)
      if (kind === undefined) whole.clear()
      else whole.delete(kind)
    },
    end: (head) => ({ head, kinds: [...whole], incomplete: [...gaps].sort() }),
  }
}

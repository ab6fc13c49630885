/** Collects while a history is read why its kinds are not whole. */
import type { HistoryKind } from '@cupel/domain'
import type { HistoryEnd, HistoryGap, HistoryStart } from './history-source.js'

export interface Findings {
  /** The kind is not whole; without a kind, none is. */
  lacks(gap: HistoryGap, kind?: HistoryKind): void
  end(head: HistoryEnd['head']): HistoryEnd
}

/** `known` is what every history of the provider lacks. */
export function createFindings(kinds: readonly HistoryKind[], known: HistoryStart['lacks'] = []): Findings {
  const whole = new Set(kinds)
  const gaps = new Set<HistoryGap>()
  const lacks: Findings['lacks'] = (gap, kind) => {
    gaps.add(gap)
    if (kind === undefined) whole.clear()
    else whole.delete(kind)
  }
  for (const { gap, kind } of known) lacks(gap, kind)
  return {
    lacks,
    end: (head) => ({ head, kinds: [...whole], incomplete: [...gaps].sort() }),
  }
}

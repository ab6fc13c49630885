/** The heights of a chain as a bar: what is declared, and the gaps. The table says the same in words. */
import { heightsText } from './ledger-words.js'
import type { Heights, LedgerKind } from './ledger-answer.js'

const WIDTH = 1_000
const HEIGHT = 16
/** A gap of one block must be seen as well. */
const LEAST_WIDTH = 4

interface RangeBarProps {
  readonly kind: LedgerKind
  /** The bar ends there. */
  readonly last: number
}

export function RangeBar({ kind: { kind, ranges, gaps }, last }: RangeBarProps) {
  const covered = ranges.at(-1)?.to_height ?? -1
  const missing = covered < last ? [...gaps, { from_height: covered + 1, to_height: last }] : gaps
  const place = ({ from_height: from, to_height: to }: Heights) => {
    const x = (from / (last + 1)) * WIDTH
    const width = Math.max(LEAST_WIDTH, ((to - from + 1) / (last + 1)) * WIDTH)
    return { x: Math.min(x, WIDTH - width), width, y: 0, height: HEIGHT }
  }
  return (
    <svg
      class="range-bar"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${kind}: declared ${heightsText(ranges)}; missing ${heightsText(missing)}; up to height ${last}.`}
    >
      {ranges.map((range) => (
        <rect
          key={range.from_height}
          class={range.unreadable_rows ? 'doubtful' : 'declared'}
          {...place(range)}
        />
      ))}
      {missing.map((gap) => (
        <rect key={gap.from_height} class="gap" {...place(gap)} />
      ))}
    </svg>
  )
}

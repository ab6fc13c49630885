/** Calls of each day of the month as columns. The table of the page says the same. */
import { amountText } from '@cupel/reports/document'
import type { UsageDay } from './usage-answer.js'

const COLUMN = 22
const HEIGHT = 110
const LABEL = 18
/** Least height, so that a single call can still be seen. */
const LEAST_HEIGHT = 2
const HEADROOM = 14
const CORNER = 1
/** Every fifth day is named, so that the names do not touch. */
const NAMED_EVERY = 5

interface DayChartProps {
  /** First day of the month; UTC, RFC 3339. */
  readonly from: string
  readonly today: string
  readonly days: readonly UsageDay[]
}

export function DayChart({ from, today, days }: DayChartProps) {
  const month = from.slice(0, 'YYYY-MM'.length)
  const last = Number(today.slice('YYYY-MM-'.length, 'YYYY-MM-DD'.length))
  const most = Math.max(1, ...days.map(({ calls }) => calls))
  const calls = new Map(days.map((day) => [day.day, day.calls]))
  const numbers = Array.from({ length: last }, (_, index) => index + 1)
  const width = Math.max(last, NAMED_EVERY) * COLUMN
  return (
    <svg
      class="day-chart"
      viewBox={`0 0 ${width} ${HEIGHT + LABEL}`}
      width={width}
      height={HEIGHT + LABEL}
      role="img"
      aria-label={`Calls of each day of ${month}; at most ${amountText(String(most))} a day.`}
    >
      {numbers.map((number) => {
        const count = calls.get(`${month}-${String(number).padStart(2, '0')}`) ?? 0
        const height = count === 0 ? 0 : Math.max(LEAST_HEIGHT, (count / most) * (HEIGHT - HEADROOM))
        const x = (number - 1) * COLUMN
        return (
          <g key={number}>
            {count === 0 ? null : (
              <rect x={x + CORNER} y={HEIGHT - height} width={COLUMN - 2 * CORNER} height={height} />
            )}
            {number === 1 || number % NAMED_EVERY === 0 || number === last ? (
              <text x={x + COLUMN / 2} y={HEIGHT + HEADROOM} text-anchor="middle">
                {number}
              </text>
            ) : null}
          </g>
        )
      })}
      <line x1={0} y1={HEIGHT} x2={width} y2={HEIGHT} />
    </svg>
  )
}

/** How reports move from level to level under another policy: a picture, and a table that says the same. */
import { amountText, en, nameOf } from '@cupel/reports/document'
import { Level, ScrollTable } from '@cupel/console'
import { layOutFlow, type FlowBar, type LevelFlow } from './flow-layout.js'

const WIDTH = 640
const SIDE = 150
const BAR = 12
const TOP = 30
const TEXT_OFFSET = 5

const known = (level: string): string => (Object.hasOwn(en.levels, level) ? level : 'other')
const countText = (count: number): string => amountText(String(count))

export function LevelFlowPicture({ flows }: { readonly flows: readonly LevelFlow[] }) {
  const { before, after, bands, height } = layOutFlow(flows)
  if (bands.length === 0) return null
  const [left, right] = [SIDE + BAR, WIDTH - SIDE - BAR]
  const middle = (left + right) / 2
  return (
    <svg
      class="level-flow"
      viewBox={`0 0 ${WIDTH} ${Math.ceil(height) + TOP + TEXT_OFFSET}`}
      role="img"
      aria-label="Reports by level under the current and under the proposed policy; the table below says the same."
    >
      <text x={SIDE} y={TEXT_OFFSET * 3} text-anchor="end" class="flow-title">
        Current
      </text>
      <text x={WIDTH - SIDE} y={TEXT_OFFSET * 3} class="flow-title">
        Proposed
      </text>
      {bands.map(({ from, to, fromY, toY, height: thickness }) => {
        const [a, b] = [TOP + fromY, TOP + toY]
        return (
          <path
            key={`${from} ${to}`}
            class={`flow-band flow-${known(to)} ${from === to ? 'flow-same' : 'flow-changed'}`}
            d={`M${left} ${a} C${middle} ${a} ${middle} ${b} ${right} ${b} V${b + thickness} C${middle} ${b + thickness} ${middle} ${a + thickness} ${left} ${a + thickness} Z`}
          />
        )
      })}
      {before.map((bar) => (
        <Bar key={bar.level} bar={bar} x={SIDE} textX={SIDE - TEXT_OFFSET * 2} anchor="end" />
      ))}
      {after.map((bar) => (
        <Bar key={bar.level} bar={bar} x={right} textX={WIDTH - SIDE + TEXT_OFFSET * 2} anchor="start" />
      ))}
    </svg>
  )
}

interface BarProps {
  readonly bar: FlowBar
  readonly x: number
  readonly textX: number
  readonly anchor: 'start' | 'end'
}

function Bar({ bar: { level, count, y, height }, x, textX, anchor }: BarProps) {
  return (
    <>
      <rect class={`flow-bar flow-${known(level)}`} x={x} y={TOP + y} width={BAR} height={height} />
      <text x={textX} y={TOP + y + height / 2 + TEXT_OFFSET} text-anchor={anchor}>
        {nameOf(en.levels, level)}: {countText(count)}
      </text>
    </>
  )
}

export function LevelFlowTable({ flows }: { readonly flows: readonly LevelFlow[] }) {
  const ordered = [...flows].sort(
    (a, b) => Number(a.from === a.to) - Number(b.from === b.to) || b.count - a.count,
  )
  return (
    <ScrollTable
      caption="Reports from level to level"
      head={['Current', 'Proposed', { number: 'Reports' }, 'Change']}
    >
      {ordered.map(({ from, to, count }) => (
        <tr key={`${from} ${to}`}>
          <td>
            <Level level={from} />
          </td>
          <td>
            <Level level={to} />
          </td>
          <td class="number">{countText(count)}</td>
          <td>{from === to ? <span class="quiet">same</span> : <span class="tag">changed</span>}</td>
        </tr>
      ))}
    </ScrollTable>
  )
}

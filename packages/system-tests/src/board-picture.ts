/** A board as one SVG: its panels in their places, each with the answers of Prometheus to its queries. */
import type { Board, Panel } from './boards.js'

interface QueriedSeries {
  readonly labels: Readonly<Record<string, string>>
  readonly points: readonly { readonly atSeconds: number; readonly value: number }[]
}

interface TimeRange {
  readonly fromSeconds: number
  readonly toSeconds: number
}

/** The result of one query of a panel. */
export interface AnsweredTarget {
  readonly legendFormat: string
  readonly series: readonly QueriedSeries[]
}

export interface AnsweredPanel {
  readonly panel: Panel
  readonly targets: readonly AnsweredTarget[]
}

const COLUMN_PX = 42
const ROW_PX = 25
const HEAD_PX = 44
const GAP_PX = 8
const COLOURS = ['#2f6fb0', '#c2410c', '#2e7d32', '#7b1fa2', '#b8860b', '#00838f', '#ad1457', '#5d4037']
const MAX_LEGENDS = 4
const LEGEND_CHARACTERS = 34

export function drawBoard(board: Board, panels: readonly AnsweredPanel[], range: TimeRange): string {
  const right = Math.max(...panels.map(({ panel }) => panel.gridPos.x + panel.gridPos.w))
  const bottom = Math.max(...panels.map(({ panel }) => panel.gridPos.y + panel.gridPos.h))
  const [width, height] = [right * COLUMN_PX + GAP_PX, HEAD_PX + bottom * ROW_PX + GAP_PX]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="DejaVu Sans, sans-serif">`,
    `<rect width="${width}" height="${height}" fill="#f4f5f7"/>`,
    text(board.title, { x: GAP_PX + 4, y: 28, size: 17, weight: 'bold' }),
    ...panels.map((each) => drawPanel(each, range)),
    '</svg>',
  ].join('\n')
}

function drawPanel({ panel, targets }: AnsweredPanel, range: TimeRange): string {
  const { x, y, w, h } = panel.gridPos
  const [width, height] = [w * COLUMN_PX - GAP_PX, h * ROW_PX - GAP_PX]
  const lines = targets.flatMap(({ legendFormat, series }) =>
    series
      .filter(({ points }) => points.length > 0)
      .map(({ labels, points }) => ({ legend: legendOf(legendFormat, labels), points })),
  )
  return [
    `<g transform="translate(${GAP_PX + x * COLUMN_PX},${HEAD_PX + y * ROW_PX})">`,
    `<rect width="${width}" height="${height}" fill="#fff" stroke="#d7dae0"/>`,
    text(panel.title, { x: 10, y: 19, size: 12, weight: 'bold' }),
    lines.length === 0
      ? text('No data', { x: width / 2, y: height / 2, size: 12, fill: '#7a7f87', anchor: 'middle' })
      : drawLines(lines, panel.fieldConfig.defaults.unit, range, { width, height }),
    '</g>',
  ].join('\n')
}

interface Line {
  readonly legend: string
  readonly points: QueriedSeries['points']
}

const MARGIN = { left: 62, right: 14, top: 30, bottom: 40 } as const
const Y_TICKS = 4
const X_TICKS = 5

function drawLines(
  lines: readonly Line[],
  unit: string,
  { fromSeconds, toSeconds }: TimeRange,
  { width, height }: { readonly width: number; readonly height: number },
): string {
  const highest = Math.max(...lines.flatMap(({ points }) => points.map(({ value }) => value)))
  const top = niceTop(highest, unit)
  const innerWidth = width - MARGIN.left - MARGIN.right
  const innerHeight = height - MARGIN.top - MARGIN.bottom
  const xOf = (seconds: number): number =>
    MARGIN.left + ((seconds - fromSeconds) / (toSeconds - fromSeconds)) * innerWidth
  const yOf = (value: number): number => MARGIN.top + (1 - Math.max(0, value) / top) * innerHeight
  const yTicks = Array.from({ length: Y_TICKS + 1 }, (_, index) => (top * index) / Y_TICKS)
  const xTicks = Array.from(
    { length: X_TICKS },
    (_, index) => fromSeconds + ((toSeconds - fromSeconds) * index) / (X_TICKS - 1),
  )
  return [
    ...yTicks.map(
      (value) =>
        `<path d="M${MARGIN.left} ${px(yOf(value))}H${width - MARGIN.right}" stroke="#e6e8ec"/>` +
        text(inUnit(value, unit), { x: MARGIN.left - 6, y: yOf(value) + 3, size: 9, anchor: 'end' }),
    ),
    ...xTicks.map((seconds) =>
      text(sinceStart(seconds - fromSeconds), {
        ...{ x: xOf(seconds), y: height - MARGIN.bottom + 14, size: 9, anchor: 'middle' },
      }),
    ),
    ...lines.map(({ points }, index) => {
      const colour = COLOURS[index % COLOURS.length]!
      const path = points.map(({ atSeconds, value }) => `${px(xOf(atSeconds))} ${px(yOf(value))}`).join('L')
      return `<path d="M${path}" fill="none" stroke="${colour}" stroke-width="1.4"/>`
    }),
    drawLegend(lines, width, height - 10),
  ].join('\n')
}

function drawLegend(lines: readonly Line[], width: number, y: number): string {
  const shown = lines.slice(0, lines.length > MAX_LEGENDS ? MAX_LEGENDS - 1 : MAX_LEGENDS)
  const step = (width - 2 * MARGIN.right) / MAX_LEGENDS
  const entries = shown.map(({ legend }, index) => {
    const x = MARGIN.right + index * step
    const colour = COLOURS[index % COLOURS.length]!
    return (
      `<rect x="${px(x)}" y="${y - 5}" width="10" height="3" fill="${colour}"/>` +
      text(shortened(legend, Math.min(LEGEND_CHARACTERS, Math.floor(step / 5.8) - 3)), {
        x: x + 14,
        y,
        size: 9,
      })
    )
  })
  if (shown.length < lines.length)
    entries.push(
      text(`and ${lines.length - shown.length} more`, { x: MARGIN.right + shown.length * step, y, size: 9 }),
    )
  return entries.join('\n')
}

const legendOf = (format: string, labels: Readonly<Record<string, string>>): string =>
  format.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => labels[name] ?? '').trim()

const shortened = (legend: string, characters: number): string =>
  legend.length > characters ? `${legend.slice(0, characters - 1)}…` : legend

/** A top of the axis that its ticks divide evenly, in the unit in which they are written. */
function niceTop(value: number, unit: string): number {
  if (value <= 0) return 1
  const scale =
    unit === 'bytes' ? 1_024 ** Math.floor(Math.log2(value) / 10) : unit === 's' ? longTime(value) : 1
  const power = scale * 10 ** Math.floor(Math.log10(value / scale))
  return power * [1, 2, 4, 6, 8, 10].find((factor) => factor * power >= value * 0.999)!
}

/** A value in a unit of Grafana. */
function inUnit(value: number, unit: string): string {
  if (value === 0) return '0'
  if (unit === 's')
    return value < 1
      ? `${rounded(value * 1_000)} ms`
      : value < 600
        ? `${rounded(value)} s`
        : inLongTime(value)
  if (unit === 'bytes') return inBytes(value)
  return unit === 'reqps'
    ? `${rounded(value)}/s`
    : value >= 10_000
      ? `${rounded(value / 1_000)}k`
      : rounded(value)
}

const longTime = (seconds: number): number => (seconds < 600 ? 1 : seconds < 86_400 ? 3_600 : 86_400)

const inLongTime = (seconds: number): string =>
  seconds < 86_400 ? `${rounded(seconds / 3_600)} h` : `${rounded(seconds / 86_400)} d`

function inBytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(value) / 10)))
  return `${rounded(value / 1_024 ** power)} ${units[power]}`
}

const rounded = (value: number): string => String(Number(value.toPrecision(3)))

const sinceStart = (seconds: number): string =>
  `${Math.floor(Math.round(seconds) / 60)}:${String(Math.round(seconds) % 60).padStart(2, '0')}`

const px = (value: number): string => value.toFixed(1)

interface TextOptions {
  readonly x: number
  readonly y: number
  readonly size: number
  readonly weight?: string
  readonly fill?: string
  readonly anchor?: string
}

function text(
  content: string,
  { x, y, size, weight = 'normal', fill = '#30343b', anchor = 'start' }: TextOptions,
): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text x="${px(x)}" y="${px(y)}" font-size="${size}" font-weight="${weight}" fill="${fill}" text-anchor="${anchor}">${escaped}</text>`
}

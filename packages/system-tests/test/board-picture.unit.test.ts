import { expect, test } from 'vitest'
import { drawBoard } from '../src/board-picture.js'
import type { Panel } from '../src/boards.js'

const panel = (title: string, x: number, unit = 's'): Panel => ({
  title,
  gridPos: { x, y: 0, w: 12, h: 8 },
  fieldConfig: { defaults: { unit } },
  targets: [],
})
const range = { fromSeconds: 100, toSeconds: 220 }
const board = { name: 'b', title: 'Board <1>', panels: [] }

test('a panel has its place, its title, the unit of its axis and a line with its legend', () => {
  const points = [
    { atSeconds: 100, value: 0.1 },
    { atSeconds: 220, value: 0.4 },
  ]
  const series = [{ labels: { lane: 'bulk' }, points }]
  const targets = [{ legendFormat: '{{lane}} p95', series }]
  const svg = drawBoard(board, [{ panel: panel('Time & more', 12), targets }], range)
  expect(svg).toContain('<g transform="translate(512,44)">')
  for (const text of ['Board &lt;1>', 'Time &amp; more', 'bulk p95', '400 ms', '0:00', '2:00'])
    expect(svg).toContain(`>${text}</text>`)
  // From the left end of the axis to its right end, from a quarter of the height to its top.
  expect(svg).toContain('d="M62.0 121.5L482.0 30.0"')
})

test('a panel without a value says so, and more lines than have room in the legend are counted', () => {
  const empty = { legendFormat: 'a', series: [{ labels: {}, points: [] }] }
  expect(drawBoard(board, [{ panel: panel('Empty', 0), targets: [empty] }], range)).toContain('No data')
  const series = Array.from({ length: 6 }, (_, index) => ({
    labels: { n: String(index) },
    points: [{ atSeconds: 100, value: index }],
  }))
  const targets = [{ legendFormat: 'line {{n}}', series }]
  const svg = drawBoard(board, [{ panel: panel('Full', 0, 'short'), targets }], range)
  expect(svg).toContain('>line 2</text>')
  expect(svg).not.toContain('>line 3</text>')
  expect(svg).toContain('>and 3 more</text>')
})

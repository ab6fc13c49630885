/** Where value came from and went to: the picture, and the table that says the same. */
import type { FlowNode, FlowPicture, ReportDocument } from '@cupel/report-document'
import { dataTable } from './parts.js'
import type { Content } from './pdfmake.js'
import { categoryColour, colours, CONTENT_WIDTH, heading, muted, paragraph, sizes } from './style.js'

const NODE_WIDTH = 158
const NODE_HEIGHT = 30
const ROW_HEIGHT = 36
const SUBJECT_WIDTH = 116

export function flowPages({ flow }: ReportDocument): readonly Content[] {
  return [
    heading(flow.title),
    muted(flow.intro, { margin: [0, 0, 0, 6] }),
    ...(flow.picture === null ? [] : [drawing(flow.picture)]),
    ...(flow.rows.length === 0 ? [] : [flowTable(flow)]),
  ]
}

interface Box {
  readonly node: FlowNode
  readonly x: number
  readonly y: number
  readonly width: number
}

/** Sources on the left, destinations on the right, each with a line to the screened address. */
function drawing({ nodes }: FlowPicture): Content {
  const left = nodes.filter(({ side }) => side === 'in')
  const right = nodes.filter(({ side }) => side === 'out')
  const height = Math.max(left.length, right.length, 1) * ROW_HEIGHT
  const column = (ofSide: readonly FlowNode[], x: number, width: number): Box[] =>
    ofSide.map((node, index) => ({
      ...{ node, x, width },
      y: (height - ofSide.length * ROW_HEIGHT) / 2 + index * ROW_HEIGHT,
    }))
  const subject = column(
    nodes.filter(({ side }) => side === 'subject'),
    (CONTENT_WIDTH - SUBJECT_WIDTH) / 2,
    SUBJECT_WIDTH,
  )
  const boxes = [
    ...column(left, 0, NODE_WIDTH),
    ...subject,
    ...column(right, CONTENT_WIDTH - NODE_WIDTH, NODE_WIDTH),
  ]
  const vectors = [...boxes.flatMap((box) => edge(box, subject[0]!)), ...boxes.flatMap(frame)]
  const bottom = { type: 'line', x1: 0, y1: height, x2: 0, y2: height, lineWidth: 0 }
  // Texts are placed over the drawing, from its end upwards, and take no room of their own.
  return {
    unbreakable: true,
    margin: [0, 0, 0, 8],
    stack: [{ canvas: [...vectors, bottom] }, ...boxes.map((box) => nodeText(box, height))],
  }
}

function edge({ node, x, y, width }: Box, subject: Box): readonly object[] {
  if (node.side === 'subject') return []
  const isSource = node.side === 'in'
  const line = {
    type: 'line',
    x1: isSource ? x + width : x,
    y1: y + NODE_HEIGHT / 2,
    x2: isSource ? subject.x : subject.x + subject.width,
    y2: subject.y + NODE_HEIGHT / 2,
    lineWidth: 0.9,
    lineColor: categoryColour(node.category),
  }
  return [node.isIndirect ? { ...line, dash: { length: 3, space: 2 } } : line]
}

function frame({ node, x, y, width }: Box): readonly object[] {
  const isSubject = node.side === 'subject'
  const lineColor = isSubject ? colours.ink : categoryColour(node.category)
  const color = isSubject ? colours.fill : '#FFFFFF'
  return [
    {
      type: 'rect',
      x,
      y,
      w: width,
      h: NODE_HEIGHT,
      r: 3,
      color,
      lineColor,
      lineWidth: isSubject ? 1.4 : 0.9,
    },
  ]
}

function nodeText({ node, x, y, width }: Box, height: number): Content {
  const line = { noWrap: true, fontSize: sizes.small }
  const isCode = /^\S{8}…\S{6}$/.test(node.title)
  return {
    relativePosition: { x: x + 6, y: y + 4 - height },
    layout: 'bare',
    table: {
      widths: [width - 12],
      body: [
        [
          paragraph(node.title, {
            ...line,
            bold: !isCode,
            fontSize: sizes.small + 0.5,
            ...(isCode ? { font: 'code' as const, fontSize: sizes.small } : {}),
          }),
        ],
        [muted(node.detail, line)],
      ],
    },
  }
}

const COLUMNS = [0, 120, 96, 84]

function flowTable(flow: ReportDocument['flow']): Content {
  const directions = [...new Set(flow.rows.map(({ direction }) => direction))]
  return { stack: directions.flatMap((direction) => directionTable(direction, flow)) }
}

/** A table for each series of parts between which no counterparties are listed. */
function directionTable(direction: string, { head, rows }: ReportDocument['flow']): readonly Content[] {
  const own = rows.filter((row) => row.direction === direction)
  const body = own.map(({ text, value, valueUsd, share }) => [text, value, valueUsd, share])
  const details = own.flatMap(({ text, counterparties }) =>
    counterparties === null
      ? []
      : [
          paragraph(`${direction}, ${text}`, { bold: true, margin: [0, 4, 0, 0], headlineLevel: 2 }),
          dataTable(counterparties, [104, 0, 92, 76, 48], { codeColumns: [1], numberColumns: [2, 3, 4] }),
        ],
  )
  return [
    paragraph(direction, { bold: true, fontSize: sizes.lead, margin: [0, 8, 0, 0], headlineLevel: 2 }),
    dataTable({ head, rows: body }, COLUMNS, { numberColumns: [1, 2, 3] }),
    ...details,
  ]
}

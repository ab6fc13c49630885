/** The sources and destinations of value: the picture, and the table with the same content. */
import {
  flowDrawing,
  type FlowBox,
  type FlowLine,
  type FlowPicture,
  type ReportDocument,
} from '@cupel/report-document'
import { dataTable } from './parts.js'
import type { Content } from './pdfmake.js'
import { categoryColour, colours, heading, muted, paragraph, sizes } from './style.js'

export function flowPages({ flow }: ReportDocument): readonly Content[] {
  return [
    heading(flow.title),
    muted(flow.intro, { margin: [0, 0, 0, 6] }),
    ...(flow.picture === null ? [] : [drawing(flow.picture)]),
    ...(flow.rows.length === 0 ? [] : [flowTable(flow)]),
  ]
}

/** The layout of the page's picture, with text in the fonts that each name needs. */
function drawing(picture: FlowPicture): Content {
  const { boxes, lines, height } = flowDrawing(picture)
  const bottom = { type: 'line', x1: 0, y1: height, x2: 0, y2: height, lineWidth: 0 }
  // Texts are placed over the drawing, starting from its end and going up, and take no space.
  return {
    unbreakable: true,
    margin: [0, 0, 0, 8],
    stack: [
      { canvas: [...lines.map(lineVector), ...boxes.map(frame), bottom] },
      ...boxes.map((box) => nodeText(box, height)),
    ],
  }
}

function lineVector({ x1, y1, x2, y2, category, isIndirect }: FlowLine): object {
  const line = { type: 'line', x1, y1, x2, y2, lineWidth: 0.9, lineColor: categoryColour(category) }
  return isIndirect ? { ...line, dash: { length: 3, space: 2 } } : line
}

function frame({ node, x, y, width, height }: FlowBox): object {
  const isSubject = node.side === 'subject'
  return {
    ...{ type: 'rect', x, y, w: width, h: height, r: 3 },
    color: isSubject ? colours.fill : '#FFFFFF',
    lineColor: isSubject ? colours.ink : categoryColour(node.category),
    lineWidth: isSubject ? 1.4 : 0.9,
  }
}

function nodeText({ node, x, y, width }: FlowBox, height: number): Content {
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

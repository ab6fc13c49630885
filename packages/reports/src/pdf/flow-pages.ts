/** The sources and destinations of value: the picture, and the table with the same content. */
import {
  flowDrawing,
  type FlowBox,
  type FlowDrawing,
  type FlowLine,
  type FlowPicture,
  type FlowPoint,
  type ReportDocument,
} from '../document/index.js'
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
  const layout = flowDrawing(picture)
  const { boxes, lines, height } = layout
  const bottom = { type: 'line', x1: 0, y1: height, x2: 0, y2: height, lineWidth: 0 }
  // Texts are placed over the drawing, starting from its end and going up, and take no space.
  return {
    stack: [
      {
        unbreakable: true,
        alt: altOf(picture),
        margin: [0, 0, 0, 4],
        stack: [
          { canvas: [...lines.flatMap(lineVectors), ...boxes.map(frame), bottom] },
          ...boxes.map((box) => nodeText(box, layout)),
        ],
      },
      muted(picture.notes.join(' '), { fontSize: sizes.small, margin: [0, 0, 0, 6] }),
    ],
  }
}

/** What the drawing shows, in the order in which value went. */
const altOf = ({ nodes }: FlowPicture): string =>
  nodes
    .map(({ what, name, value, valueUsd, dates }) =>
      [`${what}: ${name}`, value, valueUsd, dates].filter((text) => text !== '').join(', '),
    )
    .join('. ')

function lineVectors({ points, arrow, width, category, isIndirect }: FlowLine): readonly object[] {
  const lineColor = categoryColour(category)
  // The library moves the points that it is given.
  const line = {
    type: 'polyline',
    points: points.map(copyOf),
    lineWidth: width,
    lineColor,
    strokeOpacity: 0.75,
  }
  const head = { type: 'polyline', points: arrow.map(copyOf), closePath: true, color: lineColor }
  return [isIndirect ? { ...line, dash: { length: 3, space: 2 } } : line, head]
}

const copyOf = ({ x, y }: FlowPoint): FlowPoint => ({ x, y })

function frame({ node, x, y, width, height, radius, stroke, isDashed }: FlowBox): object {
  const isSubject = node.side === 'subject'
  return {
    ...{ type: 'rect', x, y, w: width, h: height, r: radius },
    color: isSubject ? colours.fill : '#FFFFFF',
    lineColor: isSubject ? colours.ink : categoryColour(node.category),
    lineWidth: stroke,
    ...(isDashed ? { dash: { length: 3, space: 2 } } : {}),
  }
}

function nodeText({ node, x, y, width }: FlowBox, { height, text }: FlowDrawing): Content {
  const line = { noWrap: true, fontSize: text.lineSize - 0.5, lineHeight: 1 }
  const isCode = /^\S{8}…\S{6}$/.test(node.title)
  return {
    relativePosition: { x: x + text.x, y: y + 3 - height },
    layout: 'bare',
    table: {
      widths: [width - 2 * text.x],
      body: [
        [
          paragraph(node.title, {
            ...line,
            bold: !isCode,
            fontSize: text.titleSize,
            ...(isCode ? { font: 'code' as const, fontSize: text.titleSize - 1 } : {}),
          }),
        ],
        ...node.lines.map((one) => [muted(one, line)]),
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
          paragraph(`${direction}, ${text}`, {
            tag: 'H4',
            bold: true,
            margin: [0, 4, 0, 0],
            headlineLevel: 2,
          }),
          dataTable(counterparties, [104, 0, 92, 76, 48], { codeColumns: [1], numberColumns: [2, 3, 4] }),
        ],
  )
  return [
    paragraph(direction, {
      tag: 'H3',
      bold: true,
      fontSize: sizes.lead,
      margin: [0, 8, 0, 0],
      headlineLevel: 2,
    }),
    dataTable({ head, rows: body }, COLUMNS, { numberColumns: [1, 2, 3] }),
    ...details,
  ]
}

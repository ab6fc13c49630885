/** Tables and lists of a PDF. */
import type { Field, Table } from '../document/index.js'
import type { Content } from './pdfmake.js'
import { colours, CONTENT_WIDTH, muted, paragraph, sizes, type TextStyle } from './style.js'

/** Fixed widths make long words break; an automatic width would grow with them. Paddings are subtracted. */
function fixedWidths(widths: readonly number[], total: number): readonly number[] {
  const rest = total - widths.reduce((sum, width) => sum + width, 0)
  return widths.map((width, column) => (width === 0 ? rest : width) - (column === 0 ? 4 : 8))
}

/** A table that repeats its head on every page. `widths`: points, with 0 for the remaining width. */
export function dataTable(
  { head, rows }: Table,
  widths: readonly number[],
  { codeColumns = [], numberColumns = [], linkColumn, links = [] }: DataColumns = {},
): Content {
  const styleOf = (column: number): TextStyle => ({
    fontSize: sizes.small + 0.5,
    ...(codeColumns.includes(column) ? { font: 'code' as const, fontSize: sizes.small - 0.5 } : {}),
    ...(numberColumns.includes(column) ? { alignment: 'right' } : {}),
  })
  const linkOf = (row: number, column: number): TextStyle => {
    const link = column === linkColumn ? links[row] : undefined
    return link === undefined ? {} : { link, color: colours.link }
  }
  const heads = head.map((text, column) =>
    muted(text, {
      fontSize: sizes.small,
      bold: true,
      ...(numberColumns.includes(column) ? { alignment: 'right' } : {}),
    }),
  )
  return {
    layout: 'rows',
    margin: [0, 2, 0, 6],
    table: {
      headerRows: 1,
      keepWithHeaderRows: 1,
      dontBreakRows: true,
      widths: fixedWidths(widths, CONTENT_WIDTH),
      body: [
        heads,
        ...rows.map((row, place) =>
          row.map((text, column) => paragraph(text, { ...styleOf(column), ...linkOf(place, column) })),
        ),
      ],
    },
  }
}

export interface DataColumns {
  readonly codeColumns?: readonly number[]
  readonly numberColumns?: readonly number[]
  /** The column whose cells are links. */
  readonly linkColumn?: number
  /** Addresses, one for each row; undefined if a row has no link. */
  readonly links?: readonly (string | undefined)[]
}

const LABEL_WIDTH = 104

/** Names and values, one pair a line, or two pairs side by side. */
export function fieldTable(
  fields: readonly Field[],
  { columns = 1, width = CONTENT_WIDTH }: { columns?: 1 | 2; width?: number } = {},
): Content {
  const pairs = fields.map((field) => [
    muted(field.label, { fontSize: sizes.small + 0.5 }),
    fieldValue(field),
  ])
  const body =
    columns === 1
      ? pairs
      : Array.from({ length: Math.ceil(pairs.length / 2) }, (_, row) => [
          ...pairs[2 * row]!,
          ...(pairs[2 * row + 1] ?? ['', '']),
        ])
  const pair = [LABEL_WIDTH, width / columns - LABEL_WIDTH]
  const widths = fixedWidths(columns === 1 ? pair : [...pair, ...pair], width)
  if (body.length === 0) return ''
  return { layout: 'fields', table: { widths, body, dontBreakRows: true } }
}

function fieldValue({ value, words, isCode, href }: Field): Content {
  return paragraph(words === undefined ? value : `${words}: ${value}`, {
    fontSize: sizes.body,
    ...(isCode === true ? { font: 'code' as const, fontSize: sizes.body - 1 } : {}),
    ...(href === undefined ? {} : { link: href, color: colours.link }),
  })
}

/** Statements, each with a mark. */
export function pointList(texts: readonly string[]): Content {
  return {
    ul: texts.map((text) => paragraph(text, { margin: [0, 1, 0, 1] })),
    markerColor: colours.muted,
    margin: [0, 2, 0, 4],
  }
}

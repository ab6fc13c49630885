/** The PDF of a bulk job as a definition for the library: levels, addresses to look at first, and addresses without a report. */
import type { BulkDocument } from '../document/index.js'
import type { Brand } from './brand.js'
import { framed } from './frame.js'
import { dataTable, fieldTable, pointList } from './parts.js'
import type { Content } from './pdfmake.js'
import { caution, colours, CONTENT_WIDTH, heading, levelColour, muted, paragraph, sizes } from './style.js'

/** Width for an address of 42 characters on one line. */
const WORST_WIDTHS = [34, 182, 34, 40, 34, 0, 74]
const FAILURE_WIDTHS = [34, 190, 0]
const BAR_HEIGHT = 16
/** Narrower slices would be invisible. */
const MIN_SLICE_WIDTH = 2

export function bulkDefinition(document: BulkDocument, brand: Brand | null): object {
  const { title, language, endedAt, headline, cautions, fields, provenance } = document
  return framed({
    ...{ title, language, at: endedAt },
    attachments: [{ name: 'results.json', json: document.results }],
    footer: title,
    brand,
    content: [
      muted(title, { tag: 'H1', fontSize: sizes.body, margin: [0, 0, 0, 8] }),
      paragraph(headline, { fontSize: sizes.verdict, bold: true, margin: [0, 0, 0, 8] }),
      ...cautions.map(caution),
      bar(document),
      dataTable(document.levels.table, [160, 80, 0], { numberColumns: [1] }),
      fieldTable(fields),
      ...worst(document),
      ...grey(document),
      ...failures(document),
      heading(provenance.title),
      fieldTable(provenance.fields),
      pointList(provenance.howToCheck),
    ],
  })
}

/** One slice for each level, with its word and its count in the table below: the colour by itself carries no information. */
function bar({ levels }: BulkDocument): Content {
  const all = levels.slices.reduce((sum, { count }) => sum + count, 0)
  const room = CONTENT_WIDTH - levels.slices.length * MIN_SLICE_WIDTH
  let x = 0
  const canvas = levels.slices.map(({ outcome, count }) => {
    const width = MIN_SLICE_WIDTH + (count / all) * room
    const slice = { type: 'rect', x, y: 0, w: width, h: BAR_HEIGHT, color: sliceColour(outcome) }
    x += width
    return slice
  })
  const gaps = canvas.slice(1).map(({ x: at }) => ({
    ...{ type: 'line', x1: at, y1: 0, x2: at, y2: BAR_HEIGHT },
    ...{ lineWidth: 1.5, lineColor: '#FFFFFF' },
  }))
  return {
    stack: [
      heading(levels.title),
      muted(levels.intro),
      { canvas: [...canvas, ...gaps], margin: [0, 4, 0, 4] },
    ],
  }
}

/** Addresses without a report are lighter than every level. */
const sliceColour = (outcome: string): string =>
  outcome === 'failed' || outcome === 'cancelled' ? colours.line : levelColour(outcome)

function worst({ worst: { title, intro, table, more } }: BulkDocument): readonly Content[] {
  return [
    heading(title),
    muted(intro),
    ...(table === null
      ? []
      : [
          dataTable(table, WORST_WIDTHS, {
            codeColumns: [1, 6],
            numberColumns: [4],
            linkColumn: 6,
            links: table.links,
          }),
        ]),
    ...(more === null ? [] : [muted(more)]),
  ]
}

function grey({ grey: reasons }: BulkDocument): readonly Content[] {
  if (reasons === null) return []
  return [
    heading(reasons.title),
    muted(reasons.intro),
    dataTable(reasons.table, [0, 70], { numberColumns: [1] }),
  ]
}

function failures({ failures: failed }: BulkDocument): readonly Content[] {
  if (failed === null) return []
  return [
    heading(failed.title),
    dataTable(failed.reasons, [220, 70, 0], { numberColumns: [1] }),
    dataTable(failed.items, FAILURE_WIDTHS, { codeColumns: [1] }),
    ...(failed.more === null ? [] : [muted(failed.more)]),
  ]
}

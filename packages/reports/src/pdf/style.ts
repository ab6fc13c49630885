/** The typographic scale and palette of a PDF. A colour never carries information that a word next to it does not. */
import type { FontName } from './fonts.js'
import type { Content } from './pdfmake.js'
import { textRuns } from './text-runs.js'

/** A4, points. */
export const PAGE_WIDTH = 595.28
export const MARGIN = 46
export const CONTENT_WIDTH = PAGE_WIDTH - 2 * MARGIN

export const sizes = { small: 7, body: 8.5, lead: 10, heading: 13, verdict: 16 } as const

export const colours = {
  ink: '#1B2430',
  muted: '#5B6675',
  line: '#D3D9E0',
  fill: '#F2F4F7',
  link: '#1D4E89',
} as const

/** People who cannot tell red from green can distinguish these: they differ in lightness. */
const levelColours: Readonly<Record<string, string>> = {
  red: '#A3161A',
  orange: '#B85C00',
  green: '#1D7A5F',
  grey: '#5B6675',
}

export const levelColour = (level: string): string => levelColours[level] ?? colours.muted

const categoryColours: Readonly<Record<string, string>> = {
  sanctions: '#A3161A',
  darknet: '#5B2A86',
  mixer: '#8A4B08',
  scam: '#B85C00',
  stolen: '#7A1F4B',
  clean_exchange: '#1D7A5F',
}

export const categoryColour = (category: string): string => categoryColours[category] ?? colours.muted

export interface TextStyle {
  readonly font?: FontName
  readonly [name: string]: unknown
}

/** A paragraph of text in any script. */
export function paragraph(text: string, { font = 'text', ...style }: TextStyle = {}): Content {
  const runs = textRuns(text, font).map((run) => ({ text: run.text, font: run.font }))
  return { text: runs.length === 0 ? '' : runs, ...style }
}

export const heading = (text: string): Content =>
  paragraph(text, { fontSize: sizes.heading, bold: true, margin: [0, 14, 0, 4], headlineLevel: 1, tag: 'H2' })

export const muted = (text: string, style: TextStyle = {}): Content =>
  paragraph(text, { color: colours.muted, ...style })

/** A box that a reader must not miss. */
export const caution = (text: string): Content => ({
  layout: 'bare',
  margin: [0, 2, 0, 2],
  table: {
    widths: [3, CONTENT_WIDTH - 3],
    body: [[{ text: '', fillColor: colours.ink }, paragraph(text, { bold: true, margin: [8, 2, 0, 2] })]],
  },
})

const hairline = (index: number, { table }: { table: { body: unknown[] } }): number =>
  index === 0 || index === table.body.length ? 0 : 0.5

/** Lines between rows only. */
export const tableLayouts = {
  rows: {
    hLineWidth: hairline,
    vLineWidth: () => 0,
    hLineColor: () => colours.line,
    paddingLeft: (column: number) => (column === 0 ? 0 : 4),
    paddingRight: () => 4,
    paddingTop: () => 2.2,
    paddingBottom: () => 2.2,
  },
  fields: {
    hLineWidth: () => 0,
    vLineWidth: () => 0,
    paddingLeft: (column: number) => (column === 0 ? 0 : 4),
    paddingRight: () => 4,
    paddingTop: () => 1.2,
    paddingBottom: () => 1.2,
  },
  bare: {
    hLineWidth: () => 0,
    vLineWidth: () => 0,
    paddingLeft: () => 0,
    paddingRight: () => 0,
    paddingTop: () => 0,
    paddingBottom: () => 0,
  },
}

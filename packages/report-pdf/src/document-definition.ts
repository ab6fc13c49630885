/** The whole PDF as the library takes it: PDF/A-3b with the report itself attached, and nothing that depends on when it is made. */
import type { ReportDocument } from '@cupel/report-document'
import { evidencePages } from './evidence-pages.js'
import { flowPages } from './flow-pages.js'
import { dataTable, fieldTable, pointList } from './parts.js'
import type { Content } from './pdfmake.js'
import { colours, heading, MARGIN, muted, paragraph, sizes } from './style.js'
import { verdictPage } from './verdict-page.js'

/** `json`: the report as it is stored, attached as it is. */
export function documentDefinition(document: ReportDocument, json: string): object {
  const date = new Date(document.generatedAt)
  return {
    version: '1.7',
    subset: 'PDF/A-3b',
    // The output of a compressor differs between machines and versions; the bytes of a report must not.
    compress: false,
    language: document.language,
    displayTitle: true,
    info: {
      title: document.title,
      creator: 'Cupel',
      producer: 'Cupel',
      creationDate: date,
      modDate: date,
    },
    files: { 'report.json': attachment(json, date) },
    pageSize: 'A4',
    pageMargins: [MARGIN, 44, MARGIN, 46],
    defaultStyle: { font: 'text', fontSize: sizes.body, color: colours.ink, lineHeight: 1.12 },
    content: [
      ...verdictPage(document),
      { text: '', pageBreak: 'after' },
      ...evidencePages(document),
      ...flowPages(document),
      ...closingPages(document),
    ],
    footer: (page: number, pages: number) => footer(document, page, pages),
  }
}

const attachment = (json: string, date: Date): object => ({
  src: `data:application/json;base64,${Buffer.from(json).toString('base64')}`,
  name: 'report.json',
  type: 'application/json',
  relationship: 'Source',
  creationDate: date,
  modifiedDate: date,
})

function closingPages({ facts, provenance }: ReportDocument): readonly Content[] {
  return [
    heading(facts.title),
    fieldTable(facts.fields, { columns: 2 }),
    heading(provenance.title),
    fieldTable(provenance.fields),
    paragraph(provenance.listsTitle, { bold: true, fontSize: sizes.lead, margin: [0, 8, 0, 0] }),
    dataTable(provenance.lists, [0, 78, 44, 62, 94, 48, 66], { numberColumns: [5] }),
    pointList(provenance.howToCheck),
  ]
}

function footer({ title, verdict }: ReportDocument, page: number, pages: number): Content {
  const style = { fontSize: sizes.small }
  return {
    margin: [MARGIN, 14, MARGIN, 0],
    columns: [
      { width: '*', ...(muted(`${title}: ${verdict.levelWord}, ${verdict.score}`, style) as object) },
      { width: 60, ...(muted(`${page} / ${pages}`, { ...style, alignment: 'right' }) as object) },
    ],
  }
}

/** The PDF of an audit as a definition for the library, with its statement attached. */
import { STATEMENT_NAME, type AuditDocument } from '../document/index.js'
import { framed } from './frame.js'
import { dataTable, fieldTable, pointList } from './parts.js'
import type { Content } from './pdfmake.js'
import { caution, heading, muted, paragraph, sizes } from './style.js'

const COUNT_WIDTHS = [0, 80, 80, 80, 90, 90]
/** Width for a report id of 16 characters on one line. */
const FINDING_WIDTHS = [76, 32, 58, 132, 0]
const FRONT_WIDTHS = [0, 120]
const VERSION_WIDTHS = [70, 0, 90]
const READ_WIDTHS = [0, 80, 100]

/** `json`: the statement as attached. */
export function auditDefinition(document: AuditDocument, json: string): object {
  const { title, language, madeAt, headline, cautions, asked, counts, read, provenance } = document
  return framed({
    brand: null,
    ...{ title, language, at: madeAt },
    attachments: [{ name: STATEMENT_NAME, json }],
    footer: title,
    content: [
      muted(title, { tag: 'H1', fontSize: sizes.body, margin: [0, 0, 0, 8] }),
      paragraph(headline, { fontSize: sizes.verdict, bold: true, margin: [0, 0, 0, 8] }),
      ...cautions.map(caution),
      heading(counts.title),
      dataTable(counts.body, COUNT_WIDTHS, { numberColumns: [1, 2, 3, 4, 5] }),
      fieldTable(counts.fields),
      pointList(counts.meaning),
      heading(asked.title),
      fieldTable(asked.body),
      ...fronts(document),
      ...findings(document),
      ...versions(document),
      heading(read.title),
      dataTable(read.body, READ_WIDTHS, { numberColumns: [1, 2] }),
      heading(provenance.title),
      fieldTable(provenance.body),
      pointList(document.howToCheck),
    ],
  })
}

function findings({ findings: { title, none, body, more } }: AuditDocument): readonly Content[] {
  return [
    heading(title),
    body === null ? paragraph(none) : dataTable(body, FINDING_WIDTHS, { codeColumns: [0, 3] }),
    ...more.map((text) => muted(text)),
  ]
}

function fronts({ fronts: missing }: AuditDocument): readonly Content[] {
  if (missing === null) return []
  return [
    heading(missing.title),
    muted(missing.intro),
    dataTable(missing.body, FRONT_WIDTHS, { numberColumns: [1] }),
  ]
}

function versions({ versions: { title, body } }: AuditDocument): readonly Content[] {
  return body === null ? [] : [heading(title), dataTable(body, VERSION_WIDTHS, { numberColumns: [2] })]
}

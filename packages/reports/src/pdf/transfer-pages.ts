/** The transfer whose counterparty the report is about, at the beginning of its evidence. */
import type { ReportDocument } from '../document/index.js'
import { dataTable, fieldTable, pointList } from './parts.js'
import type { Content } from './pdfmake.js'
import { heading, paragraph, sizes } from './style.js'

/** Nothing for a report of an address that was screened by itself. */
export function transferPages({ transfer }: ReportDocument): readonly Content[] {
  if (transfer === null) return []
  const { title, headline, reasons, fields, fundsTitle, funds } = transfer
  const bold = { bold: true, fontSize: sizes.lead, margin: [0, 8, 0, 0] }
  return [
    heading(title),
    paragraph(headline, bold),
    pointList(reasons.map(({ text }) => text)),
    fieldTable(fields),
    ...(funds === null
      ? []
      : [
          paragraph(fundsTitle, { ...bold, tag: 'H3' }),
          dataTable(funds, [0, 120, 80, 140], { numberColumns: [2, 3] }),
        ]),
  ]
}

/** The case of a report, as an appendix to its PDF. */
import type { CaseDocument, CaseEntryText } from '@cupel/report-document'
import { fieldTable } from './parts.js'
import type { Content } from './pdfmake.js'
import { caution, heading, muted, paragraph, sizes } from './style.js'

export function casePages(document: CaseDocument): readonly Content[] {
  const { appendixTitle, intro, fields, pending, historyTitle, entries, none } = document
  return [
    { text: '', pageBreak: 'after' },
    heading(appendixTitle),
    muted(intro),
    fieldTable(fields, { columns: 2 }),
    ...(pending === null ? [] : [caution(pending)]),
    ...(entries.length === 0 ? [paragraph(none)] : [heading(historyTitle), ...entries.flatMap(entryOf)]),
  ]
}

/** Not in a table, because a long note continues on the next page. */
function entryOf({ head, lines }: CaseEntryText): readonly Content[] {
  return [
    muted(head, { fontSize: sizes.small + 0.5, bold: true, margin: [0, 8, 0, 2] }),
    ...lines.map((line) => paragraph(line === '' ? ' ' : line)),
  ]
}

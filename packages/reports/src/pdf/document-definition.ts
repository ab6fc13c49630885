/** The PDF of a report as a definition for the library, with the report itself attached. */
import type { CaseDocument, ReportDocument } from '../document/index.js'
import type { Brand } from './brand.js'
import { casePages } from './case-pages.js'
import { evidencePages } from './evidence-pages.js'
import { flowPages } from './flow-pages.js'
import { framed } from './frame.js'
import { dataTable, fieldTable, pointList } from './parts.js'
import type { Content } from './pdfmake.js'
import { heading, paragraph, sizes } from './style.js'
import { transferPages } from './transfer-pages.js'
import { verdictPage } from './verdict-page.js'

/** A case to print after the report, and its text to attach. */
export interface Appendix {
  readonly document: CaseDocument
  readonly json: string
}

/** `json`: the stored report, attached unchanged. */
export function documentDefinition(
  document: ReportDocument,
  json: string,
  {
    appendix = null,
    brand = null,
  }: { readonly appendix?: Appendix | null; readonly brand?: Brand | null } = {},
): object {
  const { title, language, generatedAt, verdict } = document
  return framed({
    ...{ title, language, at: generatedAt },
    attachments: [
      { name: 'report.json', json },
      ...(appendix === null ? [] : [{ name: 'case.json', json: appendix.json }]),
    ],
    footer: `${title}: ${[verdict.levelWord, verdict.score].filter((text) => text !== '').join(', ')}`,
    brand,
    content: [
      ...verdictPage(document),
      { text: '', pageBreak: 'after' },
      ...transferPages(document),
      ...flowPages(document),
      ...evidencePages(document),
      ...closingPages(document),
      ...(appendix === null ? [] : casePages(appendix.document)),
    ],
  })
}

function closingPages({ facts, provenance }: ReportDocument): readonly Content[] {
  return [
    heading(facts.title),
    fieldTable(facts.fields, { columns: 2 }),
    heading(provenance.title),
    fieldTable(provenance.fields),
    paragraph(provenance.listsTitle, { tag: 'H3', bold: true, fontSize: sizes.lead, margin: [0, 8, 0, 0] }),
    dataTable(provenance.lists, [0, 78, 44, 62, 94, 48, 66], { numberColumns: [5] }),
    pointList(provenance.howToCheck),
  ]
}

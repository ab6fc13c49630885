/** The PDF of the dossier of a case as a definition for the library, with everything that it shows attached. */
import { dossierEn as words, type DossierDocument } from '../document/index.js'
import type { Brand } from './brand.js'
import { caseParts } from './case-pages.js'
import { framed } from './frame.js'
import { dataTable, fieldTable, pointList } from './parts.js'
import type { Content } from './pdfmake.js'
import { heading, muted, paragraph, sizes } from './style.js'

const FILE_WIDTHS = [30, 0, 34, 44, 130, 76, 84]

/** `json`: what the document was made of. */
export function dossierDefinition(
  document: DossierDocument,
  { json, brand }: { readonly json: string; readonly brand: Brand | null },
): object {
  const { title, language, at, intro, subject, files, reportsIntro, reports } = document
  return framed({
    ...{ title, language, at, brand },
    attachments: [{ name: 'dossier.json', json }],
    footer: title,
    content: [
      paragraph(title, { tag: 'H1', fontSize: sizes.verdict, bold: true, margin: [0, 0, 0, 6] }),
      muted(intro),
      heading(words.subject),
      fieldTable(subject),
      heading(words.history),
      ...caseParts(document.case, 'dossier.json'),
      heading(words.files),
      ...(files === null
        ? [paragraph(words.noFiles)]
        : [dataTable(files, FILE_WIDTHS, { codeColumns: [4], numberColumns: [3] })]),
      heading(words.reports),
      muted(reportsIntro),
      ...reports.flatMap(sectionOf),
      heading(words.proofs),
      pointList(words.howToCheck),
    ],
  })
}

function sectionOf(section: DossierDocument['reports'][number]): readonly Content[] {
  const listed = (title: string, texts: readonly string[]): readonly Content[] =>
    texts.length === 0
      ? []
      : [paragraph(title, { tag: 'H4', bold: true, margin: [0, 6, 0, 0] }), pointList(texts)]
  return [
    paragraph(section.title, { tag: 'H3', bold: true, fontSize: sizes.lead, margin: [0, 12, 0, 2] }),
    paragraph(section.headline),
    fieldTable(section.fields),
    ...listed(words.reasons, section.reasons.length === 0 ? [words.noReasons] : section.reasons),
    ...listed(words.unknown, section.unknown),
    ...listed(words.decisions, section.decisions),
  ]
}

/** The case of a report, as an appendix to its PDF. */
import type { CaseDocument, CaseEntryText } from '../document/index.js'
import { fieldTable } from './parts.js'
import type { Content } from './pdfmake.js'
import { caution, heading, muted, paragraph, sizes } from './style.js'

export function casePages(document: CaseDocument): readonly Content[] {
  return [
    { text: '', pageBreak: 'after' },
    heading(document.appendixTitle),
    ...caseParts(document, 'case.json'),
  ]
}

/** `attachment`: the attached file that has every entry. */
export function caseParts(document: CaseDocument, attachment: string): readonly Content[] {
  const shown = shownOf(document.entries)
  const { intro, fields, pending, historyTitle, entries, none } = document
  return [
    muted(intro),
    fieldTable(fields, { columns: 2 }),
    ...(pending === null ? [] : [caution(pending)]),
    ...(entries.length === 0 ? [paragraph(none)] : [heading(historyTitle), ...shown.flatMap(entryOf)]),
    ...(shown.length === entries.length
      ? []
      : [
          caution(
            `These are the first ${shown.length} of ${entries.length} entries. All of them are in the attached ${attachment}.`,
          ),
        ]),
  ]
}

/** Characters of a history that are laid out: at most three seconds of a processor, in any script. */
const MAX_SHOWN_CHARACTERS = 30_000
/** A line costs about as much as these characters, also an empty one. */
const CHARACTERS_OF_LINE = 80

/** The first entries. Without a bound the notes of one case could take all the time of a thread. */
function shownOf(entries: readonly CaseEntryText[]): readonly CaseEntryText[] {
  let left = MAX_SHOWN_CHARACTERS
  const end = entries.findIndex(({ head, lines }) => {
    left -= [head, ...lines].reduce((sum, line) => sum + line.length + CHARACTERS_OF_LINE, 0)
    return left < 0
  })
  return end === -1 ? entries : entries.slice(0, end)
}

/** Not in a table, because a long note continues on the next page. */
function entryOf({ head, lines }: CaseEntryText): readonly Content[] {
  return [
    muted(head, { fontSize: sizes.small + 0.5, bold: true, margin: [0, 8, 0, 2] }),
    ...lines.map((line) => paragraph(line === '' ? ' ' : line)),
  ]
}

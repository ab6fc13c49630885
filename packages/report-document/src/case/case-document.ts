/** The case of a report in words, for the appendix of its PDF and for its page. */
import type { CaseEntry, CasePerson, ReportCase } from '@cupel/contracts'
import type { Field } from '../document.js'
import { dateText, nameOf, visibleText } from '../writing.js'
import { caseEn as words } from './strings.en.js'

export interface CaseEntryText {
  /** Number, time, person, and action. */
  readonly head: string
  /** The same without the number. */
  readonly what: string
  /** The note, or the reason. */
  readonly lines: readonly string[]
}

export interface CaseDocument {
  readonly title: string
  readonly appendixTitle: string
  readonly intro: string
  readonly fields: readonly Field[]
  /** The decision that waits for a second person; null if there is none. */
  readonly pending: string | null
  readonly historyTitle: string
  /** Oldest first. */
  readonly entries: readonly CaseEntryText[]
  /** Shown instead of the entries if there are none. */
  readonly none: string
}

export function caseDocument(reportCase: ReportCase): CaseDocument {
  const { disposition, version, opened_at, changed_at, proposal, history } = reportCase
  const times = [
    ...(opened_at === null ? [] : [{ label: words.opened, value: dateText(opened_at) }]),
    ...(changed_at === null ? [] : [{ label: words.changed, value: dateText(changed_at) }]),
  ]
  return {
    ...{ title: words.title, appendixTitle: words.appendixTitle, intro: words.intro, none: words.none },
    fields: [
      { label: words.disposition, value: dispositionText(disposition) },
      { label: words.version, value: String(version) },
      ...times,
    ],
    pending:
      proposal === null
        ? null
        : words.pending(
            dispositionText(proposal.disposition),
            personText(proposal.by),
            dateText(proposal.at),
          ),
    historyTitle: words.history,
    entries: history.map(entryText),
  }
}

export const dispositionText = (disposition: string | null): string =>
  disposition === null ? words.noDisposition : nameOf(words.dispositions, disposition)

const personText = ({ key_id, person }: CasePerson): string => visibleText(person ?? words.key(key_id))

function entryText(entry: CaseEntry): CaseEntryText {
  const what = words.entry(dateText(entry.at), personText(entry.by), whatOf(entry))
  return {
    head: `${entry.version}. ${what}`,
    what,
    lines: entry.text.split(/\r?\n/).map(visibleText),
  }
}

function whatOf({ kind, disposition, previous_disposition, proposal_version }: CaseEntry): string {
  const named = dispositionText(disposition)
  switch (kind) {
    case 'note':
      return words.note
    case 'disposition_proposed':
      return words.proposed(named)
    case 'proposal_declined':
      return words.declined(named, proposal_version ?? 0)
    case 'disposition_changed':
      if (proposal_version !== null) return words.confirmed(named, proposal_version)
      return previous_disposition === null
        ? words.set(named)
        : words.changedFrom(dispositionText(previous_disposition), named)
    default:
      // A kind from a later version.
      return visibleText(kind)
  }
}

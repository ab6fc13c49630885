/** The case of a report in words, for the appendix of its PDF and for its page. */
import type { CaseAssignee, CaseEntry, CaseFileDocument, CasePerson, ReportCase } from '@cupel/contracts'
import type { Field } from '../document.js'
import { grouped } from '../counting.js'
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
      { label: words.assignee, value: assigneeText(reportCase.assignee) },
      { label: words.due, value: reportCase.due_on ?? words.noDay },
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

/** The person, else the name that the key had, else its id. */
export const personText = ({ key_id, person, key_name }: CasePerson): string =>
  visibleText(person ?? key_name ?? words.key(key_id))

/** Who left is named with that. */
export function assigneeText(assignee: CaseAssignee | null | undefined): string {
  if (assignee === null || assignee === undefined) return words.nobody
  const name = personText(assignee)
  return assignee.has_left === true ? words.left(name) : name
}

/** Name, type, size and hash of a file in words. */
export const fileText = ({ name, media_type, bytes, sha256 }: CaseFileDocument): string =>
  words.file(visibleText(name), nameOf(words.types, media_type), grouped(bytes), sha256)

function entryText(entry: CaseEntry): CaseEntryText {
  const what = words.entry(dateText(entry.at), personText(entry.by), whatOf(entry))
  return {
    head: `${entry.version}. ${what}`,
    what,
    lines: [
      ...(entry.file === undefined ? [] : [fileText(entry.file)]),
      ...(entry.text === '' && entry.kind !== 'note' ? [] : entry.text.split(/\r?\n/).map(visibleText)),
    ],
  }
}

function whatOf(entry: CaseEntry): string {
  const { kind, disposition, previous_disposition, proposal_version } = entry
  const named = dispositionText(disposition)
  switch (kind) {
    case 'note':
      return words.note
    case 'assigned':
      return words.assigned(assigneeText(entry.assignee), entry.due_on ?? null)
    case 'file_attached':
      return words.attached
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

/** The case of a report as the API answers it, made of proven entries. */
import { stateAfter, reportCaseSchema, type CaseEntry, type Report, type ReportCase } from '@cupel/contracts'
import { ERASED } from '@cupel/personal-data'
import type { ProvenEntry } from '../../transparency/index.js'

/**
 * Whether this is the text of the case after one of its entries. No entry states whether a second person was needed: the text says that
 * itself, and it proves nothing.
 */
export function isProvenCase(caseText: string, report: string, entries: readonly ProvenEntry[]): boolean {
  const shown = caseIn(caseText)
  if (shown === null) return false
  const covered = entries.slice(0, shown.version)
  return (
    covered.length > 0 && caseText === JSON.stringify(caseOf(shown, JSON.parse(report) as Report, covered))
  )
}

/** The text is of anybody who made the PDF. */
function caseIn(text: string): ReportCase | null {
  try {
    return reportCaseSchema.parse(JSON.parse(text))
  } catch {
    // The caller says that it is not a case.
    return null
  }
}

function caseOf(
  { needs_second_person, history: shown, assignee }: ReportCase,
  { report_id, address, chain, risk: { level, score } }: Report,
  entries: readonly ProvenEntry[],
): ReportCase {
  const history = entries.map((entry, at) => entryOf(entry, shown[at]))
  let state: Parameters<typeof stateAfter>[1]
  for (const entry of entries) {
    const [disposition, proposalVersion] = stateAfter(entry, state)
    state = { disposition, proposalVersion }
  }
  const pending = history.find(({ version }) => version === state?.proposalVersion)
  return {
    ...{ report_id, address, chain, level, score, disposition: state!.disposition, version: history.length },
    needs_second_person,
    proposal:
      pending === undefined
        ? null
        : {
            ...{ disposition: pending.disposition!, reason: pending.text, by: pending.by, at: pending.at },
            version: pending.version,
          },
    // An earlier version shows no assignment, and knows no entry that makes one.
    ...(assignee === undefined && !history.some(({ kind }) => kind === 'assigned') ? {} : planOf(history)),
    ...{ opened_at: history[0]!.at, changed_at: history.at(-1)!.at, history },
  }
}

/** Assignee and day of the last entry that set them. */
function planOf(history: readonly CaseEntry[]): Pick<ReportCase, 'assignee' | 'due_on'> {
  const last = history.findLast(({ kind }) => kind === 'assigned')
  return { assignee: last?.assignee ?? null, due_on: last?.due_on ?? null }
}

/** A proof has no name for an erased person, as for nobody. */
function entryOf(entry: ProvenEntry, shown: CaseEntry | undefined): CaseEntry {
  const { version, kind, at, keyId: key_id, text, disposition, previousDisposition, proposalVersion } = entry
  const person = entry.person ?? (shown?.by.person === ERASED ? ERASED : null)
  return {
    ...{
      version,
      kind,
      at,
      by: { key_id, person, ...named(entry, 'key_name') },
      text: text ?? ERASED,
      disposition,
    },
    ...{ previous_disposition: previousDisposition, proposal_version: proposalVersion },
    ...assignmentOf(entry),
    ...fileOf(entry),
  }
}

/** Null: it was erased. */
const shownText = (value: unknown): string => (typeof value === 'string' ? value : ERASED)

/** The name of a key, if the entry has one. */
const named = ({ details }: ProvenEntry, member: string): { readonly key_name?: string } =>
  details[member] === undefined ? {} : { key_name: shownText(details[member]) }

function assignmentOf(entry: ProvenEntry): Pick<CaseEntry, 'assignee' | 'due_on'> {
  const { kind, details } = entry
  if (kind !== 'assigned') return {}
  const due_on = details['due_on'] as string | null
  const key_id = details['assignee_key'] as string | null
  if (key_id === null) return { assignee: null, due_on }
  const person = 'assignee_person' in details ? shownText(details['assignee_person']) : null
  return { assignee: { key_id, person, ...named(entry, 'assignee_key_name') }, due_on }
}

function fileOf({ kind, details }: ProvenEntry): Pick<CaseEntry, 'file'> {
  if (kind !== 'file_attached') return {}
  return {
    file: {
      ...{ name: shownText(details['file_name']), media_type: String(details['file_type']) },
      ...{ bytes: Number(details['file_bytes']), sha256: shownText(details['file_sha256']) },
      content_sha256: String(details['content_sha256']),
    },
  }
}

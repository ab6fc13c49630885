/** The case of a report as the API answers it, made of proven entries. */
import { stateAfter } from '@cupel/cases'
import { reportCaseSchema, type CaseEntry, type Report, type ReportCase } from '@cupel/contracts'
import { ERASED } from '@cupel/personal-data'
import type { ProvenEntry } from '@cupel/transparency'

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
  { needs_second_person, history: shown }: ReportCase,
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
    ...{ opened_at: history[0]!.at, changed_at: history.at(-1)!.at, history },
  }
}

/** A proof has no name for an erased person, as for nobody. */
function entryOf(entry: ProvenEntry, shown: CaseEntry | undefined): CaseEntry {
  const { version, kind, at, keyId: key_id, text, disposition, previousDisposition, proposalVersion } = entry
  const person = entry.person ?? (shown?.by.person === ERASED ? ERASED : null)
  return {
    ...{ version, kind, at, by: { key_id, person }, text: text ?? ERASED, disposition },
    ...{ previous_disposition: previousDisposition, proposal_version: proposalVersion },
  }
}

/** A stored case as the API returns it. The same case gives the same document at any moment. */
import type { StoredCase, StoredEntry } from '../index.js'
import type { ReportFacts } from '@cupel/projections'
import type {
  Assignment,
  CaseAssignee,
  CaseEntry,
  CasePerson,
  CaseSummary,
  ReportCase,
} from '@cupel/contracts'
import { needsSecondPerson } from '@cupel/domain'

export function summaryDocument(stored: StoredCase, levels: readonly string[]): CaseSummary {
  const { proposal, assignment } = stored
  return {
    report_id: stored.reportId,
    address: stored.address,
    chain: stored.chain,
    level: stored.level,
    score: stored.score,
    disposition: stored.disposition,
    version: stored.version,
    needs_second_person: needsSecondPerson(levels, stored.level),
    proposal:
      proposal === null
        ? null
        : {
            disposition: proposal.disposition!,
            reason: proposal.text,
            by: personDocument(proposal),
            at: proposal.madeAt,
            version: proposal.version,
          },
    assignee: assignment.assignee === null ? null : assigneeDocument(assignment.assignee),
    due_on: assignment.dueOn,
    opened_at: stored.openedAt,
    changed_at: stored.changedAt,
  }
}

/** `stored`: null if no person has worked on the report. */
export function caseDocument(
  facts: ReportFacts,
  stored: { readonly summary: StoredCase; readonly history: readonly StoredEntry[] } | null,
  levels: readonly string[],
): ReportCase {
  if (stored !== null)
    return { ...summaryDocument(stored.summary, levels), history: stored.history.map(entryDocument) }
  return {
    report_id: facts.reportId,
    ...{ address: facts.address, chain: facts.chain, level: facts.level, score: facts.score },
    ...{ disposition: null, version: 0, needs_second_person: needsSecondPerson(levels, facts.level) },
    ...{ proposal: null, assignee: null, due_on: null, opened_at: null, changed_at: null, history: [] },
  }
}

export function entryDocument(entry: StoredEntry): CaseEntry {
  return {
    version: entry.version,
    kind: entry.kind,
    at: entry.madeAt,
    by: personDocument(entry),
    text: entry.text,
    disposition: entry.disposition,
    previous_disposition: entry.previousDisposition,
    proposal_version: entry.proposalVersion,
    ...assignmentDocument(entry.assignment),
    ...fileDocument(entry.file),
  }
}

function assignmentDocument(assignment: Assignment | null): Pick<CaseEntry, 'assignee' | 'due_on'> {
  if (assignment === null) return {}
  const { assignee, dueOn } = assignment
  return { assignee: assignee === null ? null : assigneeDocument(assignee), due_on: dueOn }
}

function fileDocument(file: StoredEntry['file']): Pick<CaseEntry, 'file'> {
  if (file === null) return {}
  const { name, mediaType: media_type, bytes, sha256, contentSha256: content_sha256 } = file
  return { file: { name, media_type, bytes, sha256, content_sha256 } }
}

const named = (keyName: string): { readonly key_name?: string } =>
  keyName === '' ? {} : { key_name: keyName }

const personDocument = ({ keyId, keyName, actor }: StoredEntry): CasePerson => ({
  key_id: keyId,
  person: actor === '' ? null : actor,
  ...named(keyName),
})

export const assigneeDocument = ({
  keyId,
  name,
  subject,
}: NonNullable<Assignment['assignee']>): CaseAssignee =>
  subject === '' ? { key_id: keyId, person: null, ...named(name) } : { key_id: keyId, person: name }

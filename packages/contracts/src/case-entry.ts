/** An entry of a case as its event records it, and as its leaf in the transparency log proves it. */
import type { EntryKind } from './case.js'
import type { DomainEvent } from './events.js'
import type { EventData } from './generated/events.js'

export const caseEventTypes = [
  'ReportNoteAdded',
  'DispositionProposed',
  'DispositionProposalDeclined',
  'DispositionChanged',
] as const
export type CaseEventType = (typeof caseEventTypes)[number]

/** An entry as its event records it. */
export interface RecordedEntry {
  readonly reportId: string
  readonly accountId: string
  readonly livemode: boolean
  readonly version: number
  readonly kind: EntryKind
  readonly text: string
  readonly disposition: string | null
  readonly previousDisposition: string | null
  readonly proposalVersion: number | null
  readonly madeAt: string
  readonly keyId: string
  readonly actor: string
  readonly subject: string
}

export function recordedEntry({ type, data }: DomainEvent<CaseEventType>): RecordedEntry {
  const { reportId, accountId, livemode, version, actor, subject } = data
  const base = {
    reportId,
    accountId,
    livemode,
    version,
    actor,
    subject,
    previousDisposition: null,
    proposalVersion: null,
  }
  if (type === 'ReportNoteAdded') {
    const { text, addedAt, addedBy } = data as EventData['ReportNoteAdded']
    return { ...base, kind: 'note', text, disposition: null, madeAt: addedAt, keyId: addedBy }
  }
  const { disposition, reason: text } = data as EventData['DispositionProposed']
  if (type === 'DispositionProposed') {
    const { proposedAt: madeAt, proposedBy: keyId } = data as EventData['DispositionProposed']
    return { ...base, kind: 'disposition_proposed', text, disposition, madeAt, keyId }
  }
  if (type === 'DispositionProposalDeclined') {
    const { proposalVersion, declinedAt, declinedBy } = data as EventData['DispositionProposalDeclined']
    const declined = { proposalVersion, madeAt: declinedAt, keyId: declinedBy }
    return { ...base, kind: 'proposal_declined', text, disposition, ...declined }
  }
  const { previousDisposition, proposalVersion, changedAt, changedBy } =
    data as EventData['DispositionChanged']
  return {
    ...{ ...base, kind: 'disposition_changed', text, disposition, madeAt: changedAt, keyId: changedBy },
    previousDisposition: previousDisposition === '' ? null : previousDisposition,
    proposalVersion: (proposalVersion ?? 0) === 0 ? null : proposalVersion,
  }
}

/** The text of an entry that its leaf has the hash of, with sealed texts as they are stored. No report begins like it. */
export function caseEntryText(entry: RecordedEntry): string {
  const { reportId, version, kind, madeAt, keyId, actor, subject, text } = entry
  const { disposition, previousDisposition, proposalVersion } = entry
  return JSON.stringify([
    'cupel-case-entry-1',
    {
      ...{ report_id: reportId, version, kind, at: madeAt, key_id: keyId, person: actor, subject, text },
      ...{ disposition, previous_disposition: previousDisposition, proposal_version: proposalVersion },
    },
  ])
}

/** Names the entry among the documents that have leaves. */
export const caseEntryId = ({ reportId, version }: Pick<RecordedEntry, 'reportId' | 'version'>): string =>
  `${reportId}/${version}`

/** An entry of a case as its event records it, and as its leaf in the transparency log proves it. */
import type { EntryKind } from './case.js'
import type { DomainEvent } from './events.js'
import type { EventData } from './generated/events.js'

export const caseEventTypes = [
  'ReportNoteAdded',
  'DispositionProposed',
  'DispositionProposalDeclined',
  'DispositionChanged',
  'CaseAssigned',
  'CaseFileAttached',
] as const
export type CaseEventType = (typeof caseEventTypes)[number]

/** Who works on a case, and until when. */
export interface Assignment {
  /** Null if nobody is assigned. Its parts are empty if they are unknown. */
  readonly assignee: {
    readonly keyId: string
    /** The first key in the chain of rotations of the key. */
    readonly holder: string
    /** The person, or the name of the key, at that time. */
    readonly name: string
    /** The permanent identifier of the person; empty for a key. */
    readonly subject: string
  } | null
  /** A day of UTC: `2026-12-31`. */
  readonly dueOn: string | null
}

/** A file of a case, without its bytes. */
export interface CaseFile {
  readonly name: string
  /** As its bytes show. */
  readonly mediaType: string
  readonly bytes: number
  /** SHA-256 of the file in hexadecimal, sealed. */
  readonly sha256: string
  /** The same of the text that is stored for it. */
  readonly contentSha256: string
}

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
  /** The name of the key at that time; empty if it had none. */
  readonly keyName: string
  readonly actor: string
  readonly subject: string
  /** Of an entry of the kind `assigned`; else null. */
  readonly assignment: Assignment | null
  /** Of an entry of the kind `file_attached`; else null. */
  readonly file: CaseFile | null
}

export function recordedEntry({ type, data }: DomainEvent<CaseEventType>): RecordedEntry {
  const { reportId, accountId, livemode, version, keyName, actor, subject } = data
  const base = {
    ...{ reportId, accountId, livemode, version, keyName, actor, subject },
    ...{ previousDisposition: null, proposalVersion: null, assignment: null, file: null },
  }
  if (type === 'CaseAssigned') return { ...base, ...assigned(data as EventData['CaseAssigned']) }
  if (type === 'CaseFileAttached') return { ...base, ...attached(data as EventData['CaseFileAttached']) }
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

function assigned(data: EventData['CaseAssigned']) {
  const { assigneeKey: keyId, assigneeHolder: holder, assigneeName: name, assigneeSubject: subject } = data
  const assignee = keyId === '' ? null : { keyId, holder, name, subject }
  const assignment: Assignment = { assignee, dueOn: data.dueOn === '' ? null : data.dueOn }
  const { text, assignedAt: madeAt, assignedBy } = data
  return { kind: 'assigned', text, disposition: null, madeAt, keyId: assignedBy, assignment } as const
}

function attached(data: EventData['CaseFileAttached']) {
  const { fileName: name, mediaType, bytes, fileSha256: sha256, contentSha256 } = data
  const file: CaseFile = { name, mediaType, bytes, sha256, contentSha256 }
  const { attachedAt: madeAt, attachedBy: keyId } = data
  return { kind: 'file_attached', text: '', disposition: null, madeAt, keyId, file } as const
}

/** A name that there is not is absent: verifiers show an erased one as null. */
function assigneeMembers(assignee: Assignment['assignee']): object {
  if (assignee === null) return { assignee_key: null }
  const { keyId, name, subject } = assignee
  if (name === '') return { assignee_key: keyId }
  return { assignee_key: keyId, [subject === '' ? 'assignee_key_name' : 'assignee_person']: name }
}

/** What only entries of later versions have is behind the members that all have, so that earlier entries keep their text. */
function furtherMembers({ keyName, assignment, file }: RecordedEntry): object {
  return {
    ...(keyName === '' ? {} : { key_name: keyName }),
    ...(assignment === null
      ? {}
      : {
          ...assigneeMembers(assignment.assignee),
          due_on: assignment.dueOn,
        }),
    ...(file === null
      ? {}
      : {
          ...{ file_name: file.name, file_type: file.mediaType, file_bytes: file.bytes },
          ...{ file_sha256: file.sha256, content_sha256: file.contentSha256 },
        }),
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
      ...furtherMembers(entry),
    },
  ])
}

/** Names the entry among the documents that have leaves. */
export const caseEntryId = ({ reportId, version }: Pick<RecordedEntry, 'reportId' | 'version'>): string =>
  `${reportId}/${version}`

/** The disposition and the pending proposal of the case after the entry. */
export function stateAfter(
  { kind, version, disposition }: Pick<RecordedEntry, 'version' | 'disposition'> & { readonly kind: string },
  present: { readonly disposition: string; readonly proposalVersion: number | null } | undefined,
): [disposition: string, pending: number | null] {
  const before = present?.disposition ?? 'open'
  if (kind === 'disposition_changed') return [disposition ?? before, null]
  if (kind === 'disposition_proposed') return [before, version]
  return [before, kind === 'proposal_declined' ? null : (present?.proposalVersion ?? null)]
}

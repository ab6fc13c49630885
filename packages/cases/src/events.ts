/** Events of a case, written in the transaction of their entry. */
import { decidedEventId, topicOf, type ApiCall, type CaseEventType, type EventData } from '@cupel/contracts'
import type { Queryable } from '@cupel/postgres'
import { outboxType, writeOutbox, type OutboxEvent, type OutboxType } from '@cupel/projections'
import type { StoredEntry } from './queries.js'

const SOURCE = 'cupel/cases'

type NewEntry = StoredEntry & { readonly reportId: string }

/** The event that states the entry. `call`: null if another record has the call. */
export async function writeEntryEvent(
  transaction: Queryable,
  entry: NewEntry,
  call: ApiCall | null,
): Promise<void> {
  const { reportId, accountId, livemode, version, keyName, actor, subject, keyId, madeAt, text } = entry
  const base = { reportId, accountId, livemode, version, keyName, actor, subject, call }
  const decision = { ...base, disposition: entry.disposition ?? '', reason: text }
  const proposalVersion = entry.proposalVersion ?? 0
  const write = <T extends CaseEventType>(type: OutboxType<T>, data: EventData[T]): Promise<void> =>
    writeCaseEvent(transaction, type, data, madeAt)
  switch (entry.kind) {
    case 'note':
      return await write(outboxType('ReportNoteAdded'), { ...base, text, addedAt: madeAt, addedBy: keyId })
    case 'disposition_proposed': {
      const proposed = { ...decision, proposedAt: madeAt, proposedBy: keyId }
      return await write(outboxType('DispositionProposed'), proposed)
    }
    case 'proposal_declined': {
      const declined = { ...decision, proposalVersion, declinedAt: madeAt, declinedBy: keyId }
      return await write(outboxType('DispositionProposalDeclined'), declined)
    }
    case 'disposition_changed': {
      const previousDisposition = entry.previousDisposition ?? ''
      const changed = { ...decision, previousDisposition, proposalVersion }
      return await write(outboxType('DispositionChanged'), {
        ...changed,
        changedAt: madeAt,
        changedBy: keyId,
      })
    }
    case 'assigned': {
      const { assignee, dueOn } = entry.assignment!
      const named = {
        ...{ assigneeKey: assignee?.keyId ?? '', assigneeHolder: assignee?.holder ?? '' },
        ...{ assigneeName: assignee?.name ?? '', assigneeSubject: assignee?.subject ?? '' },
      }
      const until = { dueOn: dueOn ?? '', text, assignedAt: madeAt, assignedBy: keyId }
      return await write(outboxType('CaseAssigned'), { ...base, ...named, ...until })
    }
    case 'file_attached': {
      const { name: fileName, mediaType, bytes, sha256: fileSha256, contentSha256 } = entry.file!
      const file = { fileName, mediaType, bytes, fileSha256, contentSha256 }
      const attached = { ...base, ...file, attachedAt: madeAt, attachedBy: keyId }
      return await write(outboxType('CaseFileAttached'), attached)
    }
  }
}

async function writeCaseEvent<T extends CaseEventType>(
  transaction: Queryable,
  type: OutboxType<T>,
  data: EventData[T],
  time: string,
): Promise<void> {
  const { reportId, livemode, version } = data
  const id = decidedEventId('case-entry', reportId, String(version))
  const envelope = {
    ...{ id, source: SOURCE, time, subject: reportId },
    ...{ correlationId: reportId, causationId: data.call?.requestId ?? id },
  }
  const event = { type, data, envelope } as unknown as OutboxEvent
  await writeOutbox(transaction, event, { topic: topicOf(type, livemode), key: reportId })
}

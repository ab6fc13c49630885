/** What the log states of cases, their entries and files. */
import {
  recordedEntry,
  stateAfter,
  type CaseEventType,
  type DomainEvent,
  type EventData,
  type RecordedEntry,
} from '@cupel/contracts'
import { states, type Columns, type StatedRows, type Statement } from '@cupel/projections'

export const statedCases: StatedRows = {
  tables: {
    'cases.report_case': {
      key: ['report_id'],
      // The report view, which is compared with the log too, has what the case repeats of its report.
      row: `to_jsonb(t) || jsonb_build_object('reported', (SELECT jsonb_build_object('address', r.address, 'chain', r.chain,
        'level', r.level, 'score', r.score) FROM report_view.report r WHERE r.report_id = t.report_id))`,
      follows: ({ row }) => (row['reported'] ?? {}) as Columns,
    },
    'cases.entry': {
      key: ['report_id', 'version'],
      follows: ({ state, holderOf }) => ({ holder: holderOf(String(state['key_id'])) }),
    },
    'cases.file': {
      key: ['report_id', 'version'],
      // The database makes the hash of a file, so that its bytes stay there.
      row: `jsonb_build_object('report_id', report_id, 'version', version, 'account_id', account_id, 'livemode', livemode,
        'content_sha256', encode(sha256(content), 'hex'))`,
    },
  },
  events: {
    ReportNoteAdded: (data) => ofEntry('ReportNoteAdded', data),
    DispositionProposed: (data) => ofEntry('DispositionProposed', data),
    DispositionProposalDeclined: (data) => ofEntry('DispositionProposalDeclined', data),
    DispositionChanged: (data) => ofEntry('DispositionChanged', data),
    CaseAssigned: (data) => ofEntry('CaseAssigned', data),
    CaseFileAttached: (data) => ofEntry('CaseFileAttached', data),
  },
}

function ofEntry<T extends CaseEventType>(type: T, data: EventData[T]): readonly Statement[] {
  const entry = recordedEntry({ type, data } as unknown as DomainEvent<CaseEventType>)
  const { reportId, version, accountId, livemode, madeAt } = entry
  const columns = {
    ...{ account_id: accountId, livemode, kind: entry.kind, text: entry.text },
    ...{ disposition: entry.disposition, previous_disposition: entry.previousDisposition },
    ...{ proposal_version: entry.proposalVersion, made_at: madeAt, key_id: entry.keyId },
    ...{ key_name: entry.keyName, actor: entry.actor, subject: entry.subject },
    ...assigneeColumns(entry.assignment),
    ...fileColumns(entry.file),
  }
  const afterEntry = (before: Columns): Columns => {
    // An entry that is repeated in the log changes nothing.
    if (Number(before['version'] ?? 0) >= version) return before
    const present = before['version'] === undefined ? undefined : caseStateOf(before)
    const [disposition, pending] = stateAfter(entry, present)
    const changedAt = String(before['changed_at'] ?? '')
    return {
      ...{ account_id: accountId, livemode, disposition, version, proposal_version: pending },
      opened_at: before['opened_at'] ?? madeAt,
      changed_at: changedAt > madeAt ? changedAt : madeAt,
      ...(entry.assignment === null ? planOf(before) : assigneeColumns(entry.assignment)),
    }
  }
  return [
    ...states('cases.entry', `${reportId} ${version}`, columns),
    { table: 'cases.report_case', key: reportId, next: afterEntry },
    ...(entry.file === null
      ? []
      : states('cases.file', `${reportId} ${version}`, {
          ...{ account_id: accountId, livemode, content_sha256: entry.file.contentSha256 },
        })),
  ]
}

function assigneeColumns(assignment: RecordedEntry['assignment']): Columns {
  const { keyId, holder, name, subject } = assignment?.assignee ?? {}
  return {
    ...{ assignee_key: keyId ?? null, assignee_holder: holder ?? null, assignee_name: name ?? null },
    ...{ assignee_subject: subject ?? null, due_on: assignment?.dueOn ?? null },
  }
}

/** The assignment of the case before the entry. */
const planOf = (before: Columns): Columns =>
  Object.fromEntries(Object.keys(assigneeColumns(null)).map((name) => [name, before[name] ?? null]))

const fileColumns = (file: RecordedEntry['file']): Columns => ({
  ...{ file_name: file?.name ?? null, file_type: file?.mediaType ?? null, file_bytes: file?.bytes ?? null },
  ...{ file_sha256: file?.sha256 ?? null, content_sha256: file?.contentSha256 ?? null },
})

const caseStateOf = (before: Columns) => ({
  disposition: String(before['disposition']),
  proposalVersion: before['proposal_version'] as number | null,
})

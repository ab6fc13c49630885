/** The tables of cases, for everything that reads the tables of all features. */
import {
  recordedEntry,
  type CaseEventType,
  type DomainEvent,
  type EventData,
  type RecordedEntry,
} from '@cupel/contracts'
import type { PrimaryTables, Replay, ReplayParts } from '@cupel/projections'
import { casesMigrations } from './migrations.js'
import { isFileKnown, replayEntry } from './replay-entries.js'
import { statedCases } from './stated-cases.js'

const entered = (count: number): string =>
  `${count} entries of cases are added again, as the log tells of them.`
const lostFile = ({ reportId, version, contentSha256 }: EventData['CaseFileAttached']): string =>
  `The file of entry ${version} of the case of report ${reportId} (stored text of sha256 ${contentSha256}) was attached after the backup, and no database holds it: attach it again.`
const lostEntry = ({ version, reportId }: RecordedEntry, what: string): string =>
  `Entry ${version} of the case of report ${reportId} cannot be added again: ${what} is missing.`

const replay: Replay<CaseEventType> = {
  ReportNoteAdded: (parts, data) => enter(parts, { type: 'ReportNoteAdded', data }),
  DispositionProposed: (parts, data) => enter(parts, { type: 'DispositionProposed', data }),
  DispositionProposalDeclined: (parts, data) => enter(parts, { type: 'DispositionProposalDeclined', data }),
  DispositionChanged: (parts, data) => enter(parts, { type: 'DispositionChanged', data }),
  CaseAssigned: (parts, data) => enter(parts, { type: 'CaseAssigned', data }),
  async CaseFileAttached(parts, data) {
    await enter(parts, { type: 'CaseFileAttached', data })
    if (!(await isFileKnown(parts.transaction, data))) parts.notes.lost(lostFile(data))
  },
}

async function enter(
  { transaction, notes, holderOf, reportOf }: ReplayParts,
  event: { readonly type: CaseEventType; readonly data: EventData[CaseEventType] },
): Promise<void> {
  const entry = recordedEntry(event as DomainEvent<CaseEventType>)
  const outcome = await replayEntry(transaction, entry, {
    holder: await holderOf(entry.keyId),
    report: () => reportOf(entry),
  })
  if (outcome === 'added') notes.changed(entered)
  if (outcome === 'missing-entry') notes.lost(lostEntry(entry, 'an earlier entry'))
  if (outcome === 'missing-report') notes.lost(lostEntry(entry, 'the report'))
}

export const casesTables = {
  migrations: casesMigrations,
  replay,
  stated: statedCases,
} as const satisfies PrimaryTables

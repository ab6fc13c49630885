/**
 * Brings a database and a log together after one of them, or both, came from a backup. All changes of the database are one transaction,
 * which a dry run and a refusal roll back (docs/adr/0367).
 */
import { databaseBehindLog, highestReportEpoch, passReportEpoch } from '@cupel/gate/access'
import { replayJobs } from '@cupel/bulk/worker'
import { requestedEventId, topicOf } from '@cupel/contracts'
import {
  endRestoration,
  type AuthenticLog,
  type EventCodec,
  type EventLog,
  findRestoration,
  rangesOf,
  restorationSentence,
  typeOf,
} from '@cupel/event-log'
import type { Database, Queryable } from '@cupel/postgres'
import {
  lowestCheckpoint,
  markFoundInLog,
  outboxType,
  readModelGroup,
  restartEmptied,
  unrelayedEvents,
  writeOutbox,
  type OutboxEvent,
} from '@cupel/projections'
import { readModels } from '../../read-models/index.js'
import type { MailStyle } from '@cupel/domain'
import type { EvidenceSettings, Loss } from '@cupel/evidence/transparency'
import { skipDecidedRequests } from './decided-requests.js'
import { takeBackPublished } from './published-leaves.js'
import { replayDeliveries } from './deliveries.js'
import { findSignedLoss, settleReadEnds, settleSignedLoss, unfitLog } from './log-ends.js'
import { eraseAgain } from './erased-again.js'
import { createNotes, type Notes } from './notes.js'
import { fenceThePast, replayPrimaryTables } from './primary-tables.js'
import { RESTORE_GROUP } from '../../health/index.js'
import { stillRunning } from '@cupel/command-line/installation'

export interface RestoreParts {
  readonly database: Database
  readonly log: AuthenticLog
  readonly codec: EventCodec
  /** Null if nothing is signed. */
  readonly evidence: EvidenceSettings | null
  /** For the texts of messages that are made again; without it their links lead to this machine. */
  readonly mailStyle?: MailStyle
}

export interface RestoreOptions {
  readonly dryRun: boolean
  readonly acceptsLost: boolean
  readonly acceptsMissingLedger: boolean
  /** The operator states that the database is older than the log, where nothing else shows it. */
  readonly isOlderDatabase: boolean
  readonly by: string
  readonly reason: string
}

export interface Restored {
  /** Whether services may be started now; after a dry run, whether they might after a restore. */
  readonly mayStart: boolean
  readonly isOlderDatabase: boolean
  readonly changes: readonly string[]
  readonly lost: readonly string[]
  /** Why services may not be started; nothing was changed then. */
  readonly refusals: readonly string[]
}

/** Sentences of a long list that the record of a restore keeps. */
const MAX_RECORDED_LOSSES = 100

const emptied = (count: number): string =>
  `${count} read models are empty and are filled from the beginning of the log when the projector starts.`
const appended = (count: number): string => `${count} events of the outbox are in the log already.`
const jobFacts = (count: number): string =>
  `${count} records of bulk jobs are applied to them: nothing of them is screened or announced again.`
const fromArchive = (): string => 'The log was made from an archive, and services may follow it.'
const numbers = (): string => 'Report numbers go on behind the highest one of the log.'

const LOCAL_STYLE: MailStyle = {
  ...{ reportPageUrl: 'http://127.0.0.1:8081/reports/', consoleUrl: null, isAddressInSubject: false },
}

export async function restore(parts: RestoreParts, options: RestoreOptions): Promise<Restored> {
  const notes = createNotes()
  const unfit =
    (await stillRunning(parts.database)) ?? (await halfRestored(parts.database)) ?? (await unfitLog(parts))
  if (unfit !== null) {
    notes.refused(unfit)
    return resultOf(notes, false)
  }
  const loss = await findSignedLoss({ ...parts, ...options, notes })
  const isBehindLog = (await databaseBehindLog(parts)) !== null
  let isOlderDatabase = options.isOlderDatabase || loss?.isOlderDatabase === true || isBehindLog
  if (notes.refusals().length > 0) return resultOf(notes, isOlderDatabase)
  await orRolledBack(() =>
    parts.database.transaction({ at: 'restore.restored' }, async (transaction) => {
      isOlderDatabase = await bringTogether(transaction, parts, { options, notes, loss, isOlderDatabase })
      if (notes.refusals().length > 0 || options.dryRun) throw new RolledBack()
      await recordRestore(transaction, parts.log, { notes, loss, isOlderDatabase, options })
    }),
  )
  return resultOf(notes, isOlderDatabase)
}

interface Work {
  readonly options: RestoreOptions
  readonly notes: Notes
  readonly loss: Loss | null
  readonly isOlderDatabase: boolean
}

/** Resolves to whether the database is older than the log. */
async function bringTogether(
  transaction: Queryable,
  { log, codec, evidence, mailStyle = LOCAL_STYLE }: RestoreParts,
  { options, notes, loss, isOlderDatabase }: Work,
): Promise<boolean> {
  const parts = { transaction, log, codec, notes }
  const readEnds = { log, notes, acceptsLost: options.acceptsLost }
  await settleReadEnds(transaction, readEnds)
  for (const { schema, tables, ...readModel } of readModels)
    if (await restartEmptied(transaction, { schema, tables, group: readModelGroup(readModel) }))
      notes.changed(emptied)
  // The outbox first: rows that the next steps write are not in the log. A crash leaves such rows too, so they do not show the age.
  await markAppended(parts)
  const before = tellsOf(notes)
  await replayPrimaryTables({ ...parts, acceptsMissingLedger: options.acceptsMissingLedger })
  await replayDeliveries({ ...parts, mailStyle })
  const isToldOlder = tellsOf(notes) > before
  // Also the part that an earlier restore compared: the keys have their own backups, which do not show the age of the other tables.
  await eraseAgain(parts)
  notes.changed(jobFacts, await replayJobs(parts))
  // Moves a reader forward. The steps above begin where the earliest reader of the backup stood.
  const isBehindPublished = await takeBackPublished({ ...parts, evidence })
  if (isBehindPublished && notes.refusals().length === 0) await settleReadEnds(transaction, readEnds)
  if (loss !== null && notes.refusals().length === 0)
    await settleSignedLoss(transaction, loss, { log, evidence, ...options })
  const isOlder = isOlderDatabase || isBehindPublished || isToldOlder
  await skipDecidedRequests(parts)
  if (isOlder) await fenceThePast(parts)
  if (await endRestoration(transaction)) notes.changed(fromArchive)
  if (await passReportEpoch(transaction, await highestReportEpoch({ log, codec }))) notes.changed(numbers)
  return isOlder
}

const tellsOf = (notes: Notes): number =>
  notes.changes().length + notes.losses().length + notes.refusals().length

/** Finds events that wait in the outbox of the backup and were appended after it. */
async function markAppended({
  transaction,
  log,
  notes,
}: {
  readonly transaction: Queryable
  readonly log: EventLog
  readonly notes: Notes
}): Promise<void> {
  const identity = await log.identity()
  for (const [topic, ids] of await unrelayedEvents(transaction)) {
    const found: string[] = []
    for (const { partition, from: start, to } of await rangesOf(log, [topic])) {
      const place = { log: identity, topic, partition, except: RESTORE_GROUP }
      const from = Math.max((await lowestCheckpoint(transaction, place)) ?? 0, start)
      if (from >= to) continue
      for await (const records of log.read({ topic, partition, from, to }))
        for (const record of records) {
          const id = typeOf(record) === undefined ? undefined : record.headers['ce_id']
          if (id !== undefined && ids.has(id)) found.push(id)
        }
    }
    notes.changed(appended, await markFoundInLog(transaction, found))
  }
}

async function recordRestore(
  transaction: Queryable,
  log: EventLog,
  { notes, isOlderDatabase, options }: Work,
): Promise<void> {
  if (tellsOf(notes) === 0) return
  const [id, restoredAt, identity] = [requestedEventId(), new Date().toISOString(), await log.identity()]
  const event: OutboxEvent<'InstallationRestored'> = {
    type: outboxType('InstallationRestored'),
    data: {
      ...{ log: identity, olderDatabase: isOlderDatabase, changes: notes.changes(), restoredAt },
      ...{
        lost: notes.losses().slice(0, MAX_RECORDED_LOSSES),
        restoredBy: options.by,
        reason: options.reason,
      },
    },
    envelope: {
      ...{ id, source: 'cupel/cli', time: restoredAt, subject: identity },
      ...{ correlationId: id, causationId: id },
    },
  }
  await writeOutbox(transaction, event, { topic: topicOf('InstallationRestored'), key: identity })
}

/** A sentence where the log is still being made from an archive. */
async function halfRestored(database: Database): Promise<string | null> {
  const restoration = await findRestoration(database)
  return restoration === null || restoration.isWhole ? null : restorationSentence(restoration)
}

function resultOf(notes: Notes, isOlderDatabase: boolean): Restored {
  const refusals = notes.refusals()
  return {
    mayStart: refusals.length === 0,
    isOlderDatabase,
    ...{ changes: notes.changes(), lost: notes.losses(), refusals },
  }
}

/** Ends a transaction without keeping anything of it. */
class RolledBack extends Error {
  override readonly name = 'RolledBack'
}

async function orRolledBack(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
  }
}

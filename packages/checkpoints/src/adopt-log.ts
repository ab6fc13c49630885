/**
 * Adopts a copy of the log in place of the log: the same records under another identity, proven by the signed checkpoints (docs/adr/0318).
 */
import {
  derivedTopicGroups,
  isCompacted,
  requestedEventId,
  topicOf,
  type DomainEvent,
  type EventData,
} from '@cupel/contracts'
import { type EventLog, type LogIdentity, placeOf } from '@cupel/event-log'
import type { Database, Queryable } from '@cupel/postgres'
import { forgetCheckpoints, listCheckpoints, writeOutbox } from '@cupel/projections'
import type { Verifier } from '@cupel/signing'
import { CheckpointsStoppedError } from './checkpoint-files.js'
import { compareLog, type LogComparison } from './compare-log.js'

export interface AdoptLogOptions {
  /** The copy. */
  readonly log: EventLog
  readonly database: Database
  readonly verifier: Verifier
  /** Folder of the old log's checkpoints. */
  readonly folder: string
  readonly by: string
  readonly reason: string
  readonly dryRun?: boolean
}

export interface AdoptedLog {
  readonly log: LogIdentity
  readonly replaces: LogIdentity
  /** Number of the last checkpoint, and the partitions that it and earlier ones cover. */
  readonly checkpoint: number
  readonly partitions: number
  /** Records behind the last checkpoint: no signature proves that they are the same. */
  readonly unsigned: number
}

/**
 * Throws CheckpointsStoppedError with a sentence if the checkpoints do not prove that the records are the same. Nothing is changed then.
 */
export async function adoptLog(options: AdoptLogOptions): Promise<AdoptedLog> {
  const { log, database, folder, verifier, dryRun = false } = options
  const identity = await log.identity()
  const replaces = await followedLog(database, identity)
  const asBefore: EventLog = { ...portOf(log), identity: () => Promise.resolve(replaces) }
  const comparison = await compareLog({ log: asBefore, database, folder, verifier })
  const last = requireSame(comparison)
  await requireRead(log, database, replaces)
  const adopted = {
    ...{ log: identity, replaces, checkpoint: last, partitions: comparison.partitions.length },
    unsigned: await unsignedRecords(log, comparison),
  }
  if (!dryRun)
    await database.transaction({ at: 'checkpoints.adopt' }, async (transaction) => {
      await rename(transaction, replaces, identity)
      const { checkpoint, partitions } = adopted
      const { by: adoptedBy, reason } = options
      await recordAdoption(transaction, {
        ...{ log: identity, replaces, checkpoint, partitions, manifest: 0, adoptedBy, reason },
      })
    })
  return adopted
}

/** The log that the readers of the database follow. */
async function followedLog(database: Database, identity: LogIdentity): Promise<LogIdentity> {
  const followed = new Set((await listCheckpoints(database)).map(({ log }) => log))
  if (followed.has(identity))
    throw new CheckpointsStoppedError(
      `The database follows the log ${identity} already: there is nothing to adopt.`,
    )
  const [replaces, ...others] = followed
  if (replaces === undefined)
    throw new CheckpointsStoppedError('No reader of this database ever followed a log.')
  if (others.length > 0)
    throw new CheckpointsStoppedError(
      `Readers of this database follow several logs: ${[...followed].join(', ')}. Rebuild those of the others first.`,
    )
  return replaces
}

/** Resolves to the number of the last checkpoint. */
function requireSame({ last, faults, partitions }: LogComparison): number {
  if (faults.length > 0) throw new CheckpointsStoppedError(faults[0]!)
  if (last === null)
    throw new CheckpointsStoppedError(
      'There is no checkpoint of the log before: nothing shows that the records are the same.',
    )
  for (const { place, differences } of partitions)
    for (const { kind, from, to } of differences)
      throw new CheckpointsStoppedError(
        kind === 'missing'
          ? `The copy lacks the records ${from} to ${to - 1} of ${placeOf(place)}, which were signed: wait until the copy is complete, or copy the topic again from its first record.`
          : `The records ${from} to ${to - 1} of ${placeOf(place)} are not those that were signed, or have other offsets: copy the topic again from its first record.`,
      )
  return last.statement.number
}

/** A reader may have read beyond the last checkpoint. */
async function requireRead(log: EventLog, database: Database, replaces: LogIdentity): Promise<void> {
  for (const { group, topic, partition, next, log: of } of await listCheckpoints(database)) {
    if (of !== replaces || isCompacted(topic)) continue
    const end = await log.endOffset(topic, partition)
    if (next > end)
      throw new CheckpointsStoppedError(
        `${group} has read ${topic}/${partition} up to offset ${next}, and the copy ends at ${end}: wait until the copy is complete.`,
      )
  }
}

async function unsignedRecords(log: EventLog, { partitions }: LogComparison): Promise<number> {
  let unsigned = 0
  for (const { place, agreesTo } of partitions)
    unsigned += (await log.endOffset(place.topic, place.partition)) - agreesTo
  return unsigned
}

/** All rows of the database about the old log now apply to the copy. The copy's own checkpoints begin anew, with the first record. */
async function rename(transaction: Queryable, from: LogIdentity, to: LogIdentity): Promise<void> {
  // The copy of a compacted topic, if there is one, has other offsets: the topic is made again.
  await forgetCheckpoints(transaction, derivedTopicGroups)
  await transaction.execute('UPDATE projection.checkpoint SET log = $2 WHERE log = $1', [from, to])
  // Requirements of an installation on the copy begin later than the existing ones.
  await transaction.execute('DELETE FROM log.macs_required WHERE log_id = $1', [to])
  await transaction.execute('UPDATE log.macs_required SET log_id = $2 WHERE log_id = $1', [from, to])
  await transaction.execute('DELETE FROM checkpoints.signatures_required WHERE log = $1', [to])
  await transaction.execute('UPDATE checkpoints.signatures_required SET log = $2 WHERE log = $1', [from, to])
}

/** Appends, through the outbox, that the log took the place of another one, with author and reason. */
export async function recordAdoption(
  transaction: Queryable,
  adoption: Omit<EventData['LogAdopted'], 'adoptedAt'>,
): Promise<void> {
  const [id, adoptedAt] = [requestedEventId(), new Date().toISOString()]
  const { log } = adoption
  const event: DomainEvent<'LogAdopted'> = {
    type: 'LogAdopted',
    data: { ...adoption, adoptedAt },
    envelope: {
      ...{ id, source: 'cupel/checkpoints', time: adoptedAt, subject: log },
      ...{ correlationId: id, causationId: id },
    },
  }
  await writeOutbox(transaction, event, { topic: topicOf('LogAdopted'), key: log })
}

/** The methods of the port, for any kind of log object. */
function portOf(log: EventLog): EventLog {
  return {
    kind: log.kind,
    ensureTopics: (...args) => log.ensureTopics(...args),
    topicFaults: (...args) => log.topicFaults(...args),
    identity: () => log.identity(),
    partitionCount: (topic) => log.partitionCount(topic),
    partitionFor: (topic, key) => log.partitionFor(topic, key),
    append: (at, records) => log.append(at, records),
    endOffset: (topic, partition) => log.endOffset(topic, partition),
    startOffset: (topic, partition) => log.startOffset(topic, partition),
    read: (range) => log.read(range),
    tail: (options) => log.tail(options),
    subscribe: (options) => log.subscribe(options),
    close: () => log.close(),
  }
}

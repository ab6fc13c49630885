/**
 * Adopts a copy of the log in place of the log: the same records under another identity, proven by the leaves of the transparency log
 * (docs/adr/0318).
 */
import { derivedTopicGroups, isCompacted, requestedEventId, topicOf, type EventData } from '@cupel/contracts'
import {
  type EventCodec,
  type EventLog,
  type LogIdentity,
  type Place,
  placeOf,
  readAuthentic,
} from '@cupel/event-log'
import type { Database, Queryable } from '@cupel/postgres'
import {
  forgetCheckpoints,
  listCheckpoints,
  outboxType,
  writeOutbox,
  type OutboxEvent,
} from '@cupel/projections'
import type { Verifier } from '@cupel/signing'
import { readAcceptedLosses } from '../accepted-losses.js'
import { compareTransparency, type TransparencyComparison } from '../compare/compare-transparency.js'
import { NO_WITNESSES } from '../format/cosignature.js'
import { storeOfLog } from '../published.js'
import { TRANSPARENCY_GROUP } from '../state.js'
import type { PublishedStore } from '../store/published-store.js'
import { TransparencyStoppedError } from '../transparency-stopped.js'

export interface AdoptLogOptions {
  /** The copy. */
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly places: readonly Place[]
  readonly verifier: Verifier
  /** In which the leaves of the old log are published. */
  readonly stores: readonly PublishedStore[]
  readonly by: string
  readonly reason: string
  readonly dryRun?: boolean
}

export interface AdoptedLog {
  readonly log: LogIdentity
  readonly replaces: LogIdentity
  /** Leaves of the old log, and the partitions of their records. */
  readonly leaves: number
  readonly partitions: number
  /** Records behind the last leaves: no signature proves that they are the same. */
  readonly unsigned: number
}

/**
 * Throws TransparencyStoppedError with a sentence if the leaves do not prove that the records are the same. Nothing is changed then.
 */
export async function adoptLog(options: AdoptLogOptions): Promise<AdoptedLog> {
  const { log, database, dryRun = false } = options
  const identity = await log.identity()
  const replaces = await followedLog(database, identity)
  const compared = requireSame(await compareAs(replaces, options))
  await requireRead(log, database, replaces)
  const adopted = {
    ...{ log: identity, replaces, leaves: compared.leaves, unsigned: compared.pending },
    partitions: compared.places.filter(({ last }) => last !== null).length,
  }
  if (!dryRun)
    await database.transaction({ at: 'transparency.adopt' }, async (transaction) => {
      await rename(transaction, replaces, identity)
      const { leaves, partitions } = adopted
      const { by: adoptedBy, reason } = options
      await recordAdoption(transaction, {
        ...{ log: identity, replaces, leaves, partitions, manifest: 0, adoptedBy, reason },
      })
    })
  return adopted
}

/** Compares the copy as if it were the log before. Its cluster may have given the records other times. */
async function compareAs(
  replaces: LogIdentity,
  { log, database, stores, verifier, ...parts }: AdoptLogOptions,
): Promise<TransparencyComparison | null> {
  const unchecked = { ...portOf(log), identity: () => Promise.resolve(replaces) }
  // A record without a leaf was not the installation's, or no leaf of its partition comes after it; its MAC is checked when it is read.
  const asBefore = readAuthentic(unchecked, () => 'no-mac')
  const [store, ...copies] = stores.map((each) => storeOfLog(each, replaces))
  const { leaves: accepted } = await readAcceptedLosses({ ...parts, log: asBefore, database, verifier })
  return await compareTransparency({
    ...{ ...parts, log: asBefore, database, verifier, store: store!, copies, accepted },
    ...{ witnesses: NO_WITNESSES, endsEarlier: false, checksTimes: false, maxProblems: 1, publishGraceMs: 0 },
  })
}

/** The log that the readers of the database follow. */
async function followedLog(database: Database, identity: LogIdentity): Promise<LogIdentity> {
  const followed = new Set((await listCheckpoints(database)).map(({ log }) => log))
  if (followed.has(identity))
    throw new TransparencyStoppedError(
      `The database follows the log ${identity} already: there is nothing to adopt.`,
    )
  const [replaces, ...others] = followed
  if (replaces === undefined)
    throw new TransparencyStoppedError('No reader of this database ever followed a log.')
  if (others.length > 0)
    throw new TransparencyStoppedError(
      `Readers of this database follow several logs: ${[...followed].join(', ')}. Rebuild those of the others first.`,
    )
  return replaces
}

function requireSame(compared: TransparencyComparison | null): TransparencyComparison {
  if (compared === null || compared.leaves === 0)
    throw new TransparencyStoppedError(
      'There is no checkpoint of the log before: nothing shows that the records are the same.',
    )
  const fault = compared.faults[0]?.detail
  if (fault !== undefined) throw new TransparencyStoppedError(fault)
  for (const { kind, offset, to, ...place } of compared.problems)
    throw new TransparencyStoppedError(
      kind === 'no-record'
        ? `The copy lacks the records ${offset} to ${to - 1} of ${placeOf(place)}, which were signed: wait until the copy is complete, or copy the topic again from its first record.`
        : `The records ${offset} to ${to - 1} of ${placeOf(place)} are not those that were signed, or have other offsets: copy the topic again from its first record.`,
    )
  return compared
}

/** A reader may have read beyond the last leaf. */
async function requireRead(log: EventLog, database: Database, replaces: LogIdentity): Promise<void> {
  for (const { group, topic, partition, next, log: of } of await listCheckpoints(database)) {
    if (of !== replaces || isCompacted(topic)) continue
    const end = await log.endOffset(topic, partition)
    if (next > end)
      throw new TransparencyStoppedError(
        `${group} has read ${topic}/${partition} up to offset ${next}, and the copy ends at ${end}: wait until the copy is complete.`,
      )
  }
}

/** All rows of the database about the old log now apply to the copy. The copy's own leaves begin anew, with the first record. */
async function rename(transaction: Queryable, from: LogIdentity, to: LogIdentity): Promise<void> {
  // The copy of a compacted topic, if there is one, has other offsets: the topic is made again.
  await forgetCheckpoints(transaction, [...derivedTopicGroups, TRANSPARENCY_GROUP])
  await transaction.execute('UPDATE projection.checkpoint SET log = $2 WHERE log = $1', [from, to])
  await transaction.execute('DELETE FROM log.own_log WHERE log_id = $1', [from])
  await transaction.execute('INSERT INTO log.own_log (log_id) VALUES ($1) ON CONFLICT DO NOTHING', [to])
}

/** Appends, through the outbox, that the log took the place of another one, with author and reason. */
export async function recordAdoption(
  transaction: Queryable,
  adoption: Omit<EventData['LogAdopted'], 'adoptedAt'>,
): Promise<void> {
  const [id, adoptedAt] = [requestedEventId(), new Date().toISOString()]
  const { log } = adoption
  const event: OutboxEvent<'LogAdopted'> = {
    type: outboxType('LogAdopted'),
    data: { ...adoption, adoptedAt },
    envelope: {
      ...{ id, source: 'cupel/transparency', time: adoptedAt, subject: log },
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

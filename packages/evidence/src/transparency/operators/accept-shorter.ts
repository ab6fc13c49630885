/**
 * Accepts, on an operator's order, that the end of the log is gone. The acceptance is signed and recorded, and covers only leaves whose
 * records are missing at the end of their partitions, or are others there.
 */
import { requestedEventId, topicOf } from '@cupel/contracts'
import { type AuthenticLog, type EventCodec, type Place, placeOf } from '@cupel/event-log'
import type { Database, Queryable } from '@cupel/postgres'
import { outboxType, putCheckpoints, writeOutbox, type OutboxEvent } from '@cupel/projections'
import { readAcceptedLosses, signAcceptance, type Acceptance, type LeafRange } from '../accepted-losses.js'
import type { ComparedPlace } from '../compare/compare-records.js'
import { compareTransparency } from '../compare/compare-transparency.js'
import { NO_WITNESSES } from '../format/cosignature.js'
import type { EvidenceSettings } from '../keys/settings.js'
import { longestPublished, storeOfLog } from '../published.js'
import { ensureLog, loadLog, lockLog, TRANSPARENCY_GROUP } from '../state.js'
import { TransparencyStoppedError } from '../transparency-stopped.js'
import { takeBackLeaves } from '../take-back.js'

export interface LossParts extends EvidenceSettings {
  readonly log: AuthenticLog
  readonly codec: EventCodec
  readonly database: Database
  readonly places: readonly Place[]
}

/** What the log no longer has of what was signed. */
export interface Loss {
  readonly lost: Acceptance['lost']
  readonly leaves: readonly LeafRange[]
  /** The partitions that lost something, each with its last leaf that is left. */
  readonly places: readonly (ComparedPlace & { readonly from: number })[]
  /** Number of leaves that were compared. */
  readonly size: number
  /** Whether files hold leaves that the database does not have. */
  readonly isOlderDatabase: boolean
}

/** Compares the log with its leaves. Throws TransparencyStoppedError where more than its end differs, or rows and files are not whole. */
export async function findLoss(parts: LossParts): Promise<Loss> {
  const { log, database, keys, stores } = parts
  const identity = await log.identity()
  const longest = await longestPublished({ stores, keys, log: identity })
  const { leaves: accepted } = await readAcceptedLosses({ ...parts, verifier: keys.verifier })
  const compared = await compareTransparency({
    ...{ ...parts, accepted, verifier: keys.verifier, witnesses: NO_WITNESSES, endsEarlier: false },
    ...{ store: storeOfLog(longest?.store ?? stores[0]!, identity), copies: [] },
    ...{ checksTimes: true, looksForLoss: true },
    ...{ maxProblems: Number.MAX_SAFE_INTEGER, publishGraceMs: 0 },
  })
  if (compared === null) throw new TransparencyStoppedError('There is no checkpoint to compare the log with.')
  const fault = compared.faults[0]?.detail
  if (fault !== undefined) throw new TransparencyStoppedError(fault)
  const other = compared.problems.find(({ kind }) => kind === 'no-leaf' || kind === 'leaf-order')
  if (other !== undefined)
    throw new TransparencyStoppedError(
      `Records ${other.offset} to ${other.to - 1} of ${placeOf(other)} have no leaf, and later ones have: that is not a missing end. Restore the log from a backup.`,
    )
  const changed = compared.places.flatMap((each) =>
    each.lost === null ? [] : [{ ...each, from: each.lost.from, lost: each.lost }],
  )
  for (const { agreesBehind, lost, ...place } of changed)
    if (agreesBehind)
      throw new TransparencyStoppedError(
        `Records ${lost.from} to ${lost.to - 1} of ${placeOf(place)} were changed, and later ones were not: that is not a missing end. Restore the log from a backup.`,
      )
  const rows = (await loadLog(database, identity))?.tree.size ?? 0
  return {
    lost: changed.map(({ topic, partition, lost }) => ({ topic, partition, ...lost })),
    leaves: rangesOf([...changed.flatMap(({ lostLeaves }) => lostLeaves), ...compared.unplaced]),
    places: changed,
    ...{ size: compared.leaves, isOlderDatabase: (longest?.size ?? 0) > rows },
  }
}

/** Neighbours as ranges. */
function rangesOf(indexes: readonly number[]): LeafRange[] {
  const ranges: { from: number; to: number }[] = []
  for (const index of indexes.toSorted((one, other) => one - other)) {
    const last = ranges.at(-1)
    if (last?.to === index) last.to += 1
    else ranges.push({ from: index, to: index + 1 })
  }
  return ranges
}

export interface Order {
  readonly by: string
  readonly reason: string
}

/**
 * The signed acceptance. Consumers whose position is behind the end of the log continue at its end. Throws TransparencyStoppedError if
 * nothing is missing, if records before the end differ, or if the files are incomplete.
 */
export async function acceptShorter(parts: LossParts & Order): Promise<Acceptance> {
  const loss = await findLoss(parts)
  if (loss.leaves.length === 0 && !loss.isOlderDatabase)
    throw new TransparencyStoppedError(
      'The log has every record that was signed: there is nothing to accept.',
    )
  return await parts.database.transaction({ at: 'transparency.accept' }, async (transaction) => {
    await takeBackLeaves(transaction, parts)
    return await acceptLoss(transaction, parts, loss)
  })
}

/** The rows have every published leaf. Throws TransparencyStoppedError if a leaf was made since the loss was found. */
export async function acceptLoss(
  transaction: Queryable,
  { log, keys, by, reason }: Pick<LossParts, 'log' | 'keys'> & Order,
  { lost, leaves, places, size }: Loss,
): Promise<Acceptance> {
  const identity = await log.identity()
  const { number } = await ensureLog(transaction, identity)
  if ((await lockLog(transaction, number)).tree.size !== size)
    throw new TransparencyStoppedError('A leaf was made meanwhile: stop the services, then accept again.')
  for (const { topic, partition, from, last } of places) {
    const end = await log.endOffset(topic, partition)
    await transaction.execute(
      'UPDATE projection.checkpoint SET next = $4 WHERE log = $1 AND topic = $2 AND partition = $3 AND next > $4',
      [identity, topic, partition, end],
    )
    // Records that replaced the lost ones get leaves of their own.
    const positions = [{ topic, partition, next: Math.min(from, end) }]
    await putCheckpoints(transaction, { group: TRANSPARENCY_GROUP, log: identity, positions })
    await transaction.execute(
      'UPDATE transparency.place SET last = $4 WHERE number = $1 AND topic = $2 AND partition = $3',
      [number, topic, partition, last],
    )
  }
  const said = { acceptedAt: new Date().toISOString(), acceptedBy: by, reason }
  const acceptance = signAcceptance(
    { log: identity, lost: [...lost], leaves: [...leaves], ...said },
    keys.signer,
  )
  await record(transaction, acceptance)
  return acceptance
}

async function record(transaction: Queryable, data: Acceptance): Promise<void> {
  const id = requestedEventId()
  const event: OutboxEvent<'ShorterLogAccepted'> = {
    ...{ type: outboxType('ShorterLogAccepted'), data },
    envelope: {
      ...{ id, source: 'cupel/transparency', time: data.acceptedAt, subject: data.log },
      ...{ correlationId: id, causationId: id },
    },
  }
  await writeOutbox(transaction, event, { topic: topicOf('ShorterLogAccepted'), key: data.log })
}

/** Checks whether the log is the one that the database followed, and whether it still has every record that was read or signed. */
import { derivedTopicGroups, isCompacted, topicSpecs } from '@cupel/contracts'
import {
  installationTopics,
  missingFront,
  placesOf,
  type AuthenticLog,
  type EventCodec,
  type EventLog,
} from '@cupel/event-log'
import type { Database, Queryable } from '@cupel/postgres'
import { forgetCheckpoints, listCheckpoints, putCheckpoints } from '@cupel/projections'
import {
  acceptLoss,
  findLoss,
  lostRecords,
  TransparencyStoppedError,
  type EvidenceSettings,
  type Loss,
} from '@cupel/evidence/transparency'
import type { Notes } from './notes.js'

export interface LogEndsParts {
  readonly database: Database
  readonly log: AuthenticLog
  readonly codec: EventCodec
  /** Null if nothing is signed. */
  readonly evidence: EvidenceSettings | null
  readonly notes: Notes
  /** The operator accepts that records at the end of the log are lost for good. */
  readonly acceptsLost: boolean
  readonly by: string
  readonly reason: string
}

const movedBack = (count: number): string =>
  `${count} readers whose positions lie beyond the end of the log go on at its end. Read models keep the rows of lost records until \`cupel audit replay\`.`

const madeAgain = (): string => 'The topic of the latest reports lacks records: it is made again of the log.'

const lostSentence = (of: { topic: string; partition: number; from: number; to: number }): string =>
  `The log no longer has the records ${of.from} to ${of.to - 1} of ${of.topic}/${of.partition}.`

/** Why the log cannot be used; null if it can. */
export async function unfitLog({
  database,
  log,
}: {
  readonly database: Database
  readonly log: EventLog
}): Promise<string | null> {
  const identity = await log.identity()
  const followed = new Set((await listCheckpoints(database)).map((checkpoint) => checkpoint.log))
  // A reader that was left behind on an earlier log stops by itself and does not delay others.
  if (followed.size > 0 && !followed.has(identity))
    return `The database followed the log ${[...followed].join(', ')}, and this is ${identity}: connect the right log, or take a copy of it with \`cupel log adopt\`.`
  return await missingFront(
    log,
    installationTopics().map(({ name }) => name),
  )
}

/** What the log lost of its signed records; null if nothing, or if it was refused. */
export async function findSignedLoss(parts: LogEndsParts): Promise<Loss | null> {
  const { evidence, database, log, codec, notes, acceptsLost } = parts
  if (evidence === null || (await lostRecords({ log, database, ...evidence })) === null) return null
  try {
    const places = await placesOf(log, topicSpecs)
    const loss = await findLoss({ ...evidence, log, codec, database, places })
    for (const lost of loss.lost) notes.lost(lostSentence(lost))
    if (loss.leaves.length > 0 && !acceptsLost)
      notes.refused(
        'The log lacks records that were signed: restore a newer log, or accept the loss with --accept-lost.',
      )
    return loss
  } catch (error) {
    if (!(error instanceof TransparencyStoppedError)) throw error
    notes.refused(error.message)
    return null
  }
}

/** Accepts the loss that was found, once the database has every published leaf. */
export async function settleSignedLoss(
  transaction: Queryable,
  loss: Loss,
  { log, evidence, by, reason }: Pick<LogEndsParts, 'log' | 'evidence' | 'by' | 'reason'>,
): Promise<void> {
  if (evidence !== null && loss.leaves.length > 0)
    await acceptLoss(transaction, { ...evidence, log, by, reason }, loss)
}

/** Moves readers back from beyond the end of the log, if the operator accepts it. */
export async function settleReadEnds(
  transaction: Queryable,
  { log, notes, acceptsLost }: Pick<LogEndsParts, 'notes' | 'acceptsLost'> & { readonly log: EventLog },
): Promise<void> {
  const identity = await log.identity()
  const known = new Set(installationTopics().map(({ name }) => name))
  const beyond = []
  let isDerivedCut = false
  for (const checkpoint of await listCheckpoints(transaction)) {
    const { topic, partition, next } = checkpoint
    if (!known.has(topic)) continue
    const end = await log.endOffset(topic, partition)
    if (next <= end) continue
    if (isCompacted(topic)) isDerivedCut = true
    else beyond.push({ ...checkpoint, end })
  }
  if (isDerivedCut && (await forgetCheckpoints(transaction, derivedTopicGroups))) notes.changed(madeAgain)
  for (const { topic, partition, next, end } of beyond)
    notes.lost(lostSentence({ topic, partition, from: end, to: next }))
  if (beyond.length > 0 && !acceptsLost) {
    notes.refused(
      'The log is older than the database: restore a newer log, or accept the loss with --accept-lost.',
    )
    return
  }
  for (const { group, topic, partition, end } of beyond)
    await putCheckpoints(transaction, { group, log: identity, positions: [{ topic, partition, next: end }] })
  notes.changed(movedBack, beyond.length)
}

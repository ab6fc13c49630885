/** Checks whether the log is the one that the database followed, and whether it still has every record that was read or signed. */
import {
  acceptShorter,
  CheckpointsStoppedError,
  compareLog,
  lostRecords,
  type CheckpointSettings,
} from '@cupel/checkpoints'
import { installationTopics, missingFront, type EventLog } from '@cupel/event-log'
import { derivedTopicGroups, isCompacted } from '@cupel/contracts'
import type { Database, Queryable } from '@cupel/postgres'
import { forgetCheckpoints, listCheckpoints, putCheckpoints } from '@cupel/projections'
import type { Notes } from './notes.js'

export interface LogEndsParts {
  readonly database: Database
  readonly log: EventLog
  /** Null if no checkpoints of the log are signed. */
  readonly checkpoints: CheckpointSettings | null
  readonly notes: Notes
  readonly dryRun: boolean
  /** The operator accepts that records at the end of the log are lost for good. */
  readonly acceptsLost: boolean
  readonly by: string
  readonly reason: string
}

const caughtUp = (): string =>
  'The database follows the signed checkpoints again: an older database was restored.'
const movedBack = (count: number): string =>
  `${count} readers whose positions lie beyond the end of the log go on at its end. Read models keep the rows of lost records until \`cupel audit replay\`.`

const madeAgain = (): string => 'The topic of the latest reports lacks records: it is made again of the log.'

const lostSentence = (of: { topic: string; partition: number; from: number; to: number }): string =>
  `The log no longer has the records ${of.from} to ${of.to - 1} of ${of.topic}/${of.partition}.`

/** Why the log cannot be used; null if it can. */
export async function unfitLog({
  database,
  log,
}: Pick<LogEndsParts, 'database' | 'log'>): Promise<string | null> {
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

/** Compares the log with its signed checkpoints; resolves to whether the database is older than they are. */
export async function settleSignedEnds(parts: LogEndsParts): Promise<boolean> {
  const { checkpoints, database, log, notes, dryRun, acceptsLost, by, reason } = parts
  if (checkpoints === null) return false
  const verifier = checkpoints.keys.verifier
  if ((await lostRecords({ log, database, folders: checkpoints.folders, verifier })) === null) return false
  const compared = await compareLog({ log, database, folder: checkpoints.folders[0]!, verifier })
  const changed = compared.partitions.filter(({ differences }) => differences.length > 0)
  for (const { place, differences } of changed)
    notes.lost(
      lostSentence({
        ...place,
        from: differences[0]!.from,
        to: Math.max(...differences.map(({ to }) => to)),
      }),
    )
  if (changed.length > 0 && !acceptsLost) {
    notes.refused(
      'The log lacks records that were signed: restore a newer log, or accept the loss with --accept-lost.',
    )
    return false
  }
  if (!dryRun)
    try {
      await acceptShorter({ ...checkpoints, log, database, by, reason })
    } catch (error) {
      if (!(error instanceof CheckpointsStoppedError)) throw error
      notes.refused(error.message)
      return false
    }
  if (changed.length === 0) notes.changed(caughtUp)
  return changed.length === 0
}

/** Moves readers back from beyond the end of the log, if the operator accepts it. */
export async function settleReadEnds(
  transaction: Queryable,
  { log, notes, acceptsLost }: Pick<LogEndsParts, 'log' | 'notes' | 'acceptsLost'>,
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

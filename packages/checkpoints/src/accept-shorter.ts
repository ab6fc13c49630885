/**
 * Accepts, on an operator's order, that the end of the log is gone. The acceptance is signed and recorded, and covers only missing records
 * at the end.
 */
import { topicOf, requestedEventId, type DomainEvent } from '@cupel/contracts'
import { type EventLog, placeOf } from '@cupel/event-log'
import type { Database, Queryable } from '@cupel/postgres'
import { writeOutbox } from '@cupel/projections'
import type { SigningKeys } from '@cupel/signing'
import { checkpointFile, CheckpointsStoppedError, levelFiles } from './checkpoint-files.js'
import { compareLog, type LogComparison } from './compare-log.js'
import { store } from './make-checkpoint.js'
import { loadState, type PartitionState } from './state.js'
import type { Acceptance } from './statement.js'

export interface AcceptShorterOptions {
  readonly log: EventLog
  readonly database: Database
  readonly keys: SigningKeys
  readonly folders: readonly string[]
  readonly by: string
  readonly reason: string
}

/**
 * The signed acceptance. Consumers whose position is behind the end of the log continue at its end. Throws CheckpointsStoppedError if
 * nothing is missing, if records before the end differ, or if the files are incomplete.
 */
export async function acceptShorter(options: AcceptShorterOptions): Promise<Acceptance> {
  const { log, database, keys, folders, by, reason } = options
  const identity = await log.identity()
  const files = folders.map((folder) => checkpointFile(folder, identity))
  await levelFiles(files)
  const comparison = await compareLog({ log, database, folder: folders[0]!, verifier: keys.verifier })
  const { last } = comparison
  const head = (await loadState(database, identity)).head
  if (last === null)
    throw new CheckpointsStoppedError(
      comparison.faults[0] ?? 'There is no checkpoint to compare the log with.',
    )
  const isOlderDatabase = (head?.number ?? 0) < last.statement.number
  if (comparison.faults.length > (isOlderDatabase ? 1 : 0))
    throw new CheckpointsStoppedError(comparison.faults[0]!)
  const { kept, lost } = sorted(comparison)
  if (lost.length === 0 && !isOlderDatabase)
    throw new CheckpointsStoppedError('The log has every record that was signed: there is nothing to accept.')
  const accepted: Acceptance = { by, reason, lost }
  const { line, position, tree, statement } = last
  const history = {
    ...{ log: identity, files, partitions: kept },
    head: { number: statement.number, position, line: `${line}\n`, tree },
  }
  const made = await store(
    history,
    { database, signer: keys.signer },
    {
      ...{ extensions: [], accepted, partitions: kept, after: head?.number ?? null },
      also: (transaction) => record(transaction, log, identity, accepted),
    },
  )
  if (made === null)
    throw new CheckpointsStoppedError(
      'A checkpoint was made meanwhile: stop the services, then accept again.',
    )
  return accepted
}

function sorted({ partitions }: LogComparison): {
  kept: Map<string, PartitionState>
  lost: Acceptance['lost']
} {
  const kept = new Map<string, PartitionState>()
  const lost: Acceptance['lost'][number][] = []
  for (const { place, state, differences, agreesBehind } of partitions) {
    if (state !== null) kept.set(placeOf(place), state)
    if (differences.length === 0) continue
    if (agreesBehind)
      throw new CheckpointsStoppedError(
        `Records ${differences[0]!.from} to ${differences[0]!.to - 1} of ${placeOf(place)} were changed, and later ones were not: that is not a missing end. Restore the log from a backup.`,
      )
    lost.push({ ...place, from: differences[0]!.from, to: Math.max(...differences.map(({ to }) => to)) })
  }
  return { kept, lost }
}

async function record(
  transaction: Queryable,
  log: EventLog,
  identity: string,
  accepted: Acceptance,
): Promise<void> {
  for (const { topic, partition } of accepted.lost)
    await transaction.execute(
      'UPDATE projection.checkpoint SET next = $4 WHERE log = $1 AND topic = $2 AND partition = $3 AND next > $4',
      [identity, topic, partition, await log.endOffset(topic, partition)],
    )
  const [id, acceptedAt] = [requestedEventId(), new Date().toISOString()]
  const event: DomainEvent<'ShorterLogAccepted'> = {
    type: 'ShorterLogAccepted',
    data: {
      ...{
        log: identity,
        lost: [...accepted.lost],
        acceptedAt,
        acceptedBy: accepted.by,
        reason: accepted.reason,
      },
    },
    envelope: {
      ...{ id, source: 'cupel/checkpoints', time: acceptedAt, subject: identity },
      ...{ correlationId: id, causationId: id },
    },
  }
  await writeOutbox(transaction, event, { topic: topicOf('ShorterLogAccepted'), key: identity })
}

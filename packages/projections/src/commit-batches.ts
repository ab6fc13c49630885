/** One transaction for the batches of several partitions: checkpoints first, then rows. */
import type { LogIdentity } from '@cupel/event-log'
import { sqlState, type Database } from '@cupel/postgres'
import { applyChanges, UnappliableRecordError, type ReducedRecord } from './apply.js'
import { advanceCheckpoints, ensureCheckpoint, placeOf, type CheckpointMove } from './checkpoint.js'
import type { ProjectionMetrics } from './projection-metrics.js'

/** The reduced records of one partition, ready to be written. */
export interface PreparedBatch {
  readonly topic: string
  readonly partition: number
  readonly firstOffset: number
  readonly nextOffset: number
  readonly atEnd: boolean
  readonly records: readonly ReducedRecord[]
}

export interface CommitContext {
  readonly database: Database
  readonly group: string
  readonly log: LogIdentity
  readonly schema: string
  readonly metrics: ProjectionMetrics
}

/**
 * Commits the batches whose checkpoints are where they begin. For each batch `undefined` where reading goes on after it,
 * or where the stored checkpoint says reading has to resume.
 * Rejects with UnappliableRecordError where the database refuses what a record says, with the cause of any other failure.
 */
export async function commitBatches({
  batches,
  ...context
}: CommitContext & { batches: readonly PreparedBatch[] }): Promise<({ resumeAt: number } | undefined)[]> {
  try {
    return await commitTogether(batches, context)
  } catch (error) {
    if (!isRefusedData(error)) throw error
    return await commitOneByOne(batches, context)
  }
}

async function commitTogether(
  batches: readonly PreparedBatch[],
  { database, group, log, schema, metrics }: CommitContext,
): Promise<({ resumeAt: number } | undefined)[]> {
  const startedAt = performance.now()
  const moved = await database.transaction(
    { at: 'projector.batch', synchronousCommit: 'off' },
    async (transaction) => {
      const moves = batches.map((batch) => ({ ...placeAndRange(batch), atEnd: batch.atEnd }))
      const accepted = new Set((await advanceCheckpoints(transaction, { group, log, moves })).map(placeOf))
      const changes = batches
        .filter((batch) => accepted.has(placeOf(batch)))
        .flatMap((batch) => batch.records.flatMap((record) => record.changes))
      await applyChanges(transaction, schema, changes)
      return accepted
    },
  )
  const committed = batches.filter((batch) => moved.has(placeOf(batch)))
  metrics.committed(
    committed.reduce((total, batch) => total + batch.records.length, 0),
    performance.now() - startedAt,
  )
  return await Promise.all(
    batches.map(async (batch) => {
      if (moved.has(placeOf(batch))) return undefined
      // Another member has the partition now, or a crash of the database took our last commits: what is stored decides.
      metrics.refused()
      const place = { group, topic: batch.topic, partition: batch.partition }
      return { resumeAt: (await ensureCheckpoint(database, place, log)).next }
    }),
  )
}

function placeAndRange(batch: PreparedBatch): CheckpointMove {
  return {
    topic: batch.topic,
    partition: batch.partition,
    expected: batch.firstOffset,
    next: batch.nextOffset,
  }
}

/** The database refused something in these batches: whatever stands before the offending record is applied, then its place is known. */
async function commitOneByOne(
  batches: readonly PreparedBatch[],
  context: CommitContext,
): Promise<({ resumeAt: number } | undefined)[]> {
  const outcomes: ({ resumeAt: number } | undefined)[] = []
  const failures: UnappliableRecordError[] = []
  for (const batch of batches) {
    try {
      outcomes.push(await commitRecordByRecord(batch, context))
    } catch (error) {
      if (!(error instanceof UnappliableRecordError)) throw error
      failures.push(error)
    }
  }
  if (failures[0] !== undefined) throw failures[0]
  return outcomes
}

async function commitRecordByRecord(
  batch: PreparedBatch,
  context: CommitContext,
): Promise<{ resumeAt: number } | undefined> {
  for (const single of splitByRecord(batch)) {
    try {
      const [outcome] = await commitTogether([single], context)
      if (outcome !== undefined) return outcome
    } catch (error) {
      if (!isRefusedData(error)) throw error
      throw new UnappliableRecordError(
        { topic: batch.topic, partition: batch.partition, offset: single.records[0]!.offset },
        error,
      )
    }
  }
  return undefined
}

/** Batches of one record that together cover the same offsets, those of probes included. */
function splitByRecord(batch: PreparedBatch): PreparedBatch[] {
  if (batch.records.length <= 1) return [batch]
  return batch.records.map((record, index) => {
    const next = batch.records[index + 1]
    return {
      ...batch,
      firstOffset: index === 0 ? batch.firstOffset : record.offset,
      nextOffset: next === undefined ? batch.nextOffset : next.offset,
      atEnd: next === undefined && batch.atEnd,
      records: [record],
    }
  })
}

/** SQLSTATE classes 22 (data exception) and 23 (integrity constraint): the same row is refused again next time. */
function isRefusedData(error: unknown): boolean {
  const state = sqlState(error)
  return state !== null && (state.startsWith('22') || state.startsWith('23'))
}

/**
 * Commits checkpoints and rows in one transaction, checkpoints first. Batches of several partitions share a transaction. A
 * batch is left out if the stored checkpoint differs from the start of the batch; reading then resumes at the stored checkpoint.
 */
import { createBatcher } from '@cupel/kit/concurrency'
import type { FailpointName } from '@cupel/kit/failpoints'
import { sqlState, type Database, type Transaction } from '@cupel/postgres'
import {
  advanceCheckpoints,
  createCheckpointLoads,
  ensureCheckpoint,
  ensureCheckpoints,
  type CheckpointMove,
} from '../checkpoint.js'
import type { CommitterContext, OpenCommitter, OutcomeBatch, Resumption } from './committer.js'
import { UnappliableRecordError } from './unappliable-record.js'

export interface InTransactionOptions<O, R> {
  readonly database: Database
  /** Names the transaction. */
  readonly at: FailpointName
  /** For rows that can be read from the log again: a crash of the database may undo commits, together with their checkpoints. */
  readonly synchronousCommit?: 'off'
  /** Time from the start of one transaction to the next under load; the first one after a pause starts at once. */
  readonly intervalMs?: number
  /** Batches in one transaction; unlimited by default. */
  readonly maxBatches?: number
  /** Writes the rows for the batches. The checkpoints have already moved. */
  readonly write: (transaction: Transaction, batches: readonly OutcomeBatch<O>[]) => Promise<R>
  /** Called after the commit, before reading goes on. Must not throw. */
  readonly onCommitted?: (committed: Committed<O, R>) => void
  /** A batch was left out because the stored checkpoint differs. */
  readonly onRefused?: () => void
}

export interface Committed<O, R> {
  readonly batches: readonly OutcomeBatch<O>[]
  /** The value that `write` resolved to. */
  readonly result: R
  readonly durationMs: number
}

export function inTransaction<O, R = void>(options: InTransactionOptions<O, R>): OpenCommitter<O> {
  const { database, intervalMs, maxBatches } = options
  return (context) => {
    const batcher = createBatcher<OutcomeBatch<O>, Resumption>({
      run: (batches) => commitBatches({ ...options, context }, batches),
      ...(intervalMs === undefined ? {} : { intervalMs }),
      ...(maxBatches === undefined ? {} : { maxBatchItems: maxBatches }),
    })
    const { group, identity } = context
    return {
      load: createCheckpointLoads((places) => ensureCheckpoints(database, { group, log: identity, places })),
      commit: (batch, deadLetters) =>
        deadLetters === null ? batcher.add(batch) : deadLetters.then(() => batcher.add(batch)),
    }
  }
}

interface Commit<O, R> extends InTransactionOptions<O, R> {
  readonly context: CommitterContext
}

/**
 * Rejects with UnappliableRecordError if the database rejects the content of a record, after all earlier records were
 * committed; rejects with the cause of any other failure.
 */
async function commitBatches<O, R>(
  commit: Commit<O, R>,
  batches: readonly OutcomeBatch<O>[],
): Promise<Resumption[]> {
  try {
    return await commitTogether(commit, batches)
  } catch (error) {
    if (!isRefusedData(error)) throw error
    return await commitOneByOne(commit, batches)
  }
}

async function commitTogether<O, R>(
  commit: Commit<O, R>,
  batches: readonly OutcomeBatch<O>[],
): Promise<Resumption[]> {
  const { database, at, synchronousCommit, write } = commit
  const { group, identity } = commit.context
  const startedAt = performance.now()
  const moves = batches.map(moveOver)
  const moved = new Set<CheckpointMove>()
  const result = await database.transaction(
    { at, ...(synchronousCommit === undefined ? {} : { synchronousCommit }) },
    async (transaction) => {
      for (const move of await advanceCheckpoints(transaction, { group, log: identity, moves }))
        moved.add(move)
      const accepted = batches.filter((_, index) => moved.has(moves[index]!))
      return accepted.length === 0 ? null : { batches: accepted, result: await write(transaction, accepted) }
    },
  )
  if (result !== null) commit.onCommitted?.({ ...result, durationMs: performance.now() - startedAt })
  const resumptions: Resumption[] = []
  for (const [index, batch] of batches.entries())
    resumptions.push(moved.has(moves[index]!) ? undefined : await storedPosition(commit, batch))
  return resumptions
}

function moveOver<O>(batch: OutcomeBatch<O>): CheckpointMove {
  const { topic, partition, firstOffset, nextOffset, atEnd } = batch
  return { topic, partition, expected: firstOffset, next: nextOffset, atEnd }
}

/** Another member has the partition now, or a crash of the database undid commits: the stored checkpoint decides. */
async function storedPosition<O, R>(
  { database, onRefused, context: { group, identity } }: Commit<O, R>,
  { topic, partition }: OutcomeBatch<O>,
): Promise<Resumption> {
  onRefused?.()
  return { resumeAt: (await ensureCheckpoint(database, { group, topic, partition }, identity)).next }
}

/** Finds the record that the database rejects: it applies each record of each batch in its own transaction. */
async function commitOneByOne<O, R>(
  commit: Commit<O, R>,
  batches: readonly OutcomeBatch<O>[],
): Promise<Resumption[]> {
  const resumptions: Resumption[] = []
  let failure: UnappliableRecordError | null = null
  for (const batch of batches) {
    try {
      resumptions.push(await commitRecordByRecord(commit, batch))
    } catch (error) {
      if (!(error instanceof UnappliableRecordError)) throw error
      failure ??= error
    }
  }
  if (failure !== null) throw failure
  return resumptions
}

async function commitRecordByRecord<O, R>(commit: Commit<O, R>, batch: OutcomeBatch<O>): Promise<Resumption> {
  for (const single of splitByRecord(batch)) {
    try {
      const [resumption] = await commitTogether(commit, [single])
      if (resumption !== undefined) return resumption
    } catch (error) {
      const [record] = single.records
      if (!isRefusedData(error) || record === undefined) throw error
      throw new UnappliableRecordError(record, error)
    }
  }
  return undefined
}

/** Batches of one record that together cover the same offsets. */
function splitByRecord<O>(batch: OutcomeBatch<O>): OutcomeBatch<O>[] {
  const { records, outcomes } = batch
  if (records.length <= 1) return [batch]
  return records.map((record, index) => {
    const next = records[index + 1]
    return {
      ...batch,
      firstOffset: index === 0 ? batch.firstOffset : record.offset,
      nextOffset: next === undefined ? batch.nextOffset : next.offset,
      atEnd: next === undefined && batch.atEnd,
      records: [record],
      outcomes: [outcomes[index]!],
    }
  })
}

/** SQLSTATE classes 22 (data exception) and 23 (integrity constraint): the database rejects the same row again next time. */
function isRefusedData(error: unknown): boolean {
  const state = sqlState(error)
  return state !== null && (state.startsWith('22') || state.startsWith('23'))
}

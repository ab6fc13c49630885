/** Writes the transfers of an import to Postgres. */
import type { Database, Queryable } from '@cupel/postgres'
import type { Batch } from '../batch.js'
import { createKnownIds } from '../known-ids.js'
import { nameCalls } from '../name-calls.js'
import { NO_ROWS } from '../row-sums.js'
import { isUnseen } from '../segments.js'
import { storeTransfers } from '../store-transfers.js'
import type { RetiredRange, TransferWriter, WrittenSegment } from './transfer-writer.js'

export const transferWriterIn = (database: Database): TransferWriter => ({
  engine: 'postgres',
  async restartOthers(transaction, state) {
    await restartSegments(transaction, state)
    return NO_ROWS
  },
  async knownIds(_state, isHistory) {
    const [left] = isHistory
      ? []
      : await database.query<{ is_empty: boolean }>('SELECT ledger.leave_indexes() AS is_empty')
    const isEmpty = left?.is_empty === true
    // One that an interrupted import left for later tells which rows are known.
    if (!isEmpty) await database.execute('SELECT ledger.index_ids()')
    return createKnownIds(database, isEmpty)
  },
  index: async () => void (await database.execute('SELECT ledger.index_transfers()')),
  store: storeTransfers,
  prove: async (transaction, { segmentId, outcomes }) =>
    await transaction.execute(PROVE, [segmentId, [...outcomes.keys()], [...outcomes.values()]]),
  countContradicted,
  retire: retireOthers,
  nameCalls,
  countTimed,
})

/** The sums of their rows stay: they stored rows. */
export async function restartSegments(
  transaction: Queryable,
  { chain, segmentId }: WrittenSegment,
): Promise<void> {
  await transaction.execute(
    `UPDATE ledger.segment SET rows_done = 0, counts = '{}', first_height = NULL, last_height = NULL, last_at_s = NULL
     WHERE chain = $1 AND segment_id <> $2 AND ledger_seq IS NULL`,
    [chain, segmentId],
  )
}

/** A known proof or failure stays, unless it came from a killed import. */
const PROVE = {
  name: 'ledger.prove',
  text: `
    UPDATE ledger.transfer known SET
      proven_segment_id = CASE WHEN succeeded THEN $1 ELSE proven_segment_id END,
      failed_segment_id = CASE WHEN succeeded THEN failed_segment_id ELSE $1 END
    FROM unnest($2::uuid[], $3::bool[]) AS told (id, succeeded)
    WHERE known.transfer_id = told.id
      AND CASE WHEN succeeded THEN ${isUnseen('known.proven_segment_id')} ELSE ${isUnseen('known.failed_segment_id')} END`,
}

async function countContradicted(transaction: Queryable, { outcomes }: Batch): Promise<number> {
  const failed = [...outcomes].flatMap(([id, succeeded]) => (succeeded ? [] : [id]))
  if (failed.length === 0) return 0
  const [row] = await transaction.query<{ count: number }>(
    `SELECT count(*) FROM ledger.transfer known
     WHERE transfer_id = ANY ($1::uuid[]) AND NOT ${isUnseen('known.proven_segment_id')}`,
    [failed],
  )
  return row!.count
}

/** Kinds of stored transfers that the declared range covers. */
export const storedKinds: Readonly<Record<string, readonly string[]>> = {
  native: ['n', 'u'],
  internal: ['i'],
  token: ['t'],
}

const NOT_ELSEWHERE =
  'other_segment_id = NULL, other_block = NULL, other_at_s = NULL, other_tx_index = NULL, other_place = NULL'

/** Of the range, and not in the file that replaces it. */
const IS_NOT_TOLD = `segment_id IN (SELECT s.segment_id FROM ledger.segment s WHERE s.chain = $1) AND block_number BETWEEN $3 AND $4
       AND coalesce(seen_segment_id, segment_id) <> $2 AND retired_segment_id IS NULL AND kind = ANY ($5::text[]::"char"[])`

const IS_PROVEN = `kind = 'n' AND NOT ${isUnseen('known.proven_segment_id')}`

/** A failure hid it until now. A dead import that restored it ended no gap. */
const WAS_FAILED = `NOT ${isUnseen('known.failed_segment_id')} AND NOT (${IS_PROVEN})
         AND (absent_segment_id IS NULL OR NOT ${isUnseen('known.restored_segment_id')})`

/**
 * A transfer that another file tells outside of the range is there now, and what failed in the old block says nothing of the new one: earlier states do
 * not have it. What other files told of the range itself was replaced.
 */
async function retireOthers(
  transaction: Queryable,
  { chain, segmentId }: WrittenSegment,
  { completeFrom, completeTo, covers }: RetiredRange,
): Promise<number> {
  const kinds = covers.flatMap((kind) => storedKinds[kind] ?? [])
  const range = [chain, segmentId, completeFrom, completeTo, kinds]
  await transaction.execute(
    `UPDATE ledger.transfer known SET ${NOT_ELSEWHERE}
     WHERE segment_id IN (SELECT s.segment_id FROM ledger.segment s WHERE s.chain = $1) AND other_block BETWEEN $3 AND $4
       AND other_segment_id <> $2 AND NOT ${isUnseen('known.other_segment_id')} AND block_number NOT BETWEEN $3 AND $4
       AND kind = ANY ($5::text[]::"char"[])`,
    range,
  )
  await transaction.execute(
    `UPDATE ledger.transfer known SET block_number = other_block, occurred_at_s = other_at_s, tx_index = other_tx_index, place = other_place,
       earlier_gaps = CASE WHEN ${WAS_FAILED} AND absent_segment_id IS NOT NULL
         THEN earlier_gaps || ARRAY[absent_segment_id, restored_segment_id] ELSE earlier_gaps END,
       absent_segment_id = CASE WHEN ${WAS_FAILED} THEN failed_segment_id ELSE absent_segment_id END,
       restored_segment_id = CASE WHEN ${WAS_FAILED} THEN $2 ELSE restored_segment_id END,
       failed_segment_id = CASE WHEN ${IS_PROVEN} THEN failed_segment_id END, ${NOT_ELSEWHERE}
     WHERE ${IS_NOT_TOLD} AND other_segment_id IS NOT NULL AND NOT ${isUnseen('known.other_segment_id')}
       AND other_block NOT BETWEEN $3 AND $4`,
    range,
  )
  return await transaction.execute(
    `UPDATE ledger.transfer SET retired_segment_id = $2 WHERE ${IS_NOT_TOLD}`,
    range,
  )
}

async function countTimed(transaction: Queryable, { chain, segmentId }: WrittenSegment): Promise<number> {
  const [row] = await transaction.query<{ count: number }>(
    `SELECT count(*) FROM ledger.transfer t
     JOIN ledger.segment own USING (segment_id)
     JOIN ledger.block b ON b.chain = own.chain AND b.height = t.block_number AND b.segment_id = $2
     WHERE own.chain = $1 AND t.occurred_at_s IS NULL AND own.ledger_seq IS NOT NULL
       AND NOT EXISTS (
         SELECT FROM ledger.block other JOIN ledger.segment s USING (segment_id)
         WHERE other.chain = own.chain AND other.height = t.block_number AND s.ledger_seq IS NOT NULL)`,
    [chain, segmentId],
  )
  return row!.count
}

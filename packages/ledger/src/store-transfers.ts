/** Stores the transfers of a batch. */
import type { Queryable } from '@cupel/postgres'
import { isUnseen } from './segments.js'
import type { Batch, BatchPlace } from './batch.js'
import { hashDigits } from './stored-values.js'

/** A row of a killed import has the key of a new one. */
const IS_UNSEEN = isUnseen('known.segment_id')

/**
 * Inserts new transfers. Takes over the invisible rows of a killed import. Adds proofs of execution or failure to known
 * transfers. A file that replaces its range also updates the block of a transfer and restores a transfer that an earlier
 * file had retired.
 */
const STORE = {
  name: 'ledger.store',
  text: `
    WITH stored AS (
      INSERT INTO ledger.transfer AS known (transfer_id, segment_id, proven_segment_id, failed_segment_id, from_id, to_id, kind,
        contract_id, tx_hash, amount, block_number, occurred_at_s, tx_index, place, from_net, to_net)
      SELECT id, $1, CASE execution WHEN 'proven' THEN $1::int4 END, CASE execution WHEN 'failed' THEN $1::int4 END,
        sender, receiver, kind::"char", contract, decode(tx_hash, 'hex'), amount, block, at_s, tx_index, place, from_net, to_net
      FROM unnest($2::uuid[], $3::text[], $4::int4[], $5::int4[], $6::text[], $7::int2[], $8::text[], $9::numeric[],
        $10::int4[], $11::int4[], $12::int4[], $13::int8[], $14::numeric[], $15::numeric[])
        AS told (id, execution, sender, receiver, kind, contract, tx_hash, amount, block, at_s, tx_index, place,
          from_net, to_net)
      ON CONFLICT (transfer_id) DO UPDATE SET
        segment_id = CASE WHEN ${IS_UNSEEN} THEN excluded.segment_id ELSE known.segment_id END,
        proven_segment_id = CASE WHEN $16 AND excluded.failed_segment_id IS NOT NULL THEN NULL
          WHEN ${isUnseen('known.proven_segment_id')}
          THEN coalesce(excluded.proven_segment_id, known.proven_segment_id) ELSE known.proven_segment_id END,
        failed_segment_id = CASE WHEN $16 AND excluded.proven_segment_id IS NOT NULL THEN NULL
          WHEN ${isUnseen('known.failed_segment_id')}
          THEN coalesce(excluded.failed_segment_id, known.failed_segment_id) ELSE known.failed_segment_id END,
        retired_segment_id = CASE WHEN $16 THEN NULL ELSE known.retired_segment_id END,
        block_number = CASE WHEN $16 THEN excluded.block_number ELSE known.block_number END,
        occurred_at_s = CASE WHEN $16 THEN excluded.occurred_at_s ELSE known.occurred_at_s END,
        tx_index = CASE WHEN $16 THEN excluded.tx_index ELSE known.tx_index END,
        place = CASE WHEN $16 THEN excluded.place ELSE known.place END,
        seen_segment_id = CASE WHEN ${IS_UNSEEN} THEN NULL ELSE excluded.segment_id END
        WHERE coalesce(known.seen_segment_id, known.segment_id) <> excluded.segment_id
      RETURNING (xmax = 0) AS is_new, transfer_id)
    SELECT count(*) FILTER (WHERE is_new AND NOT transfer_id = ANY ($17::uuid[])) AS added,
      count(*) FILTER (WHERE is_new) AS inserted
    FROM stored`,
}

export interface StoredTransfers {
  /** New transfers with a counterparty. */
  readonly added: number
  /** Every transfer of the batch was new, so its row is as the file tells it. */
  readonly areAsTold: boolean
}

export async function storeTransfers(
  transaction: Queryable,
  { segmentId, transfers, uncounted }: Batch,
  { state: { replaces, chain }, numbers: { addresses, contracts } }: BatchPlace,
): Promise<StoredTransfers> {
  const told = [...transfers.values()]
  const ends = told.flatMap(({ from, to }) => [from, to])
  const numberOf = await addresses.numbersOf(transaction, chain, ends)
  const tokens = told.flatMap(({ contract }) => (contract === '' ? [] : [contract]))
  const numberOfContract = await contracts.numbersOf(transaction, chain, tokens)
  const [row] = await transaction.query<{ added: number; inserted: number }>(STORE, [
    segmentId,
    [...transfers.keys()],
    told.map(({ execution }) => execution),
    told.map(({ from }) => numberOf(from)),
    told.map(({ to }) => numberOf(to)),
    told.map(({ kind }) => kind),
    told.map(({ contract }) => (contract === '' ? null : numberOfContract(contract))),
    told.map(({ txHash }) => hashDigits(txHash)),
    told.map(({ amount }) => amount.toString()),
    told.map(({ blockNumber }) => blockNumber),
    told.map(({ occurredAtS }) => occurredAtS),
    told.map(({ txIndex }) => txIndex),
    told.map(({ place }) => place),
    orNone(told.map(({ fromNet }) => fromNet?.toString() ?? null)),
    orNone(told.map(({ toNet }) => toNet?.toString() ?? null)),
    replaces,
    [...uncounted],
  ])
  return { added: row!.added, areAsTold: row!.inserted === transfers.size }
}

/** No values at all if all are null: unnest fills up the shorter arrays with nulls. */
const orNone = (values: readonly (string | null)[]): readonly (string | null)[] =>
  values.every((value) => value === null) ? [] : values

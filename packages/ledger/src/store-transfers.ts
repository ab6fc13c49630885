/** Stores the transfers of a batch. */
import type { Queryable } from '@cupel/postgres'
import { isUnseen } from './segments.js'
import type { Batch, BatchPlace } from './batch.js'
import type { ToldTransfer } from './formats/ledger-row.js'
import { hashDigits, plainArray, type PlainValue } from './stored-values.js'

/** A row of a killed import has the key of a new one. */
const IS_UNSEEN = isUnseen('known.segment_id')

/** The ids that some row has, also one that no state shows: they are few, so most rows are inserted without a conflict in mind. */
const KNOWN = {
  name: 'ledger.known-transfers',
  text: 'SELECT transfer_id AS id FROM ledger.transfer WHERE transfer_id = ANY ($1::uuid[])',
}

const INSERT = `
    INSERT INTO ledger.transfer AS known (transfer_id, segment_id, proven_segment_id, failed_segment_id, from_id, to_id, kind,
      contract_id, tx_hash, amount, block_number, occurred_at_s, tx_index, place, from_net, to_net)
    SELECT id, $1, CASE execution WHEN 'proven' THEN $1::int4 END, CASE execution WHEN 'failed' THEN $1::int4 END,
      sender, receiver, kind::"char", contract, decode(tx_hash, 'hex'), amount, block, at_s, tx_index, place, from_net, to_net
    FROM unnest($2::uuid[], $3::text[], $4::int4[], $5::int4[], $6::text[], $7::int2[], $8::text[], $9::numeric[],
      $10::int4[], $11::int4[], $12::int4[], $13::int8[], $14::numeric[], $15::numeric[])
      AS told (id, execution, sender, receiver, kind, contract, tx_hash, amount, block, at_s, tx_index, place,
        from_net, to_net)`

const STORE_NEW = { name: 'ledger.store-new', text: INSERT }

/**
 * Takes over the invisible rows of a killed import. Adds proofs of execution or failure to known transfers. A file that replaces its range
 * also updates the block of a transfer and restores a transfer that an earlier file had retired.
 */
const STORE_KNOWN = {
  name: 'ledger.store-known',
  text: `${INSERT}
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
      WHERE coalesce(known.seen_segment_id, known.segment_id) <> excluded.segment_id`,
}

export interface StoredTransfers {
  /** New transfers with a counterparty. */
  readonly added: number
  /** Every transfer of the batch was new, so its row is as the file tells it. */
  readonly areAsTold: boolean
}

export async function storeTransfers(
  transaction: Queryable,
  { segmentId, transfers, uncounted, owners }: Batch,
  { state: { replaces, chain }, numbers: { addresses, contracts } }: BatchPlace,
): Promise<StoredTransfers> {
  const known = new Set<string>()
  const rows = await transaction.query<{ id: string }>(KNOWN, [plainArray([...transfers.keys()])])
  for (const { id } of rows) known.add(id.replaceAll('-', ''))
  const told = [...transfers]
  const ends = [...told.map(([, { from }]) => from), ...told.map(([, { to }]) => to), ...owners.keys()]
  const numbersOfEnds = await addresses.numbersOf(transaction, chain, ends)
  const contractsOfTold = told.map(([, { contract }]) => contract)
  const tokens = contractsOfTold.filter((contract) => contract !== '')
  const numbersOfTokens = await contracts.numbersOf(transaction, chain, tokens)
  const numberOfToken = new Map(tokens.map((contract, index) => [contract, numbersOfTokens[index]!]))
  const valuesOf = (isKnown: boolean): readonly unknown[] | null => {
    const at = [...told.keys()].filter((index) => known.has(told[index]![0]) === isKnown)
    if (at.length === 0) return null
    const column = (valueOf: (transfer: ToldTransfer, index: number) => PlainValue): string =>
      plainArray(at.map((index) => valueOf(told[index]![1], index)))
    return [
      segmentId,
      plainArray(at.map((index) => told[index]![0])),
      column(({ execution }) => execution),
      column((_, index) => numbersOfEnds[index]!),
      column((_, index) => numbersOfEnds[told.length + index]!),
      column(({ kind }) => kind),
      column(({ contract }) => numberOfToken.get(contract) ?? null),
      column(({ txHash }) => hashDigits(txHash)),
      column(({ amount }) => amount.toString()),
      column(({ blockNumber }) => blockNumber),
      column(({ occurredAtS }) => occurredAtS),
      column(({ txIndex }) => txIndex),
      column(({ place }) => place),
      column(({ fromNet }) => fromNet?.toString() ?? null),
      column(({ toNet }) => toNet?.toString() ?? null),
    ]
  }
  const [fresh, others] = [valuesOf(false), valuesOf(true)]
  if (fresh !== null) await transaction.execute(STORE_NEW, fresh)
  if (others !== null) await transaction.execute(STORE_KNOWN, [...others, replaces])
  const added = told.filter(([id]) => !known.has(id) && !uncounted.has(id)).length
  return { added, areAsTold: known.size === 0 }
}

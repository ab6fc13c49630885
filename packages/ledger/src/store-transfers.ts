/** Stores the transfers of a batch. */
import type { Transaction } from '@cupel/postgres'
import { isUnseen } from './segments.js'
import type { Batch } from './batch.js'
import type { KeptTransfer } from './formats/ledger-row.js'
import type { StoredTransfers, StorePlace } from './store/transfer-writer.js'
import { hashDigits, plainArray, type PlainValue } from './stored-values.js'
import { COPY_TRANSFERS, createToldRows, type NumberedEnds } from './told-rows.js'

/** A row of a killed import has the key of a new one. */
const IS_UNSEEN = isUnseen('known.segment_id')

/** The ids that some row has, also one that no state shows: they are few, so most rows are copied. */
const KNOWN = {
  name: 'ledger.known-transfers',
  text: `SELECT transfer_id AS id, retired_segment_id IS NOT NULL OR restored_segment_id IS NOT NULL AS was_retired
         FROM ledger.transfer WHERE transfer_id = ANY ($1::uuid[])`,
}

const STILL_RETIRED = {
  name: 'ledger.still-retired',
  text: `SELECT count(*) FROM ledger.transfer known WHERE transfer_id = ANY ($1::uuid[])
           AND (retired_segment_id IS NOT NULL OR restored_segment_id <> $2 AND ${isUnseen('known.restored_segment_id')})`,
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

/** The transaction of a retired transfer is in another block now: a reorganisation moved it to one that no file replaces. */
const IS_MOVED = 'known.retired_segment_id IS NOT NULL AND excluded.block_number <> known.block_number'
const IS_PLACED = `($16 OR ${IS_MOVED})`

/** What a killed import restored. */
const IS_TAKEN_OVER = `known.restored_segment_id IS NOT NULL AND ${isUnseen('known.restored_segment_id')}
        AND ($16 OR excluded.block_number >= known.block_number)`
const IS_RESTORED = `(known.retired_segment_id IS NOT NULL AND ${IS_PLACED} OR ${IS_TAKEN_OVER})`

/** Two blocks tell it, and nobody knows yet which of them was replaced. */
const IS_IN_OTHER = 'known.retired_segment_id IS NULL AND excluded.block_number <> known.block_number'

/** A payment that fails in the other block is none there. */
const IS_ELSEWHERE = `${IS_IN_OTHER}
        AND excluded.failed_segment_id IS NULL AND (known.other_segment_id IS NULL
          OR excluded.block_number >= known.other_block OR ${isUnseen('known.other_segment_id')})`

/** A dead import that restored it ended no gap. */
const GOES_ON_ABSENT = `known.absent_segment_id IS NOT NULL AND ${isUnseen('known.restored_segment_id')}`

/** What the file tells of another block than the row has; see `ledger.transfer`. */
const other = (column: string, told: string): string => `
      other_${column} = CASE WHEN ${IS_PLACED} THEN NULL WHEN ${IS_ELSEWHERE} THEN excluded.${told} ELSE known.other_${column} END`

/**
 * Takes over the invisible rows of a killed import. Adds proofs of execution or failure to known transfers. A file that replaces its range
 * also updates the block of a transfer and restores a transfer that an earlier file had retired, as any file does that tells it in another block.
 * The failure of such a one says nothing of its new block, and a failure in another block nothing of its own. Any other file that tells a transfer in another block is remembered.
 */
const STORE_KNOWN = {
  name: 'ledger.store-known',
  text: `${INSERT}
    ON CONFLICT (transfer_id) DO UPDATE SET
      segment_id = CASE WHEN ${IS_UNSEEN} THEN excluded.segment_id ELSE known.segment_id END,
      proven_segment_id = CASE WHEN ${IS_PLACED} AND excluded.failed_segment_id IS NOT NULL THEN NULL
        WHEN ${isUnseen('known.proven_segment_id')}
        THEN coalesce(excluded.proven_segment_id, known.proven_segment_id) ELSE known.proven_segment_id END,
      failed_segment_id = CASE WHEN ${IS_MOVED} OR $16 AND excluded.proven_segment_id IS NOT NULL THEN excluded.failed_segment_id
        WHEN NOT $16 AND ${IS_IN_OTHER} AND NOT ${IS_UNSEEN} THEN known.failed_segment_id
        WHEN ${isUnseen('known.failed_segment_id')}
        THEN coalesce(excluded.failed_segment_id, known.failed_segment_id) ELSE known.failed_segment_id END,
      earlier_gaps = CASE WHEN ${IS_RESTORED} AND known.absent_segment_id IS NOT NULL AND NOT (${GOES_ON_ABSENT})
        THEN known.earlier_gaps || ARRAY[known.absent_segment_id, known.restored_segment_id] ELSE known.earlier_gaps END,
      absent_segment_id = CASE WHEN ${IS_RESTORED} AND NOT (${GOES_ON_ABSENT}) THEN coalesce(known.retired_segment_id, known.absent_segment_id)
        ELSE known.absent_segment_id END,
      restored_segment_id = CASE WHEN ${IS_RESTORED} THEN excluded.segment_id ELSE known.restored_segment_id END,
      retired_segment_id = CASE WHEN ${IS_PLACED} THEN NULL ELSE known.retired_segment_id END,
      block_number = CASE WHEN ${IS_PLACED} THEN excluded.block_number ELSE known.block_number END,
      occurred_at_s = CASE WHEN ${IS_PLACED} THEN excluded.occurred_at_s ELSE known.occurred_at_s END,
      tx_index = CASE WHEN ${IS_PLACED} THEN excluded.tx_index ELSE known.tx_index END,
      place = CASE WHEN ${IS_PLACED} THEN excluded.place ELSE known.place END,
      ${[other('segment_id', 'segment_id'), other('block', 'block_number'), other('at_s', 'occurred_at_s'), other('tx_index', 'tx_index'), other('place', 'place')].join().trim()},
      seen_segment_id = CASE WHEN ${IS_UNSEEN} THEN NULL ELSE excluded.segment_id END
      WHERE coalesce(known.seen_segment_id, known.segment_id) <> excluded.segment_id OR ${IS_MOVED}`,
}

export async function storeTransfers(
  transaction: Transaction,
  { segmentId, transfers, uncounted, owners }: Batch,
  { state: { replaces, chain }, numbers: { addresses, contracts }, areNew }: StorePlace,
): Promise<StoredTransfers> {
  const known = new Set<string>()
  const wereRetired: string[] = []
  const found = areNew
    ? []
    : await transaction.query<{ id: string; was_retired: boolean }>(KNOWN, [
        plainArray([...transfers.keys()]),
      ])
  for (const row of found) {
    const id = row.id.replaceAll('-', '')
    known.add(id)
    // A call that got a name counts under it.
    if (row.was_retired && !uncounted.has(id) && transfers.get(id)!.txHash !== '') wereRetired.push(id)
  }
  const ends: string[] = []
  const tokens = new Set<string>()
  for (const { from, to, contract } of transfers.values()) {
    ends.push(from, to)
    if (contract !== '') tokens.add(contract)
  }
  for (const owner of owners.keys()) ends.push(owner)
  const numbersOfEnds = await addresses.numbersOf(transaction, chain, ends)
  const numbersOfTokens = await contracts.numbersOf(transaction, chain, [...tokens])
  const numberOfToken = new Map([...tokens].map((contract, index) => [contract, numbersOfTokens[index]!]))
  const rows = createToldRows(segmentId, transfers.size - known.size)
  const others: Numbered[] = []
  let added = 0
  let end = 0
  for (const [id, transfer] of transfers) {
    const [from, to] = [numbersOfEnds[end]!, numbersOfEnds[end + 1]!]
    end += 2
    const contract = numberOfToken.get(transfer.contract) ?? null
    if (known.has(id)) {
      others.push({ id, transfer, from, to, contract })
      continue
    }
    rows.add(id, transfer, { from, to, contract })
    if (!uncounted.has(id)) added += 1
  }
  if (rows.count() > 0) await transaction.copy(COPY_TRANSFERS, rows.lines())
  if (others.length > 0) await transaction.execute(STORE_KNOWN, [segmentId, ...columnsOf(others), replaces])
  const retired = wereRetired.length === 0 ? 0 : await countRetired(transaction, wereRetired, segmentId)
  return { added, retired, areAsTold: known.size === 0, sums: rows.sums() }
}

async function countRetired(
  transaction: Transaction,
  ids: readonly string[],
  segmentId: number,
): Promise<number> {
  const [row] = await transaction.query<{ count: number }>(STILL_RETIRED, [plainArray(ids), segmentId])
  return row!.count
}

interface Numbered extends NumberedEnds {
  readonly id: string
  readonly transfer: KeptTransfer
}

/** In the order of `INSERT`. */
function columnsOf(rows: readonly Numbered[]): readonly string[] {
  const column = (valueOf: (row: Numbered) => PlainValue): string => plainArray(rows.map(valueOf))
  const told = (valueOf: (transfer: KeptTransfer) => PlainValue): string =>
    column(({ transfer }) => valueOf(transfer))
  return [
    column(({ id }) => id),
    told(({ execution }) => execution),
    column(({ from }) => from),
    column(({ to }) => to),
    told(({ kind }) => kind),
    column(({ contract }) => contract),
    told(({ txHash }) => hashDigits(txHash)),
    told(({ amount }) => amount.toString()),
    told(({ blockNumber }) => blockNumber),
    told(({ occurredAtS }) => occurredAtS),
    told(({ txIndex }) => txIndex),
    told(({ place }) => place),
    told(({ fromNet }) => fromNet?.toString() ?? null),
    told(({ toNet }) => toNet?.toString() ?? null),
  ]
}

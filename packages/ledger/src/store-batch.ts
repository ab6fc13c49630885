/** Stores a batch of transfers and its position in the file in one transaction. */
import type { Database, Queryable } from '@cupel/postgres'
import { placeOf, type Batch, type SegmentState } from './batch.js'
import type { KnownIds } from './known-ids.js'
import { otherPosition } from './other-position.js'
import { added as addedSums, NO_ROWS, notedSums, sumsText } from './row-sums.js'
import { isUnseen } from './segments.js'
import type { StorePlace, TransferWriter } from './store/transfer-writer.js'
import { hashDigits } from './stored-values.js'
import { tellOwnRows } from './told-rows.js'
import { widened } from './widened-heights.js'

/** A row of a killed import has the key of a new one. */
const IS_UNSEEN = isUnseen('known.segment_id')

const JOIN = {
  name: 'ledger.join',
  text: `
    INSERT INTO ledger.cluster_join AS known (chain, address, other, tx_hash, segment_id)
    SELECT $2, address, other, tx_hash, $1
    FROM unnest($3::text[], $4::text[], $5::text[]) AS told (one, another, tx_hash)
    CROSS JOIN LATERAL (VALUES (one, another), (another, one)) AS pair (address, other)
    ON CONFLICT (chain, address, other) DO UPDATE SET tx_hash = excluded.tx_hash, segment_id = excluded.segment_id
    WHERE known.segment_id <> excluded.segment_id AND ${IS_UNSEEN}`,
}

const STORE_OWNERS = {
  name: 'ledger.store-owners',
  text: `
    INSERT INTO ledger.owner_address AS known (chain, owner_key, address, segment_id)
    SELECT $2, key, address, $1 FROM unnest($3::text[], $4::text[]) AS told (address, key)
    ON CONFLICT (chain, address) DO UPDATE SET segment_id = excluded.segment_id
    WHERE known.segment_id <> excluded.segment_id AND ${IS_UNSEEN}`,
}

const STORE_TOKENS = {
  name: 'ledger.store-tokens',
  text: `
    INSERT INTO ledger.unknown_token AS known (transfer_id, segment_id, chain, from_address, to_address, contract, amount)
    SELECT id, $1, $2, sender, receiver, contract, amount
    FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::numeric[])
      AS told (id, sender, receiver, contract, amount)
    ON CONFLICT (transfer_id) DO UPDATE SET segment_id = excluded.segment_id
    WHERE known.segment_id <> excluded.segment_id AND ${IS_UNSEEN}`,
}

const STORE_BLOCKS = {
  name: 'ledger.store-blocks',
  text: `
    INSERT INTO ledger.block AS known (chain, height, at_s, segment_id)
    SELECT $2, height, at_s, $1 FROM unnest($3::int8[], $4::int8[]) AS told (height, at_s)
    ON CONFLICT (chain, height, at_s) DO UPDATE SET segment_id = excluded.segment_id
    WHERE known.segment_id <> excluded.segment_id AND ${IS_UNSEEN}`,
}

/** A file that replaces its range knows what a reorganisation moved; otherwise the first file is believed. */
const STORE_PLACES = {
  name: 'ledger.store-places',
  text: `
    INSERT INTO ledger.transaction_place AS known (chain, block_number, tx_index, tx_hash, segment_id)
    SELECT $2, block, tx_index, decode(tx_hash, 'hex'), $1
    FROM unnest($3::int4[], $4::int4[], $5::text[]) AS told (block, tx_index, tx_hash)
    ON CONFLICT (chain, block_number, tx_index) DO UPDATE SET tx_hash = excluded.tx_hash, segment_id = excluded.segment_id
    WHERE known.segment_id <> excluded.segment_id AND ($6 OR ${IS_UNSEEN})`,
}

export interface BatchPlace extends Omit<StorePlace, 'areNew'> {
  readonly knownIds: KnownIds
  readonly writer: TransferWriter
}

/** Advances the state of the segment to the end of the batch: in the database first, then in memory. */
export async function storeBatch(
  database: Database,
  batch: Batch,
  { state, numbers, knownIds, writer }: BatchPlace,
): Promise<void> {
  const counts = { ...state.counts }
  const count = (name: string, more: number): void => {
    if (more > 0) counts[name] = (counts[name] ?? 0) + more
  }
  const heights = widened(state, batch)
  let { rowSums } = state
  const areNew = await knownIds.areNew(batch.transfers.keys(), batch.outcomes.size > 0)
  await database.transaction({ at: 'ledger.batch', synchronousCommit: 'off' }, async (transaction) => {
    let areAsTold = true
    let copied = NO_ROWS
    await tellOwnRows(transaction)
    if (batch.transfers.size > 0) {
      const stored = await writer.store(transaction, batch, { state, numbers, areNew })
      areAsTold = stored.areAsTold
      copied = stored.sums
      count('added', stored.added)
      count('left_out.retired', stored.retired)
      count('known', batch.transfers.size - batch.uncounted.size - stored.added - stored.retired)
    }
    count('known', batch.repeated)
    if (batch.outcomes.size > 0) {
      count('contradicted', await writer.countContradicted(transaction, batch, state))
      count('proven', await writer.prove(transaction, batch, state))
    }
    if (batch.unreadable.length > 0) await storeUnreadable(transaction, batch)
    if (batch.tokens.size > 0) await storeTokens(transaction, batch, state)
    if (batch.joins.size > 0) await storeJoins(transaction, batch, state)
    if (batch.owners.size > 0) {
      // Every address of the ledger has a number: those that are new are found by it.
      if (batch.transfers.size === 0)
        await numbers.addresses.numbersOf(transaction, state.chain, [...batch.owners.keys()])
      const told = [[...batch.owners.keys()], [...batch.owners.values()]]
      await transaction.execute(STORE_OWNERS, [batch.segmentId, state.chain, ...told])
    }
    if (batch.blocks.size > 0) {
      const told = [[...batch.blocks.keys()], [...batch.blocks.values()]]
      await transaction.execute(STORE_BLOCKS, [batch.segmentId, state.chain, ...told])
    }
    const places = areAsTold && !state.replaces ? batch.places : allPlaces(batch)
    if (places.size > 0) await storePlaces(transaction, [...places], state)
    for (const [reason, more] of batch.leftOut) count(`left_out.${reason}`, more)
    const made = [numbers.addresses.takeSums(), numbers.contracts.takeSums(), await notedSums(transaction)]
    rowSums = [copied, ...made].reduce((sums, more) => addedSums(sums, more), state.rowSums)
    await advance(transaction, batch, { state, counts, heights, rowSums })
  })
  numbers.addresses.keep()
  numbers.contracts.keep()
  state.rowsDone += batch.rows
  Object.assign(state.counts, counts)
  Object.assign(state, heights, { rowSums })
}

/** Errors: as `otherPosition` tells. */
async function advance(
  transaction: Queryable,
  batch: Batch,
  {
    state,
    counts,
    heights,
    rowSums,
  }: Pick<SegmentState, 'counts' | 'rowSums'> & {
    readonly state: SegmentState
    readonly heights: ReturnType<typeof widened>
  },
): Promise<void> {
  const advanced = await transaction.execute(
    `UPDATE ledger.segment SET rows_done = $2, counts = $3, first_height = $4, last_height = $5, last_at_s = $6,
       row_sums = string_to_array($7, ',')::numeric[]
     WHERE segment_id = $1 AND rows_done = $8 AND ledger_seq IS NULL`,
    [
      batch.segmentId,
      state.rowsDone + batch.rows,
      JSON.stringify(counts),
      heights.firstHeight,
      heights.lastHeight,
      heights.lastHeightAtS,
      sumsText(rowSums),
      state.rowsDone,
    ],
  )
  if (advanced === 0) throw otherPosition()
}

async function storeTokens(
  transaction: Queryable,
  { segmentId, tokens }: Batch,
  { chain }: SegmentState,
): Promise<void> {
  const told = [...tokens.values()]
  await transaction.execute(STORE_TOKENS, [
    segmentId,
    chain,
    [...tokens.keys()],
    told.map(({ from }) => from),
    told.map(({ to }) => to),
    told.map(({ contract }) => contract),
    told.map(({ amount }) => amount.toString()),
  ])
}

/** With those that the rows of transfers tell. */
function allPlaces({ places, transfers, hasCalls }: Batch): ReadonlyMap<string, string> {
  const told = new Map<string, string>()
  for (const transfer of hasCalls ? transfers.values() : []) {
    const place = placeOf(transfer)
    if (place !== null) told.set(place, transfer.txHash)
  }
  return new Map([...told, ...places])
}

async function storePlaces(
  transaction: Queryable,
  places: readonly (readonly [place: string, txHash: string])[],
  { segmentId, chain, replaces }: SegmentState,
): Promise<void> {
  const told = places.map(([place]) => place.split(' '))
  const [blocks, indexes] = [told.map(([block]) => block), told.map(([, index]) => index)]
  await transaction.execute(STORE_PLACES, [
    ...[segmentId, chain, blocks, indexes],
    places.map(([, txHash]) => hashDigits(txHash)),
    replaces,
  ])
}

/** An import that began again finds its own rows. */
async function storeUnreadable(transaction: Queryable, { segmentId, unreadable }: Batch): Promise<void> {
  await transaction.execute(
    `INSERT INTO ledger.unreadable_row (segment_id, line, height, kinds, message)
     SELECT $1, line, height, string_to_array(kinds, ','), message
     FROM unnest($2::int8[], $3::int8[], $4::text[], $5::text[]) AS told (line, height, kinds, message)
     ON CONFLICT DO NOTHING`,
    [
      segmentId,
      unreadable.map(({ line }) => line),
      unreadable.map(({ height }) => height),
      unreadable.map(({ kinds }) => kinds.join()),
      unreadable.map(({ message }) => message.slice(0, 500)),
    ],
  )
}

async function storeJoins(
  transaction: Queryable,
  { segmentId, joins }: Batch,
  { chain }: SegmentState,
): Promise<void> {
  const pairs = [...joins.keys()].map((pair) => pair.split(' '))
  await transaction.execute(JOIN, [
    segmentId,
    chain,
    pairs.map(([one]) => one),
    pairs.map(([, another]) => another),
    [...joins.values()],
  ])
}

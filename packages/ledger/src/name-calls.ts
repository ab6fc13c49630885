/**
 * Traces of geth tell the place of a transaction, other sources its hash. As soon as a file tells both, a call that has only a place gets the
 * name that it has in every other file, so that it counts once.
 */
import type { Queryable } from '@cupel/postgres'
import { isUnseen } from './segments.js'
import type { SegmentState } from './batch.js'
import { addressOf, contractOf } from './stored-values.js'
import { namedCallId } from './transfer-identity.js'

const isVisible = (segment: string): string => `(${segment} = $2 OR NOT ${isUnseen(segment)})`

const SAME_CALL = (one: string, other: string): string =>
  ['kind', 'from_id', 'to_id', 'amount', 'block_number']
    .map((column) => `${one}.${column} = ${other}.${column}`)
    .concat(`${one}.contract_id IS NOT DISTINCT FROM ${other}.contract_id`)
    .join(' AND ')

/** The chain is looked up for each of the few calls: no plan may read all segments. */
const NAMELESS = `(SELECT s.chain FROM ledger.segment s WHERE s.segment_id = call.segment_id) = $1
  AND call.kind = 'i' AND call.tx_hash = '' AND call.retired_segment_id IS NULL AND ${isVisible('call.segment_id')}`

/** Equal calls that got a name before have the first numbers. */
const namedBefore = (where: string): string => `(
  SELECT count(*) FROM ledger.transfer sibling
  WHERE ${SAME_CALL('sibling', 'call')} AND sibling.kind = 'i' AND sibling.tx_hash = ''
    AND sibling.retired_segment_id IS NOT NULL ${where})`

/** A publication sees its own rows and those of published segments. */
const IS_TOLD = 's.chain = $1 AND (s.ledger_seq IS NOT NULL OR s.segment_id = $2)'

/** The transaction at each place of such a call: that of the last file that replaced its range, else that of the first file. */
const PLACES = `
  SELECT place.block_number, place.tx_index, at.tx_hash
  FROM (SELECT DISTINCT call.block_number, call.tx_index FROM ledger.transfer call WHERE ${NAMELESS}) place
  CROSS JOIN LATERAL (
    SELECT told.tx_hash FROM (
      SELECT p.tx_hash, s.ledger_seq, s.replaces FROM ledger.transaction_place p JOIN ledger.segment s USING (segment_id)
      WHERE p.chain = $1 AND p.block_number = place.block_number AND p.tx_index = place.tx_index AND ${IS_TOLD}
      UNION ALL
      SELECT t.tx_hash, s.ledger_seq, false FROM ledger.transfer t JOIN ledger.segment s USING (segment_id)
      WHERE t.block_number = place.block_number AND t.tx_index = place.tx_index AND t.tx_hash <> '' AND t.tx_index IS NOT NULL
        AND ${IS_TOLD}) told
    ORDER BY told.replaces DESC, told.ledger_seq NULLS LAST LIMIT 1) at`

/** Calls at the place of a known transaction. */
const BY_PLACE = `
  SELECT transfer_id AS call, name, ${namedCallId(
    ['$1::text', `'internal'`, contractOf('contract_id'), addressOf('from_id'), addressOf('to_id'), 'amount'],
    'ledger.tx_hash_text(name)',
    'number',
  )} AS named
  FROM (
    SELECT call.*, at.tx_hash AS name,
      ${namedBefore('AND sibling.tx_index = call.tx_index')}
        + row_number() OVER (PARTITION BY at.tx_hash, call.contract_id, call.from_id, call.to_id, call.amount
          ORDER BY call.transfer_id) - 1 AS number
    FROM ledger.transfer call
    JOIN (${PLACES}) at USING (block_number, tx_index)
    WHERE ${NAMELESS}) numbered`

/** Calls in the block of an equal one that has a hash, and whose index no file tells: it matches any. Each is matched once. */
const BY_BLOCK = `
  SELECT nameless.call, named.named
  FROM (
    SELECT call.transfer_id AS call, call.kind, call.contract_id, call.from_id, call.to_id, call.amount,
      call.block_number, ${namedBefore('')} + row_number() OVER (PARTITION BY call.block_number, call.contract_id,
        call.from_id, call.to_id, call.amount ORDER BY call.transfer_id) AS number
    FROM ledger.transfer call WHERE ${NAMELESS}) nameless
  CROSS JOIN LATERAL (
    SELECT one.transfer_id AS named, row_number() OVER (ORDER BY one.transfer_id) AS number FROM ledger.transfer one
    WHERE ${SAME_CALL('one', 'nameless')} AND one.kind = 'i' AND one.tx_hash <> '' AND one.tx_index IS NULL
      AND ${isVisible('one.segment_id')} AND NOT EXISTS (
        SELECT FROM ledger.transaction_place at
        WHERE at.chain = $1 AND at.block_number = one.block_number AND at.tx_hash = one.tx_hash
        UNION ALL
        SELECT FROM ledger.transfer t JOIN ledger.segment s USING (segment_id)
        WHERE t.block_number = one.block_number AND t.tx_hash = one.tx_hash AND t.tx_hash <> '' AND t.tx_index IS NOT NULL
          AND s.chain = $1)) named
  WHERE nameless.number = named.number`

const ADD_NAMED = {
  name: 'ledger.add-named-calls',
  text: `
    INSERT INTO ledger.transfer (transfer_id, segment_id, from_id, to_id, kind, contract_id, tx_hash, amount, block_number,
      occurred_at_s, tx_index, place)
    SELECT named, $2, from_id, to_id, kind, contract_id, name, amount, block_number, occurred_at_s, tx_index, place
    FROM (${BY_PLACE}) pair JOIN ledger.transfer call ON call.transfer_id = pair.call
    ON CONFLICT (transfer_id) DO NOTHING`,
}

const isNew = (fact: string): string =>
  `CASE WHEN call.${fact} IS NOT NULL AND ${isUnseen(`known.${fact}`)} THEN $2 ELSE known.${fact} END`

/** The named call takes over what the nameless one proves, and replaces it from this segment on. */
const merge = (name: string, pairs: string) => ({
  name,
  text: `
    WITH pair AS MATERIALIZED (${pairs}),
    taken AS (
      UPDATE ledger.transfer known SET proven_segment_id = ${isNew('proven_segment_id')},
        failed_segment_id = ${isNew('failed_segment_id')},
        segment_id = CASE WHEN ${isUnseen('known.segment_id')} THEN $2 ELSE known.segment_id END,
        seen_segment_id = nullif(coalesce(known.seen_segment_id, known.segment_id),
          CASE WHEN ${isUnseen('known.segment_id')} THEN $2 ELSE known.segment_id END)
      FROM pair JOIN ledger.transfer call ON call.transfer_id = pair.call
      WHERE known.transfer_id = pair.named)
    UPDATE ledger.transfer SET retired_segment_id = $2 FROM pair WHERE transfer_id = pair.call`,
})

const MERGE_BY_PLACE = merge('ledger.merge-calls-by-place', BY_PLACE)
const MERGE_BY_BLOCK = merge('ledger.merge-calls-by-block', BY_BLOCK)

export async function nameCalls(
  transaction: Queryable,
  { chain, segmentId }: Pick<SegmentState, 'chain' | 'segmentId'>,
): Promise<void> {
  for (const statement of [ADD_NAMED, MERGE_BY_PLACE, MERGE_BY_BLOCK])
    await transaction.execute(statement, [chain, segmentId])
}

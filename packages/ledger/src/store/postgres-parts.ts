/** The parts of the statements that read transfers from Postgres. */
import { listAssets, measuredAs } from '@cupel/domain'
import { blockAtS } from '../segments.js'
import { keptPlan, numberOf, plainArray } from '../stored-values.js'

export type Side = 'from_id' | 'to_id'

/** The planner takes a range with two ends for a small one, and reads it from the index, however many segments there are. */
const LAST_SEQ = '9223372036854775807'

/**
 * The segments that the state with the ledger_seq `$2` does not have, as the common table `unseen`: the later ones and those whose import is
 * not complete. They are few, so no row is joined with its segments; mostly there are none, and no row is compared.
 */
export const WITH_UNSEEN = `
    WITH unseen (ids, are_none) AS MATERIALIZED (
      SELECT ids, ids = '{}' FROM (
        SELECT ARRAY(SELECT segment_id FROM ledger.segment WHERE ledger_seq IS NULL UNION ALL
          SELECT segment_id FROM ledger.segment WHERE ledger_seq BETWEEN $2::int8 + 1 AND ${LAST_SEQ})) AS later (ids))`

/**
 * The asset table as the common table `asset` too, from the parameters `${first}` to `${first + 3}` that `assetValues` gives: value of different
 * assets is compared in units of their dust.
 */
export const withAssets = (first: number): string => `${WITH_UNSEEN},
    asset (ids, measured, factors, dusts) AS MATERIALIZED (
      SELECT array_agg(id), array_agg(($${first + 1}::text[])[at]), array_agg(($${first + 2}::numeric[])[at]),
        array_agg(($${first + 3}::numeric[])[at])
      FROM (
        SELECT 0::int2 AS id, array_position($${first}::text[], '') AS at
        UNION ALL SELECT contract_id, array_position($${first}::text[], contract) FROM ledger.contract WHERE chain = $1) known
      WHERE at IS NOT NULL)`

/** Texts of arrays: the driver would make them anew for each statement. */
type AssetValues = readonly string[]
const valuesOfChains = new Map<string, AssetValues>()

export function assetValues(chain: string): AssetValues {
  const known = valuesOfChains.get(chain)
  if (known !== undefined) return known
  const assets = listAssets().filter((one) => one.chain === chain)
  const measured = assets.map((one) => measuredAs(one))
  const values = [
    assets.map(({ contract }) => contract),
    measured.map(({ contract }) => contract),
    measured.map(({ factor }) => factor.toString()),
    measured.map(({ dust }) => dust.toString()),
  ].map(plainArray)
  valuesOfChains.set(chain, values)
  return values
}

/** SQL: a fact about the asset of a transfer, null for one outside the table. The common table has one row, so no row is joined with it. */
export const ofAsset = (fact: 'measured' | 'factors' | 'dusts'): string =>
  `(SELECT ${fact} FROM asset)[array_position((SELECT ids FROM asset), coalesce(t.contract_id, 0::int2))]`

/** SQL: the value of a transfer in units of its asset's dust. */
const WEIGHT = `coalesce(t.amount * ${ofAsset('factors')} / ${ofAsset('dusts')}, 0)`

/** SQL: a transfer of at least dust. */
export const IS_WORTH = `coalesce(t.amount * ${ofAsset('factors')} >= ${ofAsset('dusts')}, false)`

/**
 * SQL: the state has the segment of a transfer that the column names. The planner takes a comparison with unknown numbers for one that hardly
 * any row passes, and then compares each row with each asset; of a CASE it expects half.
 */
const isSeen = (segment: string): string =>
  `CASE WHEN t.${segment} IS NULL THEN false WHEN (SELECT are_none FROM unseen) THEN true
      ELSE t.${segment} <> ALL ((SELECT ids FROM unseen)::int4[]) END`

/** SQL: the state lies between the two segments of one of the earlier times at which the transfer was absent. */
const IS_IN_EARLIER_GAP = `t.earlier_gaps IS NOT NULL AND EXISTS (
      SELECT FROM generate_series(1, cardinality(t.earlier_gaps), 2) AS at
      WHERE t.earlier_gaps[at] <> ALL ((SELECT ids FROM unseen)::int4[])
        AND t.earlier_gaps[at + 1] = ANY ((SELECT ids FROM unseen)::int4[]))`

const IS_PROVEN = isSeen('proven_segment_id')

/**
 * Transfers of the address with the number `asked.id` that are visible in the state with the ledger_seq `$2`. A fact of a later segment (a proof, a
 * failure, a retirement) is ignored. A proof of success stands against a failure that another file states.
 */
export const seen = (side: Side): string => `
  FROM ledger.transfer t
  WHERE t.${side} = asked.id AND ${isSeen('segment_id')} AND NOT ${isSeen('retired_segment_id')}
    AND (t.absent_segment_id IS NULL OR NOT ${isSeen('absent_segment_id')} OR ${isSeen('restored_segment_id')})
    AND NOT (${IS_IN_EARLIER_GAP})
    AND (NOT ${isSeen('failed_segment_id')} OR t.kind = 'n' AND ${IS_PROVEN})`

/** SQL: addresses of the parameter, each with its number, as `asked`. */
export const asked = (parameter: string): string =>
  `(SELECT one.address, ${numberOf('one.address')} AS id FROM unnest(${keptPlan(`${parameter}::text[]`)}) AS one (address)) asked`

/** The caller knows the address, so only the counterparty is selected. */
export const sideOf = (side: Side, weight = WEIGHT): string => `
  SELECT t.transfer_id, ${weight} AS weight, t.tx_hash, t.kind, t.contract_id, t.amount, t.block_number, t.tx_index, t.place,
     coalesce(t.occurred_at_s, ${blockAtS('$1', 't.block_number')}) AS at_s, ${IS_PROVEN} AS proven,
     ${
       side === 'from_id'
         ? 'true AS outgoing, t.to_id AS counterparty, t.from_net AS net'
         : 'false, t.from_id, t.to_net'
     }
   ${seen(side)}`

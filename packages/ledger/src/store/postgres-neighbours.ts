/** Addresses that transfers in Postgres name, in any state. */
import type { Queryable } from '@cupel/postgres'
import { numberOf } from '../stored-values.js'
import type { NeighbourReader } from './transfer-store.js'

/** The columns of a transfer that name a segment: the one that brought it, proved it, called it failed, retired it, or restored it. */
const ROLES = [
  'segment_id',
  'proven_segment_id',
  'failed_segment_id',
  'retired_segment_id',
  'restored_segment_id',
]

const CHANGED = `
  SELECT DISTINCT text.address FROM (
    ${ROLES.map((role) => `SELECT from_id, to_id FROM ledger.transfer WHERE ${role} = ANY ($1::int4[])`).join(' UNION ALL ')}) changed
  CROSS JOIN LATERAL (VALUES (from_id), (to_id)) side (id)
  JOIN ledger.address text ON text.address_id = side.id LIMIT $2`

const RETOLD = `
  SELECT DISTINCT text.address FROM ledger.transfer t
  CROSS JOIN LATERAL (VALUES (t.from_id), (t.to_id)) side (id)
  JOIN ledger.address text ON text.address_id = side.id AND text.chain = $1
  WHERE t.block_number BETWEEN $3 AND $4 AND t.segment_id <> ALL ($2::int4[])
  LIMIT $5`

const NEIGHBOURS = `
  SELECT DISTINCT other.address FROM (SELECT ${numberOf('one.address')} AS address_id FROM unnest($2::text[]) AS one (address)) own
  CROSS JOIN LATERAL (
    SELECT t.to_id FROM ledger.transfer t WHERE t.from_id = own.address_id
    UNION
    SELECT t.from_id FROM ledger.transfer t WHERE t.to_id = own.address_id) side (id)
  JOIN ledger.address other ON other.address_id = side.id
  LIMIT $3`

export function neighboursIn(database: Queryable): NeighbourReader {
  const read = async (name: string, text: string, values: readonly unknown[]): Promise<readonly string[]> =>
    (await database.query<{ address: string }>({ name: `ledger.touched-${name}`, text }, values)).map(
      ({ address }) => address,
    )
  return {
    neighbours: async ({ chain, addresses, most }) =>
      await read('neighbours', NEIGHBOURS, [chain, addresses, most]),
    changedBy: async ({ segmentIds, most }) => await read('changed', CHANGED, [segmentIds, most]),
    retold: async ({ chain, low, high, segmentIds, most }) =>
      await read('retold', RETOLD, [chain, segmentIds, low, high, most]),
  }
}

/** The addresses with the most transfers, as the statistics know them that Postgres takes at each import: counting all would read all rows. */
import type { Queryable } from '@cupel/postgres'

/** Estimated rows of the transfers of an address, from which on its examination takes longer than a screen waits. */
const LEAST_ROWS = 200
/** Postgres names at most a hundred senders and a hundred receivers. */
const MOST_ADDRESSES = 200

const READ = {
  name: 'ledger.busiest-addresses',
  text: `
    SELECT a.address FROM (
      SELECT number, sum(share) AS share FROM (
        SELECT unnest(most_common_vals::text::int4[]) AS number, unnest(most_common_freqs) AS share
        FROM pg_stats WHERE schemaname = 'ledger' AND tablename = 'transfer' AND attname IN ('from_id', 'to_id')) side
      GROUP BY number) busy
    JOIN ledger.address a ON a.address_id = busy.number
    WHERE a.chain = $1 AND a.address <> ''
      AND share * (SELECT reltuples FROM pg_class WHERE oid = 'ledger.transfer'::regclass) >= ${LEAST_ROWS}
    ORDER BY share DESC, a.address LIMIT ${MOST_ADDRESSES}`,
}

/** The busiest first. An estimate: it decides which answers are ready early, and no answer. */
export async function busiestAddresses(database: Queryable, chain: string): Promise<readonly string[]> {
  const rows = await database.query<{ address: string }>(READ, [chain])
  return rows.map(({ address }) => address)
}

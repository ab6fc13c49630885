/** The newest price of an asset, to show what an amount is worth about now. */
import type { Queryable } from '@cupel/postgres'

export interface LatestPrice {
  /** Price of one whole, in millionths of a US dollar. */
  readonly microUsd: bigint
  /** UTC day, YYYY-MM-DD. */
  readonly pricedOn: string
}

const READ = {
  name: 'ledger.latest-price',
  text: `SELECT micro_usd::text AS "microUsd", day AS "pricedOn" FROM ledger.price
         WHERE sha256 = $1 AND asset = $2 AND day <= $3 ORDER BY day DESC LIMIT 1`,
}

/**
 * Null where the table has no price of the asset on the day or before it.
 * @param today UTC day, YYYY-MM-DD
 */
export async function latestPrice(
  database: Queryable,
  { sha256, symbol, today }: { readonly sha256: string; readonly symbol: string; readonly today: string },
): Promise<LatestPrice | null> {
  const [row] = await database.query<{ microUsd: string; pricedOn: string }>(READ, [sha256, symbol, today])
  return row === undefined ? null : { microUsd: BigInt(row.microUsd), pricedOn: row.pricedOn }
}

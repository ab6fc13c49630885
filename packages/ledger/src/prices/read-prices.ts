/** Tables of daily prices: all imported tables, the one in force, and any table by its hash. */
import { createHash } from 'node:crypto'
import { listAssets, type PriceTable } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'

export interface PriceImport {
  /** 1, 2, 3 … in the order of the imports; the highest is in force. */
  readonly priceSeq: number
  readonly sha256: string
  readonly fileName: string
  readonly prices: number
  readonly assets: readonly string[]
  /** UTC day. */
  readonly firstDay: string
  readonly lastDay: string
  /** UTC, RFC 3339. */
  readonly importedAt: string
  readonly importedBy: string
}

/** Every import, the newest first. */
export async function listPriceImports(database: Queryable): Promise<readonly PriceImport[]> {
  return await database.query<PriceImport & Record<string, unknown>>(
    `SELECT price_seq AS "priceSeq", sha256, file_name AS "fileName", prices, assets, first_day AS "firstDay",
       last_day AS "lastDay", imported_at AS "importedAt", imported_by AS "importedBy"
     FROM ledger.price_import ORDER BY price_seq DESC`,
  )
}

export interface EarlyEnd {
  readonly asset: string
  /** UTC day. */
  readonly lastDay: string
}

/** The assets whose prices end before the last day of the table. Assets that the asset table lacks are never priced. */
export async function listEarlyEnds(
  database: Queryable,
  { sha256, assets, lastDay }: PriceImport,
): Promise<readonly EarlyEnd[]> {
  const symbols = new Set(listAssets().map(({ symbol }) => symbol))
  return await database.query<EarlyEnd & Record<string, unknown>>(
    {
      name: 'ledger.early-ends',
      text: `SELECT own.asset, ended.day AS "lastDay" FROM unnest($2::text[]) WITH ORDINALITY AS own (asset, place)
             CROSS JOIN LATERAL (SELECT max(day) AS day FROM ledger.price WHERE sha256 = $1 AND price.asset = own.asset) AS ended
             WHERE ended.day < $3 ORDER BY own.place`,
    },
    [sha256, assets.filter((asset) => symbols.has(asset)), lastDay],
  )
}

/** SHA-256 of the table that was in force at a moment, `at` in UTC, RFC 3339; null if there was none. */
export async function pricesSha256At(database: Queryable, at: string): Promise<string | null> {
  const [row] = await database.query<{ sha256: string }>(
    {
      name: 'ledger.prices-at',
      text: `SELECT sha256 FROM ledger.price_import WHERE imported_at::timestamptz <= $1::timestamptz
             ORDER BY price_seq DESC LIMIT 1`,
    },
    [at],
  )
  return row?.sha256 ?? null
}

/** One text per price: decoding a column costs more than splitting it off. In the order of their hash. */
const READ = {
  name: 'ledger.read-prices',
  text: `SELECT concat_ws(' ', asset, day, micro_usd) AS row FROM ledger.price WHERE sha256 = $1 ORDER BY asset, day`,
}

/** The name of a table: SHA-256 over its prices, sorted, so that whoever reads the table can tell whether a row was altered. */
export function priceTableSha256(rows: readonly string[]): string {
  const hash = createHash('sha256')
  for (const row of rows) hash.update(`${row}\n`)
  return hash.digest('hex')
}

/** The rows of a table are not those that its name is the hash of. */
export class PriceTableAlteredError extends Error {
  override readonly name = 'PriceTableAltered'
}

/** The whole table with the hash, in memory; null without one. Throws PriceTableAlteredError if its rows have another hash. */
export async function readPriceTable(database: Queryable, sha256: string): Promise<PriceTable | null> {
  const rows = await database.query<{ row: string }>(READ, [sha256])
  if (rows.length === 0) return null
  const found = priceTableSha256(rows.map(({ row }) => row))
  if (found !== sha256)
    throw new PriceTableAlteredError(`The prices of the table ${sha256} have the hash ${found}`)
  const prices = new Map<string, Map<string, bigint>>()
  for (const { row } of rows) {
    const [asset, day, microUsd] = row.split(' ') as [string, string, string]
    let ofAsset = prices.get(asset)
    if (ofAsset === undefined) prices.set(asset, (ofAsset = new Map()))
    ofAsset.set(day, BigInt(microUsd))
  }
  return { sha256, microUsdOf: (symbol, utcDay) => prices.get(symbol)?.get(utcDay) ?? null }
}

/** The present state of the ledger and of its prices, as the tables have it. */
import type { Queryable } from '@cupel/postgres'

export interface CurrentLedger {
  /** The number of the newest published segment; 0 if the ledger is empty. */
  readonly ledgerSeq: number
  /** SHA-256 of the table of prices in force; null without one. */
  readonly pricesSha256: string | null
}

/** The chains of all published segments. */
export async function ledgerChains(database: Queryable): Promise<ReadonlySet<string>> {
  const rows = await database.query<{ chain: string }>({
    name: 'ledger.chains',
    // From one to the next in the index: histories are many, and chains few.
    text: `
      WITH RECURSIVE found AS (
        (SELECT chain FROM ledger.segment ORDER BY chain LIMIT 1)
        UNION ALL
        SELECT (SELECT s.chain FROM ledger.segment s WHERE s.chain > found.chain ORDER BY s.chain LIMIT 1)
        FROM found WHERE found.chain IS NOT NULL)
      SELECT chain FROM found WHERE chain IS NOT NULL`,
  })
  return new Set(rows.map(({ chain }) => chain))
}

export async function currentLedger(database: Queryable): Promise<CurrentLedger> {
  const [row] = await database.query<CurrentLedger>({
    name: 'ledger.newest',
    text: `SELECT (SELECT coalesce(max(ledger_seq), 0) FROM ledger.segment) AS "ledgerSeq",
             (SELECT sha256 FROM ledger.price_import ORDER BY price_seq DESC LIMIT 1) AS "pricesSha256"`,
  })
  return row!
}

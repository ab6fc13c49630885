/** What an address sent and received in tokens outside the asset table. */
import type { UnknownTokens } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { addressesOfOwner } from './owners.js'
import { partsOfLedger } from './parts-of-ledger.js'
import type { LedgerState } from './store/transfer-store.js'

const sumsOf = (direction: 'in' | 'out', own: string, other: string): string => `
  SELECT '${direction}' AS direction, t.contract, t.${other} AS counterparty, sum(t.amount)::text AS amount, count(*) AS transfers
  FROM ledger.unknown_token t JOIN ledger.segment s USING (segment_id)
  WHERE t.chain = $1 AND t.${own} = ANY ($2::text[]) AND s.ledger_seq <= $3
  GROUP BY t.contract, t.${other}`

const READ = {
  name: 'ledger.read-unknown-tokens',
  text: `SELECT * FROM (${sumsOf('out', 'from_address', 'to_address')} UNION ALL ${sumsOf('in', 'to_address', 'from_address')}) sums
         ORDER BY direction, contract, counterparty LIMIT $4`,
}

/** Sums that a report can hold and attribute. Strangers can send more; then not all are known. */
export const MAX_UNKNOWN_TOKENS = 500

interface SumRow extends Record<string, unknown> {
  direction: 'in' | 'out'
  contract: string
  counterparty: string
  amount: string
  transfers: number
}

/** By token and counterparty, at most one more than the limit. */
export async function readUnknownTokens(
  database: Queryable,
  { chain, ledgerSeq, address }: LedgerState & { readonly address: string },
): Promise<readonly UnknownTokens[]> {
  if (!(await partsOfLedger(database, { chain, ledgerSeq })).unknownTokens) return []
  const own = await addressesOfOwner(database, { chain, ledgerSeq, address })
  const rows = await database.query<SumRow>(READ, [chain, own, ledgerSeq, MAX_UNKNOWN_TOKENS + 1])
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }))
}

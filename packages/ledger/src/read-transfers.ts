/** Transfers of addresses, as they were in one state of the ledger. */
import type { Transfer } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'

/**
 * Transfers that are seen in the state named by a ledger_seq (`$2`), of the chain `$1`. A fact of a later segment (a proof, a
 * failure, a withdrawal) is not known yet in an earlier state.
 */
const seen = (side: 'from_address' | 'to_address'): string => `
  ledger.transfer t
  JOIN ledger.segment own ON own.segment_id = t.segment_id AND own.ledger_seq <= $2
  LEFT JOIN ledger.segment proof ON proof.segment_id = t.proven_segment_id AND proof.ledger_seq <= $2
  LEFT JOIN ledger.segment failure ON failure.segment_id = t.failed_segment_id AND failure.ledger_seq <= $2
  LEFT JOIN ledger.segment retired ON retired.segment_id = t.retired_segment_id AND retired.ledger_seq <= $2
  WHERE t.chain = $1 AND t.${side} = asked.address AND failure.segment_id IS NULL AND retired.segment_id IS NULL`

const newestOf = (side: 'from_address' | 'to_address'): string => `
  (SELECT t.*, proof.segment_id IS NOT NULL AS proven FROM ${seen(side)}
   ORDER BY t.sort_at DESC, t.transfer_id LIMIT $4)`

const READ = {
  name: 'ledger.read-transfers',
  text: `
    SELECT asked.address AS asked, found.transfer_id AS id, found.tx_hash, found.kind, found.contract, found.from_address,
      found.to_address, found.amount, found.block_number, found.occurred_at_s, found.place, found.proven
    FROM unnest($3::text[]) WITH ORDINALITY AS asked (address, number)
    CROSS JOIN LATERAL (
      SELECT * FROM (${newestOf('from_address')} UNION ALL ${newestOf('to_address')}) both_sides
      ORDER BY sort_at DESC, transfer_id LIMIT $4) found
    ORDER BY asked.number, found.sort_at DESC, found.transfer_id`,
}

interface TransferRow extends Record<string, unknown> {
  asked: string
  id: string
  tx_hash: string
  kind: string
  contract: string
  from_address: string
  to_address: string
  amount: string
  block_number: number | null
  occurred_at_s: number | null
  place: number | null
  proven: boolean
}

export interface LedgerState {
  readonly chain: string
  readonly ledgerSeq: number
}

export interface TransfersOfAddress {
  /** The newest, at most as many as were asked for. */
  readonly transfers: readonly Transfer[]
  /** There are more. */
  readonly isCut: boolean
}

/** The newest transfers of each address, by address; one without any is absent. */
export async function readTransfers(
  database: Queryable,
  {
    chain,
    ledgerSeq,
    addresses,
    limit,
  }: LedgerState & { readonly addresses: readonly string[]; readonly limit: number },
): Promise<ReadonlyMap<string, TransfersOfAddress>> {
  if (addresses.length === 0) return new Map()
  const rows = await database.query<TransferRow>(READ, [chain, ledgerSeq, addresses, limit + 1])
  const byAddress = new Map<string, TransferRow[]>()
  for (const row of rows) {
    const known = byAddress.get(row.asked)
    if (known === undefined) byAddress.set(row.asked, [row])
    else known.push(row)
  }
  return new Map(
    [...byAddress].map(([address, found]) => [
      address,
      { transfers: found.slice(0, limit).map(transferOf), isCut: found.length > limit },
    ]),
  )
}

function transferOf(row: TransferRow): Transfer {
  return {
    id: row.id.replaceAll('-', ''),
    txHash: row.tx_hash,
    kind: row.kind,
    contract: row.contract,
    from: row.from_address,
    to: row.to_address,
    amount: BigInt(row.amount),
    blockNumber: row.block_number,
    occurredAtS: row.occurred_at_s,
    position: row.place,
    proven: row.proven,
  }
}

const COUNT = {
  name: 'ledger.count-transfers',
  text: `
    SELECT asked.address, count(*) AS transfers, count(DISTINCT found.counterparty) AS counterparties
    FROM unnest($3::text[]) AS asked (address)
    CROSS JOIN LATERAL (
      (SELECT t.to_address AS counterparty FROM ${seen('from_address')} LIMIT $4)
      UNION ALL
      (SELECT t.from_address FROM ${seen('to_address')} LIMIT $4)) found
    GROUP BY asked.address`,
}

/** How many transfers and counterparties each address has, counted up to the limit in each direction. */
export async function countTransfers(
  database: Queryable,
  {
    chain,
    ledgerSeq,
    addresses,
    limit,
  }: LedgerState & { readonly addresses: readonly string[]; readonly limit: number },
): Promise<ReadonlyMap<string, { readonly transfers: number; readonly counterparties: number }>> {
  if (addresses.length === 0) return new Map()
  const rows = await database.query<{ address: string; transfers: number; counterparties: number }>(COUNT, [
    chain,
    ledgerSeq,
    addresses,
    limit,
  ])
  return new Map(
    rows.map(({ address, transfers, counterparties }) => [address, { transfers, counterparties }]),
  )
}

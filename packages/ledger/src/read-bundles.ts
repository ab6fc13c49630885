/**
 * Reads what an address moved beyond its largest transfers, added up: direct exposure counts all of it, however many transfers strangers
 * send.
 */
import { isCoinJoinNode, type Transfer } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { addressTexts } from './address-texts.js'
import { addressesOfOwner, nodesOf } from './owners.js'
import {
  asked,
  assetValues,
  LARGEST_FIRST,
  sideOf,
  withAssets,
  wholeNumber,
  type LedgerState,
} from './read-transfers.js'
import { contractOf, kindOf } from './stored-values.js'

const DAY_S = 86_400

/** One bundle for each day, because prices and designations have days. An unknown block or time makes that of the bundle unknown. */
const READ = {
  name: 'ledger.read-bundles',
  text: `${withAssets(5)}
    SELECT md5('bundle ' || min(transfer_id::text)) AS id, outgoing, counterparty,
      ${contractOf('contract_id')} AS contract, kind, proven, sum(amount)::text AS amount, count(*) AS transfers, min(at_s)::text AS first_at_s, max(at_s)::text AS last_at_s,
      CASE WHEN bool_and(block_number IS NOT NULL) THEN max(block_number)::text END AS block_number
    FROM (
      SELECT side.*, row_number() OVER (ORDER BY ${LARGEST_FIRST}) AS rank
      FROM ${asked('$3')}
      CROSS JOIN LATERAL (${sideOf('from_id')} UNION ALL ${sideOf('to_id')}) side) ranked
    WHERE rank > $4 AND amount > 0
    GROUP BY outgoing, counterparty, contract_id, kind, proven, at_s / ${DAY_S}
    ORDER BY id`,
}

interface BundleRow extends Record<string, unknown> {
  id: string
  outgoing: boolean
  counterparty: number
  contract: string
  kind: string
  proven: boolean
  amount: string
  transfers: number
  first_at_s: string | null
  last_at_s: string | null
  block_number: string | null
}

/** All transfers but the `beyond` largest, in bundles of one counterparty, asset and day. */
export async function readBundles(
  database: Queryable,
  { chain, ledgerSeq, address, beyond }: LedgerState & { readonly address: string; readonly beyond: number },
): Promise<readonly Transfer[]> {
  const state = { chain, ledgerSeq, address }
  const own = await addressesOfOwner(database, state)
  const rows = await database.query<BundleRow>(READ, [chain, ledgerSeq, own, beyond, ...assetValues(chain)])
  const numbers = new Set(rows.map(({ counterparty }) => counterparty))
  const textOf = await addressTexts(database, ledgerSeq, numbers)
  const counterparties = [...numbers].map(textOf)
  const nodeOf = await nodesOf(database, state, { counterparties, owners: [address] })
  const others = rows
    .map((row) => ({ ...row, counterparty: nodeOf(textOf(row.counterparty), address) }))
    .filter(({ counterparty }) => counterparty !== address)
  return others.map(({ id, outgoing, counterparty, contract, kind, proven, ...row }) => ({
    ...{ id, contract, kind: kindOf(kind), proven, txHash: '', index: null, position: null },
    from: outgoing ? address : counterparty,
    to: outgoing ? counterparty : address,
    amount: BigInt(row.amount),
    blockNumber: wholeNumber(row.block_number ?? ''),
    occurredAtS: wholeNumber(row.last_at_s ?? ''),
    coinJoin: isCoinJoinNode(counterparty),
    bundle: { transfers: row.transfers, firstAtS: wholeNumber(row.first_at_s ?? '') },
  }))
}

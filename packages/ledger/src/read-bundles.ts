/**
 * Reads what an address moved beyond its largest transfers, added up: direct exposure counts all of it, however many transfers strangers
 * send.
 */
import { isCoinJoinNode, type Transfer } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { addressTexts } from './address-texts.js'
import { addressesOfOwner, nodesOf } from './owners.js'
import { wholeNumber } from './read-transfers.js'
import { transfersIn } from './store/transfers.js'
import type { LedgerState } from './store/transfer-store.js'
import { kindOf } from './stored-values.js'

/** All transfers but the `beyond` largest, in bundles of one counterparty, asset and day. */
export async function readBundles(
  database: Queryable,
  { chain, ledgerSeq, address, beyond }: LedgerState & { readonly address: string; readonly beyond: number },
): Promise<readonly Transfer[]> {
  const state = { chain, ledgerSeq, address }
  const own = await addressesOfOwner(database, state)
  const rows = await transfersIn(database).bundles({ chain, ledgerSeq, addresses: own, beyond })
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
    blockNumber: wholeNumber(row.blockNumber ?? ''),
    occurredAtS: wholeNumber(row.lastAtS ?? ''),
    coinJoin: isCoinJoinNode(counterparty),
    bundle: { transfers: row.transfers, firstAtS: wholeNumber(row.firstAtS ?? '') },
  }))
}

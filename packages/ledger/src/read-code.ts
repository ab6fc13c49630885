/** Which addresses have code, as far as transfers show it: only code makes internal calls, and code never sends a transaction itself. */
import { chainFactsOf } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { partsOfLedger } from './parts-of-ledger.js'
import { transfersIn } from './store/transfers.js'
import type { OfAddresses } from './store/transfer-store.js'

export async function readCode(
  database: Queryable,
  { chain, ledgerSeq, addresses }: OfAddresses,
): Promise<ReadonlySet<string>> {
  if (chainFactsOf(chain)?.hasInternalTransfers !== true || addresses.length === 0) return new Set()
  if (!(await partsOfLedger(database, { chain, ledgerSeq })).calls) return new Set()
  return new Set(await transfersIn(database).codeAmong({ chain, ledgerSeq, addresses }))
}

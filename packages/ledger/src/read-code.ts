/** Which addresses have code, as far as transfers show it: only code makes internal calls, and code never sends a transaction itself. */
import { chainFactsOf } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { asked, seen, WITH_UNSEEN, type LedgerState } from './read-transfers.js'

const sends = (kind: 'i' | 'n'): string => `EXISTS (SELECT ${seen('from_id')} AND t.kind = '${kind}')`

/** The delegation of EIP-7702 lets an account make calls; such an account sends transactions too, and is not a contract. */
const READ_CODE = {
  name: 'ledger.read-code',
  text: `${WITH_UNSEEN}
    SELECT asked.address FROM ${asked('$3')}
    WHERE ${sends('i')} AND NOT ${sends('n')}`,
}

export async function readCode(
  database: Queryable,
  { chain, ledgerSeq, addresses }: LedgerState & { readonly addresses: readonly string[] },
): Promise<ReadonlySet<string>> {
  if (chainFactsOf(chain)?.hasInternalTransfers !== true || addresses.length === 0) return new Set()
  const values = [chain, ledgerSeq, addresses]
  const rows = await database.query<{ address: string }>(READ_CODE, values)
  return new Set(rows.map(({ address }) => address))
}

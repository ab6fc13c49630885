/** The movements of one transaction that touch an address, as they were in one state of the ledger. */
import type { Movement } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { transfersIn } from './store/transfers.js'
import type { MovementsRequest, StoredMovement } from './store/transfer-store.js'

/** Movements of one transaction and address. With more of them nobody can say which transfer is meant. */
const MAX_MOVEMENTS = 200
/** Transfers of one address and direction that are searched for a hash. They have no index by hash: it would be a tenth of a row. */
const MAX_SEARCHED = 100_000

/**
 * Those that came to the address, or went from it; null if the address has too many transfers to search. Only transfers that count are movements: of tokens outside the asset table the ledger has sums.
 */
export async function findMovements(
  database: Queryable,
  { maxSearched = MAX_SEARCHED, ...asked }: MovementsRequest & { readonly maxSearched?: number },
): Promise<readonly Movement[] | null> {
  const store = transfersIn(database)
  if (await store.hasMoreRows({ ...asked, most: maxSearched })) return null
  const rows = await store.movements({ ...asked, most: MAX_MOVEMENTS })
  const native = new Set(rows.filter(({ kind }) => kind === 'n').map(movementOf))
  return rows
    .filter((row) => row.kind !== 'i' || !native.has(movementOf(row)))
    .map(({ counterparty, contract, amount }) => ({ counterparty, contract, amount: BigInt(amount) }))
}

/** A call that moves what its transaction itself moves is that movement, told by another source. */
const movementOf = ({ counterparty, contract, amount }: StoredMovement): string =>
  `${counterparty} ${contract} ${amount}`

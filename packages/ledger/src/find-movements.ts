/** The movements of one transaction that touch an address, as they were in one state of the ledger. */
import type { Movement } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { addressOf, contractOf, hashDigits } from './stored-values.js'
import { asked, seen, WITH_UNSEEN, type LedgerState } from './read-transfers.js'

/** Movements of one transaction and address. With more of them nobody can say which transfer is meant. */
const MAX_MOVEMENTS = 200
/** Transfers of one address and direction that are searched for a hash. They have no index by hash: it would be a tenth of a row. */
const MAX_SEARCHED = 100_000

const find = (own: 'from_id' | 'to_id', other: 'from_id' | 'to_id'): string => `${WITH_UNSEEN}
    SELECT ${addressOf(`found.${other}`)} AS counterparty, ${contractOf('found.contract_id')} AS contract,
      found.amount::text AS amount, found.kind AS kind
    FROM ${asked('$3')} CROSS JOIN LATERAL (
      SELECT t.from_id, t.to_id, t.contract_id, t.amount, t.kind ${seen(own)}
        AND t.tx_hash = decode($4, 'hex') AND t.amount > 0 AND t.from_id <> t.to_id) found
    LIMIT ${MAX_MOVEMENTS}`

/** Whether the address has more rows than are searched. */
const isLong = (own: 'from_id' | 'to_id'): string => `
    SELECT count(*) > $3::int4 AS is_long FROM ${asked('$2')} CROSS JOIN LATERAL (
      SELECT FROM ledger.transfer t WHERE t.${own} = asked.id LIMIT $3::int4 + 1) one`

const IS_LONG = {
  incoming: { name: 'ledger.is-long-incoming', text: isLong('to_id') },
  outgoing: { name: 'ledger.is-long-outgoing', text: isLong('from_id') },
} as const

const FIND = {
  incoming: { name: 'ledger.find-incoming-movements', text: find('to_id', 'from_id') },
  outgoing: { name: 'ledger.find-outgoing-movements', text: find('from_id', 'to_id') },
} as const

interface MovementRow extends Record<string, unknown> {
  readonly counterparty: string
  readonly contract: string
  readonly amount: string
  readonly kind: string
}

/**
 * Those that came to the address, or went from it; null if the address has too many transfers to search. Only transfers that count are movements: of tokens outside the asset table the ledger has sums.
 * @param txHash as the ledger writes it
 */
export async function findMovements(
  database: Queryable,
  {
    chain,
    ledgerSeq,
    address,
    direction,
    txHash,
    maxSearched = MAX_SEARCHED,
  }: LedgerState & {
    readonly address: string
    readonly direction: 'incoming' | 'outgoing'
    readonly txHash: string
    readonly maxSearched?: number
  },
): Promise<readonly Movement[] | null> {
  const [row] = await database.query<{ is_long: boolean }>(IS_LONG[direction], [
    chain,
    [address],
    maxSearched,
  ])
  if (row!.is_long) return null
  const values = [chain, ledgerSeq, [address], hashDigits(txHash)]
  const rows = await database.query<MovementRow>(FIND[direction], values)
  const native = new Set(rows.filter(({ kind }) => kind === 'n').map(movementOf))
  return rows
    .filter((row) => row.kind !== 'i' || !native.has(movementOf(row)))
    .map(({ counterparty, contract, amount }) => ({ counterparty, contract, amount: BigInt(amount) }))
}

/** A call that moves what its transaction itself moves is that movement, told by another source. */
const movementOf = ({ counterparty, contract, amount }: MovementRow): string =>
  `${counterparty} ${contract} ${amount}`

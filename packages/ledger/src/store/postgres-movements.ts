/** Movements of one transaction in Postgres. */
import type { Queryable } from '@cupel/postgres'
import { addressOf, contractOf, hashDigits } from '../stored-values.js'
import { asked, seen, WITH_UNSEEN, type Side } from './postgres-parts.js'
import type { StoredMovement, TransferReader } from './transfer-store.js'

const find = (own: Side, other: Side): string => `${WITH_UNSEEN}
    SELECT ${addressOf(`found.${other}`)} AS counterparty, ${contractOf('found.contract_id')} AS contract,
      found.amount::text AS amount, found.kind AS kind
    FROM ${asked('$3')} CROSS JOIN LATERAL (
      SELECT t.from_id, t.to_id, t.contract_id, t.amount, t.kind ${seen(own)}
        AND t.tx_hash = decode($4, 'hex') AND t.amount > 0 AND t.from_id <> t.to_id) found
    LIMIT $5`

/** Whether the address has more rows than are searched. */
const isLong = (own: Side): string => `
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

export const movementsIn = (database: Queryable): Pick<TransferReader, 'hasMoreRows' | 'movements'> => ({
  async hasMoreRows({ chain, address, direction, most }) {
    const [row] = await database.query<{ is_long: boolean }>(IS_LONG[direction], [chain, [address], most])
    return row!.is_long
  },
  movements: async ({ chain, ledgerSeq, address, direction, txHash, most }) =>
    await database.query<StoredMovement>(FIND[direction], [
      ...[chain, ledgerSeq, [address], hashDigits(txHash)],
      most,
    ]),
})

/** Counts of transfers in Postgres. */
import type { Queryable } from '@cupel/postgres'
import {
  asked,
  assetValues,
  IS_WORTH,
  ofAsset,
  seen,
  withAssets,
  WITH_UNSEEN,
  type Side,
} from './postgres-parts.js'
import type { OfAddresses, TransferCounts, TransferReader } from './transfer-store.js'

const countOf = (from: (side: Side) => string): string => `
    SELECT asked.address, found.count
    FROM ${asked('$3')}
    CROSS JOIN LATERAL (
      SELECT count(*) FROM (
        (SELECT ${from('from_id')} LIMIT $4) UNION ALL (SELECT ${from('to_id')} LIMIT $4)
        LIMIT $4) both_sides) found`

const COUNT_TRANSFERS = {
  name: 'ledger.count-transfers',
  text: `${WITH_UNSEEN}${countOf((side) => seen(side))}`,
}

/** An index-only query that ignores whether a row is visible in the state. */
const COUNT_ROWS = {
  name: 'ledger.count-rows',
  text: countOf((side) => `FROM ledger.transfer t WHERE $2::int8 > 0 AND t.${side} = asked.id`),
}

const sizeOf = (side: Side, other: Side): string => `
  SELECT t.${other} AS counterparty, ${ofAsset('measured')} AS measured,
    t.amount * ${ofAsset('factors')} AS value, ${ofAsset('dusts')} AS dust, ${IS_WORTH} AS is_worth
  ${seen(side)}`

const readSizesOf = (name: string, limit: string) => ({
  name,
  text: `${withAssets(4)}
    SELECT asked.address, size.* FROM ${asked('$3')}
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(transfers), 0)::int8 AS transfers, coalesce(sum(worth), 0)::int8 AS worth,
        count(DISTINCT counterparty) FILTER (WHERE value >= dust) AS counterparties
      FROM (
        SELECT counterparty, measured, dust, sum(value) AS value, count(*) AS transfers,
          count(*) FILTER (WHERE is_worth) AS worth
        FROM ((${sizeOf('from_id', 'to_id')}${limit}) UNION ALL (${sizeOf('to_id', 'from_id')}${limit})) both_sides
        GROUP BY counterparty, measured, dust) pair) size`,
})

const READ_WHOLE_SIZES = readSizesOf('ledger.read-whole-sizes', '')
const READ_SIZES = readSizesOf('ledger.read-sizes', ' LIMIT $8')

const sends = (kind: 'i' | 'n'): string => `EXISTS (SELECT ${seen('from_id')} AND t.kind = '${kind}')`

/** The delegation of EIP-7702 lets an account make calls; such an account sends transactions too, and is not a contract. */
const READ_CODE = {
  name: 'ledger.read-code',
  text: `${WITH_UNSEEN}
    SELECT asked.address FROM ${asked('$3')}
    WHERE ${sends('i')} AND NOT ${sends('n')}`,
}

type Asked = Record<string, unknown> & { readonly address: string }

export function countsIn(
  database: Queryable,
): Pick<TransferReader, 'countTransfers' | 'countRows' | 'sizes' | 'codeAmong'> {
  const counted =
    (statement: typeof COUNT_ROWS): TransferReader['countRows'] =>
    async ({ chain, ledgerSeq, addresses, limit }) => {
      const values = [chain, ledgerSeq, addresses, limit]
      const rows = await database.query<Asked & { count: number }>(statement, values)
      return new Map(rows.map(({ address, count }) => [address, count]))
    }
  return {
    countTransfers: counted(COUNT_TRANSFERS),
    countRows: counted(COUNT_ROWS),
    async sizes({ chain, ledgerSeq, addresses, most }) {
      const values = [chain, ledgerSeq, addresses, ...assetValues(chain)]
      const [statement, further] = most === undefined ? [READ_WHOLE_SIZES, []] : [READ_SIZES, [most]]
      const rows = await database.query<Asked & TransferCounts>(statement, [...values, ...further])
      return new Map(rows.map((row) => [row.address, row]))
    },
    async codeAmong({ chain, ledgerSeq, addresses }: OfAddresses) {
      const rows = await database.query<Asked>(READ_CODE, [chain, ledgerSeq, addresses])
      return rows.map(({ address }) => address)
    },
  }
}

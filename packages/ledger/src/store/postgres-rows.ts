/** Rows of transfers in Postgres, one by one and added up. */
import type { Queryable } from '@cupel/postgres'
import { contractOf, keptPlan, numberOf } from '../stored-values.js'
import { asked, assetValues, IS_WORTH, sideOf, withAssets, WITH_UNSEEN, type Side } from './postgres-parts.js'
import type {
  LargestRequest,
  RowsRequest,
  StoredBundle,
  StoredRow,
  TransferReader,
} from './transfer-store.js'

/** No stranger changes which ones are the largest: neither with many transfers nor with new ones. */
const LARGEST_FIRST = 'weight DESC, transfer_id'

const largestOf = (side: Side): string =>
  `(${sideOf(side)} AND (NOT $6 OR ${IS_WORTH}) ORDER BY ${LARGEST_FIRST} LIMIT $5)`

/** One text: decoding rows, or a dozen columns of each, costs more than all further work with them. */
const rows = (order: string): string => `
    SELECT string_agg(concat_ws(' ', asked.number, encode(uuid_send(found.transfer_id), 'hex'), found.outgoing,
        found.counterparty, ${contractOf('found.contract_id')}, found.amount, coalesce(found.block_number::text, ''), coalesce(found.at_s::text, ''),
        coalesce(found.tx_index::text, ''), coalesce(found.place::text, ''), found.proven, coalesce(found.net::text, ''),
        found.kind, encode(found.tx_hash, 'hex')), E'\\n'${order}) AS rows`

const ofOwners = (owners: string): string => `
    FROM (SELECT one.owner, one.number, ${numberOf('one.address')} AS id
      FROM unnest(${keptPlan('$3::text[]')}, ${keptPlan(`${owners}::int4[]`)}) WITH ORDINALITY AS one (address, owner, number)) asked`

const READ_LARGEST = {
  name: 'ledger.read-transfers',
  text: `${withAssets(7)}${rows(` ORDER BY asked.owner, found.weight DESC, found.transfer_id`)}${ofOwners('$4')}
    CROSS JOIN LATERAL (
      SELECT * FROM (${largestOf('from_id')} UNION ALL ${largestOf('to_id')}) both_sides
      ORDER BY ${LARGEST_FIRST} LIMIT $5) found`,
}

/** Of addresses that are known to have few rows: none is compared with others. */
const READ_ALL = {
  name: 'ledger.read-all-transfers',
  text: `${WITH_UNSEEN}${rows('')}${ofOwners('$4')}
    CROSS JOIN LATERAL (${sideOf('from_id', 'NULL')} UNION ALL ${sideOf('to_id', 'NULL')}) found`,
}

const DAY_S = 86_400

/** One bundle for each day, because prices and designations have days. An unknown block or time makes that of the bundle unknown. */
const READ_BUNDLES = {
  name: 'ledger.read-bundles',
  text: `${withAssets(5)}
    SELECT md5('bundle ' || min(transfer_id::text)) AS id, outgoing, counterparty,
      ${contractOf('ranked.contract_id')} AS contract, kind, proven, sum(amount)::text AS amount, count(*) AS transfers, min(at_s)::text AS "firstAtS", max(at_s)::text AS "lastAtS",
      CASE WHEN bool_and(block_number IS NOT NULL) THEN max(block_number)::text END AS "blockNumber"
    FROM (
      SELECT side.*, row_number() OVER (ORDER BY ${LARGEST_FIRST}) AS rank
      FROM ${asked('$3')}
      CROSS JOIN LATERAL (${sideOf('from_id')} UNION ALL ${sideOf('to_id')}) side) ranked
    WHERE rank > $4 AND amount > 0
    GROUP BY outgoing, counterparty, contract_id, kind, proven, at_s / ${DAY_S}
    ORDER BY id`,
}

interface FoundRows extends Record<string, unknown> {
  readonly rows: string | null
}

const split = ([found]: readonly FoundRows[]): readonly StoredRow[] =>
  (found?.rows ?? '')
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => row.split(' '))

const ofRows = ({ chain, ledgerSeq, addresses, owners }: RowsRequest): readonly unknown[] => [
  chain,
  ledgerSeq,
  addresses,
  owners,
]

export const rowsIn = (database: Queryable): Pick<TransferReader, 'largestRows' | 'allRows' | 'bundles'> => ({
  async largestRows(request: LargestRequest) {
    const { chain, limit, isWorth } = request
    return split(
      await database.query<FoundRows>(READ_LARGEST, [
        ...ofRows(request),
        limit,
        isWorth,
        ...assetValues(chain),
      ]),
    )
  },
  allRows: async (request) => split(await database.query<FoundRows>(READ_ALL, ofRows(request))),
  bundles: async ({ chain, ledgerSeq, addresses, beyond }) =>
    await database.query<StoredBundle>(READ_BUNDLES, [
      chain,
      ledgerSeq,
      addresses,
      beyond,
      ...assetValues(chain),
    ]),
})

/** Transfers of addresses, as they were in one state of the ledger. */
import { isCoinJoinNode, listAssets, measuredAs, STEP_ITEMS, type Steps, type Transfer } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { paced, withoutRest, type Pace } from './pace.js'
import { blockAtS } from './segments.js'

export type Side = 'from_address' | 'to_address'

/**
 * The asset table as the common table `asset`, from the parameters `${first}` to `${first + 3}` that `assetValues` gives: value of different
 * assets is compared in units of their dust.
 */
export const withAssets = (first: number): string => `
    WITH asset (contract, measured, factor, dust) AS MATERIALIZED (
      SELECT * FROM unnest($${first}::text[], $${first + 1}::text[], $${first + 2}::numeric[], $${first + 3}::numeric[]))`

export function assetValues(chain: string): readonly (readonly string[])[] {
  const assets = listAssets().filter((one) => one.chain === chain)
  const measured = assets.map((one) => measuredAs(one))
  return [
    assets.map(({ contract }) => contract),
    measured.map(({ contract }) => contract),
    measured.map(({ factor }) => factor.toString()),
    measured.map(({ dust }) => dust.toString()),
  ]
}

/** SQL: the value of a transfer in units of its asset's dust. */
const WEIGHT = 'coalesce(t.amount * asset.factor / asset.dust, 0)'

/** SQL: a transfer of at least dust. */
export const IS_WORTH = 'coalesce(t.amount * asset.factor >= asset.dust, false)'

/**
 * Transfers of the chain `$1` that are visible in the state with the ledger_seq `$2`. A fact of a later segment (a proof, a
 * failure, a retirement) is ignored. A proof of success stands against a failure that another file states.
 */
export const seen = (side: Side): string => `
  ledger.transfer t
  LEFT JOIN asset ON asset.contract = t.contract
  JOIN ledger.segment own ON own.segment_id = t.segment_id AND own.ledger_seq <= $2
  LEFT JOIN ledger.segment proof ON proof.segment_id = t.proven_segment_id AND proof.ledger_seq <= $2
  LEFT JOIN ledger.segment failure ON failure.segment_id = t.failed_segment_id AND failure.ledger_seq <= $2
  LEFT JOIN ledger.segment retired ON retired.segment_id = t.retired_segment_id AND retired.ledger_seq <= $2
  WHERE t.chain = $1 AND t.${side} = asked.address AND retired.segment_id IS NULL
    AND (failure.segment_id IS NULL OR t.kind = 'native' AND proof.segment_id IS NOT NULL)`

/** The caller knows the address, so only the counterparty is selected. */
export const sideOf = (side: Side): string => `
  SELECT t.transfer_id, ${WEIGHT} AS weight, t.tx_hash, t.kind, t.contract, t.amount, t.block_number, t.tx_index, t.place,
     coalesce(t.occurred_at_s, ${blockAtS('t.chain', 't.block_number')}) AS at_s, proof.segment_id IS NOT NULL AS proven,
     ${
       side === 'from_address'
         ? 'true AS outgoing, t.to_address AS counterparty, t.from_net AS net'
         : 'false, t.from_address, t.to_net'
     }
   FROM ${seen(side)}`

/** No stranger changes which ones are the largest: neither with many transfers nor with new ones. */
export const LARGEST_FIRST = 'weight DESC, transfer_id'

const largestOf = (side: Side): string =>
  `(${sideOf(side)} AND (NOT $5 OR ${IS_WORTH}) ORDER BY ${LARGEST_FIRST} LIMIT $4)`

/**
 * One text per row: decoding a dozen columns costs more than all further work with them. The column that may contain a space
 * comes last.
 */
const ROW = `concat_ws(' ', asked.number, encode(uuid_send(found.transfer_id), 'hex'), found.outgoing, found.counterparty,
        found.contract, found.amount, coalesce(found.block_number::text, ''), coalesce(found.at_s::text, ''),
        coalesce(found.tx_index::text, ''), coalesce(found.place::text, ''), found.proven, coalesce(found.net::text, ''),
        found.kind, found.tx_hash)`

const READ = {
  name: 'ledger.read-transfers',
  text: `${withAssets(6)}
    SELECT ${ROW} AS row
    FROM unnest($3::text[]) WITH ORDINALITY AS asked (address, number)
    CROSS JOIN LATERAL (
      SELECT * FROM (${largestOf('from_address')} UNION ALL ${largestOf('to_address')}) both_sides
      ORDER BY ${LARGEST_FIRST} LIMIT $4) found
    ORDER BY asked.number, found.weight DESC, found.transfer_id`,
}

export interface LedgerState {
  readonly chain: string
  readonly ledgerSeq: number
}

export interface TransfersOfAddress {
  /** Those of most value, up to the limit. */
  readonly transfers: readonly Transfer[]
  /** The address has more transfers. */
  readonly isCut: boolean
  /** All outputs to the address minus all inputs from it, in base units; null if it has other transfers or more of them. */
  readonly netBaseUnits: bigint | null
}

export interface ReadRequest extends LedgerState {
  readonly addresses: readonly string[]
  readonly limit: number
  /** Transfers below dust are left out. */
  readonly isWorth?: boolean
  readonly pace?: Pace
}

/** The transfers of most value of each address, by address; an address without transfers has no entry. */
export async function readTransfers(
  database: Queryable,
  { chain, ledgerSeq, addresses, limit, isWorth = false, pace = withoutRest }: ReadRequest,
): Promise<ReadonlyMap<string, TransfersOfAddress>> {
  if (addresses.length === 0) return new Map()
  const values = [chain, ledgerSeq, addresses, limit + 1, isWorth, ...assetValues(chain)]
  const rows = await database.query<{ row: string }>(READ, values)
  return await paced(byAddress(rows, addresses, limit), pace)
}

function* byAddress(
  rows: readonly { readonly row: string }[],
  addresses: readonly string[],
  limit: number,
): Steps<ReadonlyMap<string, TransfersOfAddress>> {
  const sameText = createSameText()
  const found = new Map<string, Reading>()
  for (let index = 0; index < rows.length; index++) {
    if (index % STEP_ITEMS === 0) yield
    const row = rows[index]!.row.split(' ')
    const address = addresses[Number(row[0]) - 1]!
    let known = found.get(address)
    if (known === undefined)
      found.set(address, (known = { rows: 0, transfers: [], isCut: false, nets: null }))
    known.rows += 1
    if (known.rows > limit) {
      known.isCut = true
      continue
    }
    const transfer = transferOf(row, address, sameText)
    if (transfer.kind === 'utxo') addNet((known.nets ??= new Map()), transfer.txHash, row[NET]!)
    // A transfer of no value only carries the change of a balance.
    if (transfer.amount > 0n) known.transfers.push(transfer)
  }
  return new Map(
    [...found].map(([address, { transfers, isCut, nets }]) => [
      address,
      { transfers, isCut, netBaseUnits: isCut || nets === null ? null : sumOf(nets) },
    ]),
  )
}

interface Reading {
  rows: number
  readonly transfers: Transfer[]
  isCut: boolean
  /** Change of the balance by each transaction; null until a transaction with outputs is found. */
  nets: Nets | null
}

/** By transaction; null if none of its transfers read so far states the change. */
type Nets = Map<string, bigint | null>

function addNet(nets: Nets, txHash: string, net: string): void {
  if (net !== '') nets.set(txHash, (nets.get(txHash) ?? 0n) + BigInt(net))
  else if (!nets.has(txHash)) nets.set(txHash, null)
}

function sumOf(nets: Nets): bigint | null {
  let sum = 0n
  for (const net of nets.values()) {
    if (net === null) return null
    sum += net
  }
  return sum
}

/** Returns one string object for equal texts: thousands of rows contain only a few addresses. */
function createSameText(): (text: string) => string {
  const texts = new Map<string, string>()
  return (text) => {
    const known = texts.get(text)
    if (known === undefined) texts.set(text, text)
    return known ?? text
  }
}

/** Place of the net in ROW, and that of the last column. */
const NET = 11
const TX_HASH = 13

/** In the order of ROW. */
function transferOf(row: readonly string[], address: string, sameText: (text: string) => string): Transfer {
  const counterparty = sameText(row[3]!)
  const isOutgoing = row[2] === 't'
  return {
    id: row[1]!,
    txHash: row.length === TX_HASH + 1 ? row[TX_HASH]! : row.slice(TX_HASH).join(' '),
    kind: sameText(row[12]!),
    contract: sameText(row[4]!),
    from: isOutgoing ? address : counterparty,
    to: isOutgoing ? counterparty : address,
    amount: BigInt(row[5]!),
    blockNumber: wholeNumber(row[6]!),
    occurredAtS: wholeNumber(row[7]!),
    index: wholeNumber(row[8]!),
    position: wholeNumber(row[9]!),
    proven: row[10] === 't',
    coinJoin: isCoinJoinNode(counterparty),
  }
}

/** Null for an empty text: the source states no value. */
export function wholeNumber(text: string): number | null {
  if (text === '') return null
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is beyond 2^53`)
  return value
}

/** Transfers of addresses, as they were in one state of the ledger. */
import { isCoinJoinNode, listAssets, measuredAs, STEP_ITEMS, type Steps, type Transfer } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { addressTexts } from './address-texts.js'
import { nodesOf, ownedAddresses, type NodeOf, type OwnedAddresses } from './owners.js'
import { paced, withoutRest, type Pace } from './pace.js'
import { blockAtS } from './segments.js'
import { contractOf, hashOfDigits, keptPlan, kindOf, numberOf, plainArray } from './stored-values.js'

export type Side = 'from_id' | 'to_id'

/** The planner takes a range with two ends for a small one, and reads it from the index, however many segments there are. */
const LAST_SEQ = '9223372036854775807'

/**
 * The segments that the state with the ledger_seq `$2` does not have, as the common table `unseen`: the later ones and those whose import is
 * not complete. They are few, so no row is joined with its segments; mostly there are none, and no row is compared.
 */
export const WITH_UNSEEN = `
    WITH unseen (ids, are_none) AS MATERIALIZED (
      SELECT ids, ids = '{}' FROM (
        SELECT ARRAY(SELECT segment_id FROM ledger.segment WHERE ledger_seq IS NULL UNION ALL
          SELECT segment_id FROM ledger.segment WHERE ledger_seq BETWEEN $2::int8 + 1 AND ${LAST_SEQ})) AS later (ids))`

/**
 * The asset table as the common table `asset` too, from the parameters `${first}` to `${first + 3}` that `assetValues` gives: value of different
 * assets is compared in units of their dust.
 */
export const withAssets = (first: number): string => `${WITH_UNSEEN},
    asset (ids, measured, factors, dusts) AS MATERIALIZED (
      SELECT array_agg(id), array_agg(($${first + 1}::text[])[at]), array_agg(($${first + 2}::numeric[])[at]),
        array_agg(($${first + 3}::numeric[])[at])
      FROM (
        SELECT 0::int2 AS id, array_position($${first}::text[], '') AS at
        UNION ALL SELECT contract_id, array_position($${first}::text[], contract) FROM ledger.contract WHERE chain = $1) known
      WHERE at IS NOT NULL)`

/** Texts of arrays: the driver would make them anew for each statement. */
type AssetValues = readonly string[]
const valuesOfChains = new Map<string, AssetValues>()

export function assetValues(chain: string): AssetValues {
  const known = valuesOfChains.get(chain)
  if (known !== undefined) return known
  const assets = listAssets().filter((one) => one.chain === chain)
  const measured = assets.map((one) => measuredAs(one))
  const values = [
    assets.map(({ contract }) => contract),
    measured.map(({ contract }) => contract),
    measured.map(({ factor }) => factor.toString()),
    measured.map(({ dust }) => dust.toString()),
  ].map(plainArray)
  valuesOfChains.set(chain, values)
  return values
}

/** SQL: a fact about the asset of a transfer, null for one outside the table. The common table has one row, so no row is joined with it. */
export const ofAsset = (fact: 'measured' | 'factors' | 'dusts'): string =>
  `(SELECT ${fact} FROM asset)[array_position((SELECT ids FROM asset), coalesce(t.contract_id, 0::int2))]`

/** SQL: the value of a transfer in units of its asset's dust. */
const WEIGHT = `coalesce(t.amount * ${ofAsset('factors')} / ${ofAsset('dusts')}, 0)`

/** SQL: a transfer of at least dust. */
export const IS_WORTH = `coalesce(t.amount * ${ofAsset('factors')} >= ${ofAsset('dusts')}, false)`

/**
 * SQL: the state has the segment of a transfer that the column names. The planner takes a comparison with unknown numbers for one that hardly
 * any row passes, and then compares each row with each asset; of a CASE it expects half.
 */
const isSeen = (segment: string): string =>
  `CASE WHEN t.${segment} IS NULL THEN false WHEN (SELECT are_none FROM unseen) THEN true
      ELSE t.${segment} <> ALL ((SELECT ids FROM unseen)::int4[]) END`

const IS_PROVEN = isSeen('proven_segment_id')

/**
 * Transfers of the address with the number `asked.id` that are visible in the state with the ledger_seq `$2`. A fact of a later segment (a proof, a
 * failure, a retirement) is ignored. A proof of success stands against a failure that another file states.
 */
export const seen = (side: Side): string => `
  FROM ledger.transfer t
  WHERE t.${side} = asked.id AND ${isSeen('segment_id')} AND NOT ${isSeen('retired_segment_id')}
    AND (NOT ${isSeen('failed_segment_id')} OR t.kind = 'n' AND ${IS_PROVEN})`

/** SQL: addresses of the parameter, each with its number, as `asked`. */
export const asked = (parameter: string): string =>
  `(SELECT one.address, ${numberOf('one.address')} AS id FROM unnest(${keptPlan(`${parameter}::text[]`)}) AS one (address)) asked`

/** The caller knows the address, so only the counterparty is selected. */
export const sideOf = (side: Side, weight = WEIGHT): string => `
  SELECT t.transfer_id, ${weight} AS weight, t.tx_hash, t.kind, t.contract_id, t.amount, t.block_number, t.tx_index, t.place,
     coalesce(t.occurred_at_s, ${blockAtS('$1', 't.block_number')}) AS at_s, ${IS_PROVEN} AS proven,
     ${
       side === 'from_id'
         ? 'true AS outgoing, t.to_id AS counterparty, t.from_net AS net'
         : 'false, t.from_id, t.to_net'
     }
   ${seen(side)}`

/** No stranger changes which ones are the largest: neither with many transfers nor with new ones. */
export const LARGEST_FIRST = 'weight DESC, transfer_id'

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

const READ = {
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

export interface LedgerState {
  readonly chain: string
  readonly ledgerSeq: number
}

export interface TransfersOfAddress {
  /** Those of most value, up to the limit. */
  readonly transfers: readonly Transfer[]
  /** The address has more transfers. */
  readonly isCut: boolean
  /**
   * All outputs to the address minus all inputs from it, in base units; null if it has other transfers or more of them. Negative if another
   * address of its owner spent more than it received.
   */
  readonly netBaseUnits: bigint | null
}

export interface ReadRequest extends LedgerState {
  /** The screened address: a counterparty of its key is it. */
  readonly address?: string
  /** All requested addresses are screened ones. */
  readonly areScreened?: boolean
  readonly addresses: readonly string[]
  readonly limit: number
  /** Transfers below dust are left out. */
  readonly isWorth?: boolean
  /** No address has more rows than the limit: they come in any order. */
  readonly areSmall?: boolean
  readonly pace?: Pace
}

/**
 * The transfers of most value of each address, by address; an address without transfers has no entry. Those of other addresses of its key
 * are its own.
 */
export async function readTransfers(
  database: Queryable,
  request: ReadRequest,
): Promise<ReadonlyMap<string, TransfersOfAddress>> {
  const { chain, ledgerSeq, limit, isWorth = false, areSmall = false, pace = withoutRest } = request
  if (request.addresses.length === 0) return new Map()
  const owned = await ownedAddresses(database, request, request.addresses)
  const owners = new Map(request.addresses.map((one, index) => [one, index]))
  const values = [chain, ledgerSeq, owned.addresses, owned.ownedBy.map((one) => owners.get(one))]
  const [found] = await (areSmall
    ? database.query<FoundRows>(READ_ALL, values)
    : database.query<FoundRows>(READ, [...values, limit + 1, isWorth, ...assetValues(chain)]))
  const split = (found?.rows ?? '')
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => row.split(' '))
  const numbers = new Set(split.map((row) => Number(row[COUNTERPARTY])))
  const textOf = await addressTexts(database, ledgerSeq, numbers)
  const counterparties = [...numbers].map(textOf)
  const nodeOf = await nodesOf(database, request, { counterparties, owners: request.addresses })
  return await paced(byAddress(split, { owned, textOf, nodeOf, limit }), pace)
}

interface FoundRows extends Record<string, unknown> {
  readonly rows: string | null
}

function* byAddress(
  rows: readonly (readonly string[])[],
  {
    owned,
    textOf,
    nodeOf,
    limit,
  }: {
    readonly owned: OwnedAddresses
    readonly textOf: (number: number) => string
    readonly nodeOf: NodeOf
    readonly limit: number
  },
): Steps<ReadonlyMap<string, TransfersOfAddress>> {
  const found = new Map<string, Reading>()
  for (let index = 0; index < rows.length; index++) {
    if (index % STEP_ITEMS === 0) yield
    const row = rows[index]!
    const asked = Number(row[0]) - 1
    const [address, written] = [owned.ownedBy[asked]!, owned.addresses[asked]!]
    let known = found.get(address)
    if (known === undefined)
      found.set(address, (known = { rows: 0, transfers: [], isCut: false, nets: new Map() }))
    known.rows += 1
    if (known.rows > limit) {
      known.isCut = true
      continue
    }
    const transfer = transferOf(row, address, nodeOf(textOf(Number(row[COUNTERPARTY])), address))
    if (transfer.kind === 'utxo') addNet(netsOf(known, written), transfer.txHash, row[NET]!)
    // A transfer of no value only carries the change of a balance; one to oneself has no counterparty.
    if (transfer.amount > 0n && transfer.from !== transfer.to) known.transfers.push(transfer)
  }
  return new Map(
    [...found].map(([address, { transfers, isCut, nets }]) => [
      address,
      { transfers, isCut, netBaseUnits: isCut || nets.size === 0 ? null : netOf(nets, address) },
    ]),
  )
}

interface Reading {
  rows: number
  readonly transfers: Transfer[]
  isCut: boolean
  /** Change of the balance of each address of the owner; empty until a transaction with outputs is found. */
  readonly nets: Map<string, Nets>
}

/** By transaction; null if none of its transfers read so far states the change. */
type Nets = Map<string, bigint | null>

function netsOf({ nets }: Reading, written: string): Nets {
  const known = nets.get(written) ?? new Map<string, bigint | null>()
  nets.set(written, known)
  return known
}

/** A provider tells the balance of one address. What another one of the owner spent and never received is a shortfall of the owner. */
function netOf(nets: ReadonlyMap<string, Nets>, address: string): bigint | null {
  const sums = [...nets.values()].map(sumOf)
  if (sums.includes(null)) return null
  return sums.find((sum) => sum! < 0n) ?? sumOf(nets.get(address) ?? new Map())
}

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

/** Places in `rows`: of the counterparty, and of the net. */
const COUNTERPARTY = 3
const NET = 11

/** In the order of `rows`. */
function transferOf(row: readonly string[], address: string, counterparty: string): Transfer {
  const isOutgoing = row[2] === 't'
  return {
    id: row[1]!,
    txHash: hashOfDigits(row[13]!),
    kind: kindOf(row[12]!),
    contract: row[4]!,
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

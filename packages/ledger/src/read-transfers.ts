/** Transfers of addresses, as they were in one state of the ledger. */
import { isCoinJoinNode, STEP_ITEMS, type Steps, type Transfer } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { addressTexts } from './address-texts.js'
import { nodesOf, ownedAddresses, type NodeOf, type OwnedAddresses } from './owners.js'
import { paced, withoutRest, type Pace } from './pace.js'
import { transfersIn } from './store/transfers.js'
import type { LedgerState, StoredRow } from './store/transfer-store.js'
import { hashOfDigits, kindOf } from './stored-values.js'

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
  const asked = {
    ...{ chain, ledgerSeq, addresses: owned.addresses },
    owners: owned.ownedBy.map((one) => owners.get(one)!),
  }
  const store = transfersIn(database)
  const rows = await (areSmall
    ? store.allRows(asked)
    : store.largestRows({ ...asked, limit: limit + 1, isWorth }))
  const numbers = new Set(rows.map((row) => Number(row[COUNTERPARTY])))
  const textOf = await addressTexts(database, ledgerSeq, numbers)
  const counterparties = [...numbers].map(textOf)
  const nodeOf = await nodesOf(database, request, { counterparties, owners: request.addresses })
  return await paced(byAddress(rows, { owned, textOf, nodeOf, limit }), pace)
}

function* byAddress(
  rows: readonly StoredRow[],
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

/** Places in a row: of the counterparty, and of the net. */
const COUNTERPARTY = 3
const NET = 11

function transferOf(row: StoredRow, address: string, counterparty: string): Transfer {
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

/** Adds amounts up by address, and lists those of most value. */
import type { ExposureCounterparty } from '@cupel/contracts'
import { addedValue } from './prices.js'
import { transfersOf, type Transfer } from './transfer.js'

export interface Tally {
  readonly entity: string
  /** The list that names the address; empty in a breakdown. */
  readonly source: string
  readonly sourceUrl: string
  /** Base units. */
  amount: bigint
  /** Millionths of a US dollar; null where a price is missing. */
  microUsd: bigint | null
  transfers: number
  /** Amounts of one transfer come one after the other. */
  lastTransferId: string
}

export const emptyTally = (entity: string, { source, sourceUrl } = { source: '', sourceUrl: '' }): Tally => ({
  ...{ entity, source, sourceUrl },
  amount: 0n,
  microUsd: 0n,
  transfers: 0,
  lastTransferId: '',
})

/** Adds a part of a transfer. */
export function addTo(tally: Tally, amount: bigint, microUsd: bigint | null, transfer: Transfer): void {
  tally.amount += amount
  tally.microUsd = addedValue(tally.microUsd, microUsd)
  if (tally.lastTransferId === transfer.id) return
  tally.lastTransferId = transfer.id
  tally.transfers += transfersOf(transfer)
}

export interface ListedCounterparties {
  readonly counterparties: readonly ExposureCounterparty[]
  readonly omitted: number
  readonly omittedAmount: bigint
  readonly omittedMicroUsd: bigint | null
}

/** Counterparties that one item or part lists. */
const MAX_LISTED = 20

/** Of a busy address all lists of a record together: it stays far below the log's limit. */
const MAX_RECORDED = 600

/** How many counterparties each of these lists names. */
export const listedOfEach = (lists: number): number =>
  Math.min(MAX_LISTED, Math.max(1, Math.floor(MAX_RECORDED / Math.max(1, lists))))

/** Those of most value, and the others together. */
export function listed(tallies: ReadonlyMap<string, Tally>, limit: number): ListedCounterparties {
  const sorted = [...tallies].sort(compareTallies)
  let omittedAmount = 0n
  let omittedMicroUsd: bigint | null = 0n
  for (let index = limit; index < sorted.length; index++) {
    const [, { amount, microUsd }] = sorted[index]!
    omittedAmount += amount
    omittedMicroUsd = addedValue(omittedMicroUsd, microUsd)
  }
  return {
    counterparties: sorted.slice(0, limit).map(([address, { entity, source, sourceUrl, amount, microUsd, transfers }]) => ({
      ...{ address, entity, source, sourceUrl },
      amount: amount.toString(),
      microUsd: textOf(microUsd),
      transfers,
    })),
    omitted: Math.max(0, sorted.length - limit),
    omittedAmount,
    omittedMicroUsd,
  }
}

const compareTallies = ([a, x]: [string, Tally], [b, y]: [string, Tally]): number =>
  x.amount === y.amount ? (a < b ? -1 : 1) : x.amount > y.amount ? -1 : 1

export const textOf = (value: bigint | null): string | null => (value === null ? null : value.toString())

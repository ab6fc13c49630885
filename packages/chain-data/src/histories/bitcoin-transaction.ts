/** Whole transactions with inputs and outputs, as lines of the ledger's `bitcoin-etl` format. */
import { parseAddress, type ChainCode } from '@cupel/domain'
import { z } from 'zod'
import { ProviderError } from '../provider-error.js'
import type { ToldRow } from './newest-first.js'

/** Longer scripts have no address. */
const MAX_SCRIPT_CHARACTERS = 200
/** Parts of one side of a transaction: a block has not more. */
export const MAX_PARTS = 100_000

export const addressText = z.string().max(256)
export const scriptHex = z.string().regex(/^([0-9a-fA-F]{2})*$/)
export const parts = <T extends z.ZodType>(part: T) => z.array(part).max(MAX_PARTS)

/** The fields that every transaction of a block has. */
export interface PlaceOfTransaction {
  readonly hash: string
  readonly height: number
  /** Seconds since 1970. */
  readonly atS: number
}

/** An input or an output. More than one address is bare multisignature; none is a script without one. */
export interface TransactionPart {
  readonly addresses: readonly string[]
  /** Hex; null if the provider does not give it. */
  readonly script: string | null
  /** Base units. */
  readonly value: string
}

export interface ToldTransaction extends PlaceOfTransaction {
  readonly isCoinbase: boolean
  /** Empty for a coinbase. */
  readonly inputs: readonly TransactionPart[]
  readonly outputs: readonly TransactionPart[]
  /** Sums and fee that the provider states for the whole transaction, base units. */
  readonly stated: { readonly inputs?: string; readonly outputs?: string; readonly fee?: string }
}

/** Throws wrong_address if the transaction neither spends from the address nor pays it. */
export function rowOfTransaction(chain: ChainCode, address: string, told: ToldTransaction): ToldRow {
  const { hash, height } = told
  const inputs = canonicalParts(chain, told.inputs)
  const outputs = canonicalParts(chain, told.outputs)
  if (inputs === null || outputs === null) return unreadableTransaction(told)
  if (![...inputs, ...outputs].some(({ addresses }) => addresses.includes(address)))
    throw new ProviderError('wrong_address', 'a transaction of others')
  const [given, received] = [sumOf(inputs), sumOf(outputs)]
  if (!isWhole(told, given, received)) return { id: hash, height, lines: [], gap: 'truncated' }
  const paid = [...outputs, ...shielded(chain, told, given - received)]
  if (paid.length === 0) return unreadableTransaction(told)
  const line = {
    hash,
    block_number: height,
    block_timestamp: told.atS,
    is_coinbase: told.isCoinbase,
    input_count: inputs.length,
    output_count: paid.length,
    input_value: given.toString(),
    output_value: sumOf(paid).toString(),
    inputs: inputs.map(({ addresses, value }) => ({ addresses, value })),
    outputs: paid.map(({ addresses, value, script }) => ({
      addresses,
      value,
      ...(script === null || script.length > MAX_SCRIPT_CHARACTERS ? {} : { script_hex: script }),
    })),
  }
  return { id: hash, height, lines: [line], gap: null }
}

export const unreadableTransaction = (place: Partial<PlaceOfTransaction>): ToldRow => ({
  id: place.hash ?? null,
  height: place.height ?? null,
  lines: [],
  gap: 'unreadable_rows',
})

const sumOf = (all: readonly TransactionPart[]): bigint =>
  all.reduce((sum, { value }) => sum + BigInt(value), 0n)

/** Null if a text is not an address of the chain. */
function canonicalParts(
  chain: ChainCode,
  all: readonly TransactionPart[],
): readonly TransactionPart[] | null {
  const read = all.map((part) => ({
    ...part,
    addresses: part.addresses.map((text) => {
      const parsed = parseAddress(text, chain)
      return parsed.ok ? parsed.canonical : null
    }),
  }))
  return read.every(({ addresses }) => addresses.every((one) => one !== null))
    ? (read as readonly TransactionPart[])
    : null
}

/** Whether the lists have the sums that are stated for them. If not, the answer has not all inputs or outputs. */
function isWhole({ isCoinbase, stated }: ToldTransaction, given: bigint, received: bigint): boolean {
  const { inputs, outputs, fee } = stated
  return (
    (isCoinbase || inputs === undefined || BigInt(inputs) === given) &&
    (outputs === undefined || BigInt(outputs) === received) &&
    (isCoinbase || fee === undefined || given < received || BigInt(fee) === given - received)
  )
}

/** Base units that no fee of a transaction on Zcash exceeds, with those of each input and output (ZIP-317). */
const MAX_ZCASH_FEE = 100_000n
const MAX_ZCASH_FEE_PER_PART = 10_000n

/** Value that left the visible outputs of a transaction, beyond any fee, went into a shielded pool. */
function shielded(
  chain: ChainCode,
  { isCoinbase, inputs, outputs }: ToldTransaction,
  left: bigint,
): readonly TransactionPart[] {
  if (chain !== 'ZEC' || isCoinbase) return []
  const fee = MAX_ZCASH_FEE + MAX_ZCASH_FEE_PER_PART * BigInt(inputs.length + outputs.length)
  return left > fee || outputs.length === 0 ? [{ addresses: [], script: null, value: left.toString() }] : []
}

/**
 * Rows of TronGrid as lines of the ledger. The list of transactions has three forms of rows: transactions, whose contract says what they do,
 * and calls within them. Addresses are in hex there and in base58 in transfers of tokens. TRC-10 assets have no contract, so the ledger
 * cannot hold them; they are in no asset table.
 */
import { parseAddress, type HistoryKind } from '@cupel/domain'
import { z } from 'zod'
import { baseUnits, bareHash, count } from '../answer-fields.js'
import { ProviderError } from '../provider-error.js'
import { stillTronContracts, tronFailures } from '../tron-words.js'
import { transferLine, type TransferLine } from './transfer-line.js'

export interface TronRow {
  /** What no two rows have in common; null for transfers of tokens. */
  readonly id: string | null
  /** Milliseconds since 1970; null if the row states no time. */
  readonly atMs: number | null
  /** Null if the row does not state its block. */
  readonly height: number | null
  readonly lines: readonly TransferLine[]
  readonly isReadable: boolean
  /** Kinds that lack something if the row is not readable. */
  readonly kinds: readonly HistoryKind[]
  /** Transactions whose calls the row is, and those that show calls of the address. */
  readonly internalOf: readonly string[]
  readonly expectsInternalOf: readonly string[]
}

const MS_PER_S = 1_000

export const tronAddress = z
  .string()
  .max(64)
  .transform((text, context) => {
    const parsed = parseAddress(text, 'TRX')
    if (parsed.ok) return parsed.canonical
    context.addIssue('not an address')
    return z.NEVER
  })
/** Below 2^63. */
export const sun = baseUnits.refine((units) => units.length <= 19)
const amount = sun.optional()

const outcome = z
  .array(z.object({ contractRet: z.enum(['SUCCESS', 'DEFAULT', ...tronFailures]).default('DEFAULT') }))
  .max(1)

const transaction = z.object({
  txID: bareHash,
  blockNumber: count,
  block_timestamp: count,
  ret: outcome.default([]),
  /** Rewards that the transaction took. */
  withdraw_amount: amount,
  raw_data: z.object({
    contract: z
      .array(
        z.object({
          type: z.string().max(64),
          parameter: z.object({
            value: z.object({
              owner_address: tronAddress,
              to_address: tronAddress.optional(),
              contract_address: tronAddress.optional(),
              amount,
              call_value: amount,
              new_contract: z.object({ call_value: amount }).optional(),
            }),
          }),
        }),
      )
      .length(1),
  }),
  internal_transactions: z
    .array(z.object({ from_address: z.unknown(), to_address: z.unknown() }))
    .max(5_000)
    .optional(),
})

/** Notes of calls in hex: call, create, suicide. */
export const tronCallNotes = ['63616c6c', '637265617465', '73756963696465'] as const
const internal = z.object({
  internal_tx_id: z.string().max(128),
  tx_id: bareHash,
  block_timestamp: count,
  from_address: tronAddress,
  to_address: tronAddress,
  data: z.object({
    note: z.string().max(256).optional(),
    rejected: z.boolean(),
    call_value: z.union([z.object({ _: amount }), amount]).optional(),
  }),
})

const token = z.object({
  transaction_id: bareHash,
  block_timestamp: count,
  type: z.enum(['Transfer', 'Approval']),
  from: tronAddress,
  to: tronAddress,
  value: baseUnits,
  token_info: z.object({ address: tronAddress }),
})

const place = z.object({
  txID: bareHash.optional(),
  internal_tx_id: z.string().max(128).optional(),
  block_timestamp: count.optional(),
  blockNumber: count.optional(),
})

/** Throws wrong_address for a transfer between others. */
export function readTronRow(row: unknown, path: string, mine: string): TronRow {
  const told = place.safeParse(row)
  const { txID, internal_tx_id: call, block_timestamp: atMs, blockNumber } = told.success ? told.data : {}
  const common = {
    id: call ?? txID ?? null,
    atMs: atMs ?? null,
    height: blockNumber ?? null,
    internalOf: [],
    expectsInternalOf: [],
  }
  const isCall = call !== undefined
  const kinds: readonly HistoryKind[] =
    path !== 'transactions' ? ['token'] : isCall ? ['internal'] : ['native']
  const read = path !== 'transactions' ? readToken(row) : isCall ? readCall(row) : readTransaction(row, mine)
  if (read === null) return { ...common, kinds, lines: [], isReadable: false }
  for (const { from_address: from, to_address: to } of read.lines ?? [])
    if (from !== mine && to !== mine) throw new ProviderError('wrong_address', 'a transfer between others')
  return { ...common, kinds, isReadable: true, ...read }
}

type Read = Pick<TronRow, 'lines'> & Partial<Pick<TronRow, 'internalOf' | 'expectsInternalOf'>>

const seconds = (atMs: number): string => String(Math.floor(atMs / MS_PER_S))

/** Null if its meaning is not certain. */
export function readTransaction(row: unknown, mine: string): Read | null {
  const read = transaction.safeParse(row)
  if (!read.success) return null
  const {
    txID: hash,
    blockNumber,
    block_timestamp: atMs,
    ret,
    withdraw_amount: reward,
    raw_data: raw,
  } = read.data
  const { type, parameter } = raw.contract[0]!
  const result = ret[0]?.contractRet ?? 'DEFAULT'
  const status = result === 'SUCCESS' ? '1' : result === 'DEFAULT' ? '' : '0'
  const line = (
    from: string,
    to: string,
    units: string,
    kind: 'native' | 'issuance' = 'native',
  ): TransferLine =>
    transferLine('TRX', {
      ...{ kind, block_number: String(blockNumber), block_time: seconds(atMs), tx_hash: hash },
      ...{ from_address: from, to_address: to, amount_raw: units, status },
    })
  const { value } = parameter
  const owner = value.owner_address
  const calls = read.data.internal_transactions ?? []
  const isParty = calls.some((one) =>
    [one.from_address, one.to_address].some((text) => isAddress(text, mine)),
  )
  const expectsInternalOf = isParty ? [hash] : []
  if (type === 'TransferContract' || type === 'ParticipateAssetIssueContract')
    return value.to_address === undefined || value.amount === undefined
      ? null
      : { lines: [line(owner, value.to_address, value.amount)], expectsInternalOf }
  if (type === 'TriggerSmartContract')
    return value.contract_address === undefined
      ? null
      : { lines: [line(owner, value.contract_address, value.call_value ?? '0')], expectsInternalOf }
  // A created contract has no address in its row, so coins that it gets make the row unreadable.
  if (type === 'CreateSmartContract')
    return value.new_contract !== undefined &&
      [value.call_value, value.new_contract.call_value].every((units) => (units ?? '0') === '0')
      ? { lines: [], expectsInternalOf }
      : null
  // A reward has no payer: a follower and a file call it the same.
  if (type === 'WithdrawBalanceContract')
    return reward === undefined ? null : { lines: [line('', owner, reward, 'issuance')] }
  return stillTronContracts.has(type) ? { lines: [], expectsInternalOf } : null
}

function isAddress(text: unknown, mine: string): boolean {
  const parsed = typeof text === 'string' ? parseAddress(text, 'TRX') : null
  return parsed?.ok === true && parsed.canonical === mine
}

function readCall(row: unknown): Read | null {
  const read = internal.safeParse(row)
  if (!read.success) return null
  const { tx_id: hash, block_timestamp: atMs, from_address: from, to_address: to, data } = read.data
  const told = data.call_value
  const units = (typeof told === 'object' ? told._ : told) ?? '0'
  const isKnown = data.note === undefined || (tronCallNotes as readonly string[]).includes(data.note)
  // Other notes name what a contract does with its stake: their value is not paid to anybody.
  if (!isKnown) return units === '0' || data.rejected ? { lines: [], internalOf: [hash] } : null
  const stated = { block_time: seconds(atMs), tx_hash: hash, status: data.rejected ? '0' : '1' }
  return {
    lines: [
      transferLine('TRX', {
        ...{ kind: 'internal', ...stated, from_address: from, to_address: to, amount_raw: units },
      }),
    ],
    internalOf: [hash],
  }
}

function readToken(row: unknown): Read | null {
  const read = token.safeParse(row)
  if (!read.success) return null
  const { transaction_id: hash, block_timestamp: atMs, type, from, to, value, token_info: info } = read.data
  if (type === 'Approval') return { lines: [] }
  return {
    lines: [
      transferLine('TRX', {
        ...{ kind: 'token', block_time: seconds(atMs), tx_hash: hash, asset_address: info.address },
        ...{ from_address: from, to_address: to, amount_raw: value, status: '1' },
      }),
    ],
  }
}

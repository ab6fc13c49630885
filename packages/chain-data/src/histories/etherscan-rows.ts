/**
 * Rows of `txlist`, `txlistinternal` and `tokentx` as lines of the ledger. Numbers are texts. Blockscout names the hash of a call
 * `transactionHash` and its type `callType`; without that, a call that borrows code cannot be told from one that pays.
 */
import { findAsset, type ChainCode, type HistoryKind } from '@cupel/domain'
import { z } from 'zod'
import { baseUnits, count, hexHash, unixSeconds } from '../answer-fields.js'
import { ProviderError } from '../provider-error.js'
import { transferLine, type TransferLine } from './transfer-line.js'

export interface EtherscanRow {
  /** Null if the row states no block. */
  readonly height: number | null
  /** The transfer; none if the row moves nothing or is not readable. */
  readonly lines: readonly TransferLine[]
  readonly isReadable: boolean
  /** Equal for equal rows, whenever they are read. */
  readonly content: string
}

interface Ground {
  readonly chain: ChainCode
  readonly kind: HistoryKind
  readonly address: string
  /** Transactions of the address that failed; native rows add theirs. */
  readonly failed: Set<string>
}

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => text.toLowerCase())
const maybeAddress = z
  .union([address, z.literal(''), z.null()])
  .optional()
  .transform((text) => text ?? '')
const place = { blockNumber: count, timeStamp: unixSeconds.transform(String) }
const index = z
  .union([count.transform(String), z.literal('')])
  .optional()
  .transform((text) => text ?? '')
const flag = z.enum(['0', '1'])

const nativeRow = z
  .object({
    ...place,
    hash: hexHash,
    transactionIndex: index,
    from: address,
    to: maybeAddress,
    contractAddress: maybeAddress,
    value: baseUnits,
    isError: flag,
    txreceipt_status: z.enum(['0', '1', '']).optional(),
  })
  // A receipt has a status only since the fork of Byzantium; 1 is success there and failure here.
  .refine(({ isError, txreceipt_status: status }) => status !== isError, 'status')

/** What the first block gave to an address has neither a payer nor a hash. */
const genesisRow = z.object({
  blockNumber: count.refine((height) => height === 0),
  hash: z.string().regex(/^GENESIS_[0-9a-zA-Z]{1,64}$/),
  from: z.literal('GENESIS'),
  to: address,
  value: baseUnits,
})

/** Calls that run the code of another contract in place: the value that they show is not theirs. */
const borrowed = ['delegatecall', 'callcode', 'staticcall'] as const
const internalRow = z
  .object({
    ...place,
    hash: hexHash.optional(),
    transactionHash: hexHash.optional(),
    from: maybeAddress,
    to: maybeAddress,
    contractAddress: maybeAddress,
    value: baseUnits,
    type: z.enum(['call', 'create', 'create2', 'suicide', 'selfdestruct', 'reward', ...borrowed]),
    callType: z.enum(['call', '', ...borrowed]).optional(),
    isError: flag,
  })
  .refine(({ hash, transactionHash }) => (hash ?? transactionHash) !== undefined, 'hash')
  .refine(
    ({ hash, type, callType, value }) =>
      hash !== undefined || type !== 'call' || (callType ?? '') !== '' || value === '0',
    'callType',
  )

const tokenRow = z.object({
  ...place,
  timeStamp: z.union([place.timeStamp, z.literal('')]),
  hash: hexHash,
  transactionIndex: index,
  logIndex: index,
  contractAddress: address,
  from: address,
  to: address,
  value: z.union([baseUnits, z.null()]).optional(),
  tokenID: z.unknown().optional(),
  tokenIDs: z.unknown().optional(),
})

const readers: Readonly<
  Record<HistoryKind, (row: unknown, ground: Ground) => readonly TransferLine[] | null>
> = { native: readNative, internal: readInternal, token: readToken }

/** Throws wrong_address for a transfer between others. */
export function readEtherscanRow(row: unknown, ground: Ground): EtherscanRow {
  const lines = readers[ground.kind](row, ground)
  for (const { from_address: from, to_address: to } of lines ?? [])
    if (from !== ground.address && to !== ground.address)
      throw new ProviderError('wrong_address', 'a transfer between others')
  const placed = z.object({ blockNumber: count }).safeParse(row)
  return {
    height: placed.success ? placed.data.blockNumber : null,
    lines: lines ?? [],
    isReadable: lines !== null,
    content: JSON.stringify(lines),
  }
}

function readNative(row: unknown, { chain, failed }: Ground): readonly TransferLine[] | null {
  const genesis = genesisRow.safeParse(row)
  if (genesis.success) {
    const { to, value } = genesis.data
    const stated = { from_address: '', to_address: to, amount_raw: value, block_number: '0', status: '1' }
    return [transferLine(chain, { kind: 'native', ...stated })]
  }
  const read = nativeRow.safeParse(row)
  if (!read.success) return null
  const { blockNumber, timeStamp, hash, transactionIndex, from, to, contractAddress, value } = read.data
  const hasFailed = read.data.isError === '1'
  if (hasFailed) failed.add(hash)
  const receiver = to || contractAddress
  // Without a receiver only a failed creation is certain.
  if (receiver === '' && !hasFailed) return null
  return [
    transferLine(chain, {
      kind: 'native',
      block_number: String(blockNumber),
      block_time: timeStamp,
      tx_hash: hash,
      transaction_index: transactionIndex,
      from_address: from,
      to_address: receiver,
      amount_raw: value,
      status: hasFailed ? '0' : '1',
    }),
  ]
}

function readInternal(row: unknown, { chain, failed }: Ground): readonly TransferLine[] | null {
  const read = internalRow.safeParse(row)
  if (!read.success) return null
  const { blockNumber, timeStamp, from, to, contractAddress, value, type, callType, isError } = read.data
  const isBorrowed = [type, callType].some((word) => (borrowed as readonly unknown[]).includes(word))
  if (isBorrowed) return []
  const hash = (read.data.hash ?? read.data.transactionHash)!
  const hasFailed = isError === '1' || failed.has(hash)
  const receiver = to || contractAddress
  const lacksSide = receiver === '' || (from === '' && type !== 'reward')
  if (lacksSide) return hasFailed || value === '0' ? [] : null
  return [
    transferLine(chain, {
      kind: 'internal',
      block_number: String(blockNumber),
      block_time: timeStamp,
      tx_hash: hash,
      from_address: from,
      to_address: receiver,
      amount_raw: value,
      status: hasFailed ? '0' : '1',
    }),
  ]
}

function readToken(row: unknown, { chain }: Ground): readonly TransferLine[] | null {
  const read = tokenRow.safeParse(row)
  if (!read.success) return null
  const { blockNumber, timeStamp, hash, transactionIndex, logIndex, contractAddress, from, to } = read.data
  const isSingle = read.data.tokenID !== undefined || read.data.tokenIDs !== undefined
  // One piece of a collection. A coin of the asset table has an amount.
  const single = isSingle && findAsset(chain, contractAddress) === undefined ? '1' : null
  const amount = read.data.value ?? single
  if (amount === null) return null
  return [
    transferLine(chain, {
      kind: 'token',
      block_number: String(blockNumber),
      block_time: timeStamp,
      tx_hash: hash,
      transaction_index: transactionIndex,
      log_index: logIndex,
      asset_address: contractAddress,
      from_address: from,
      to_address: to,
      amount_raw: amount,
      status: '1',
    }),
  ]
}

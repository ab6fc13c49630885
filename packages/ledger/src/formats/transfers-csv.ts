/** Cupel's own layout: one native or token transfer per row; a field is empty if the source states no value. */
import { chainFactsOf, findChain, ISSUANCE, listAssets } from '@cupel/domain'
import {
  DECIMAL,
  foldedHash,
  impossibleCoins,
  outcomeOf,
  secondsOf,
  tokenDecimals,
  unitsOfDecimal,
  wholeNumber,
  wholeUnits,
  type ChainDefinition,
} from './chain.js'
import { isCoinJoin, nodeOf } from './coin-join.js'
import { LedgerFileError, UnreadableRowError } from './ledger-file-error.js'
import type { FileRecord, LedgerFormat, LedgerRow, RecordReader, ToldTransfer } from './ledger-row.js'

/** Coins that go into a pool of the chain itself, or come from it: the end in the pool has no address. */
const POOL = 'pool'
/** An asset of TRON without a contract, by its number, or by the bytes of its name. */
const TRC10 = 'trc10'
const TRC10_ASSET = /^trc10:(?:\d{1,20}|0x(?:[0-9a-f]{2}){1,64})$/

/** Value that the chain makes: rewards of blocks, and withdrawals of validators. Nobody pays it. */
const ISSUED = 'issuance'

const kinds: ReadonlyMap<string, ToldTransfer['kind']> = new Map([
  ['native', 'native'],
  ['erc20', 'token'],
  ['bep20', 'token'],
  ['trc20', 'token'],
  ['spl', 'token'],
  ['token', 'token'],
  ['internal', 'internal'],
  ['trace', 'internal'],
  [ISSUED, 'internal'],
  ['utxo', 'utxo'],
  [POOL, 'native'],
  [TRC10, 'token'],
])

const REQUIRED = ['chain', 'kind', 'from_address', 'to_address', 'amount_raw', 'amount'] as const

const OTHERS = [
  ...['block_number', 'block_time', 'tx_hash', 'log_index', 'asset', 'asset_address', 'amount_usd', 'source'],
  ...['status', 'transaction_index'],
] as const
const COLUMNS: ReadonlySet<string> = new Set([...REQUIRED, ...OTHERS])

export const transfersCsv: LedgerFormat = {
  knows: ({ has }) => REQUIRED.every((name) => has(name)),
  // Rows of any kind have the same columns. Only a chain without calls and tokens has no choice.
  covers: (_fields, chain) => (hasOneKind(chain) ? ['native'] : null),
  isSurveyed: (_fields, chain) => spendsOutputs(chain),
  open: openReader,
}

const spendsOutputs = ({ code }: ChainDefinition): boolean => chainFactsOf(code)?.spendsTogether === true

/**
 * What moved, by its word and the chain: coins that move as outputs are spent outputs under either word, so that they count once with those of
 * other files; outputs and calls on a chain without them mean something else.
 */
function kindOf(record: FileRecord, chain: ChainDefinition): ToldTransfer['kind'] {
  const told = record.text('kind')
  const kind = kinds.get(told) ?? kinds.get(told.toLowerCase())
  if (kind === undefined)
    throw new UnreadableRowError(`the kind ${told.slice(0, 40)} is unknown`, record.line)
  if (kind === (spendsOutputs(chain) ? 'internal' : 'utxo'))
    throw new UnreadableRowError(`${chain.code} has no transfers of the kind ${kind}`, record.line)
  return kind === 'native' && spendsOutputs(chain) ? 'utxo' : kind
}

/** Keeps what the transactions of a file spend in memory; a file with more must be split. */
const MAX_INPUTS = 5_000_000

/** One transaction with spent outputs: its rows are the payments of its inputs to its outputs. */
interface Spending {
  readonly senders: Set<string>
  readonly received: Map<string, bigint>
  isJoint: boolean | null
}

function openReader(chain: ChainDefinition): RecordReader {
  const spendings = new Map<string, Spending>()
  let inputs = 0
  const isOfOutputs = spendsOutputs(chain)
  return {
    survey(record) {
      if (kindOf(record, chain) !== 'utxo') return
      for (const row of readRow(record, chain)) {
        if (row.type !== 'transfer' || row.transfer.txHash === '') continue
        const { txHash, from, to, amount } = row.transfer
        const known = spendings.get(txHash) ?? { senders: new Set(), received: new Map(), isJoint: null }
        spendings.set(txHash, known)
        if (from !== '') known.senders.add(from)
        known.received.set(to, (known.received.get(to) ?? 0n) + amount)
        inputs += 1
        if (inputs > MAX_INPUTS)
          throw new LedgerFileError(`more than ${MAX_INPUTS} inputs: split the file`, record.line)
      }
    },
    read(record) {
      const rows = readRow(record, chain)
      if (!isOfOutputs) return rows
      return rows.flatMap((row) => {
        if (row.type !== 'transfer' || row.transfer.kind !== 'utxo') return [row]
        const spending = spendings.get(row.transfer.txHash)
        return spending === undefined ? [withNet(row)] : rowsOfSpending(row.transfer, spending)
      })
    },
  }
}

/** Every payment changes the balances of both sides. Rows of this layout state no fees. */
const withNet = (row: TransferRow): TransferRow => {
  const { from, to, amount } = row.transfer
  const nets = { ...(from === '' ? {} : { fromNet: -amount }), ...(to === '' ? {} : { toNet: amount }) }
  return from === to ? row : { ...row, transfer: { ...row.transfer, ...nets } }
}

type TransferRow = Extract<LedgerRow, { readonly type: 'transfer' }>

/** An output to an address that its transaction spends from is change. The senders of one transaction have one owner, unless it is a CoinJoin. */
function rowsOfSpending(transfer: ToldTransfer, spending: Spending): readonly LedgerRow[] {
  const { senders, received } = spending
  const { txHash, from, to } = transfer
  const isFirst = spending.isJoint === null
  spending.isJoint ??= isCoinJoin(
    senders.size,
    [...received].flatMap(([address, value]) => (address === '' || senders.has(address) ? [] : [{ value }])),
  )
  const joins: readonly LedgerRow[] =
    isFirst && !spending.isJoint && senders.size > 1
      ? [{ type: 'inputs', txHash, addresses: [...senders].sort() }]
      : []
  if (to !== '' && from !== to && senders.has(to)) return [...joins, { type: 'left-out', reason: 'change' }]
  const row = withNet({ type: 'transfer', transfer })
  if (!spending.isJoint || from === to) return [row, ...joins]
  const node = nodeOf('coinjoin', txHash)
  const { fromNet, toNet, ...payment } = row.transfer
  return [
    { type: 'transfer', transfer: { ...payment, to: node, ...(fromNet === undefined ? {} : { fromNet }) } },
    { type: 'transfer', transfer: { ...payment, from: node, ...(toNet === undefined ? {} : { toNet }) } },
  ]
}

const hasOneKind = ({ code, family }: ChainDefinition): boolean =>
  family !== 'evm' && listAssets().every((asset) => asset.chain !== code || asset.contract === '')

function readRow(record: FileRecord, chain: ChainDefinition): readonly LedgerRow[] {
  const { missing, foreign } = columnsOf(record.names)
  if (missing !== undefined) throw new LedgerFileError(`the column ${missing} is missing`, record.line)
  for (const name of foreign) checkColumn(record, name)
  const told = record.text('chain')
  const toldChain = told === '' ? chain.code : findChain(told)?.code
  if (toldChain === undefined)
    throw new UnreadableRowError(`the chain ${told.slice(0, 40)} is unknown`, record.line)
  if (toldChain !== chain.code) return [{ type: 'left-out', reason: 'other_chain' }]
  return transferOf(record, chain, kindOf(record, chain))
}

interface ToldColumns {
  /** A required column that the record does not have. */
  readonly missing: string | undefined
  /** Columns that this layout does not have. */
  readonly foreign: readonly string[]
}

/** Records of a CSV file share their names. */
let lastColumns: ToldColumns & { readonly names: readonly string[] } = {
  names: [],
  missing: REQUIRED[0],
  foreign: [],
}

function columnsOf(names: readonly string[]): ToldColumns {
  if (lastColumns.names !== names)
    lastColumns = {
      names,
      missing: REQUIRED.find((name) => !names.includes(name)),
      foreign: names.filter((name) => !COLUMNS.has(name)),
    }
  return lastColumns
}

/** A column of another layout may state a unit, a direction or a failure. Without a value it states nothing. */
function checkColumn(record: FileRecord, name: string): void {
  if (record.text(name).trim() === '') return
  throw new UnreadableRowError(
    `this layout has no column ${name.slice(0, 40)}, and the row has a value in it: leave the column out if it says nothing of the transfer`,
    record.line,
  )
}

function transferOf(
  record: FileRecord,
  chain: ChainDefinition,
  kind: ToldTransfer['kind'],
): readonly LedgerRow[] {
  const { line } = record
  const told = record.text('kind').toLowerCase()
  const contract = kind === 'token' ? contractOf(record, chain, told) : ''
  checkAsset(record, chain, { kind, contract })
  const decimals = contract === '' ? chain.decimals : tokenDecimals(chain.code, contract)
  const index = wholeNumber(record.text('log_index'), 'log_index', line)
  const isPooled = told === POOL
  if (isPooled) checkPool(record, chain)
  return [
    {
      type: isPooled ? 'balance' : 'transfer',
      transfer: {
        line,
        kind,
        contract,
        txHash: foldedHash(record.text('tx_hash'), chain, record.line),
        index: index === null ? null : String(index),
        from: senderOf(record, chain, told),
        to: chain.canonical(record.text('to_address'), line),
        amount: amountOf(record, chain.code, decimals),
        blockNumber: wholeNumber(record.text('block_number'), 'block_number', line),
        occurredAtS: secondsOf(record.text('block_time'), line, chain),
        txIndex: wholeNumber(record.text('transaction_index'), 'transaction_index', line),
        // Only logs are numbered over the whole block.
        place: kind === 'token' ? index : null,
        execution: executionOf(outcomeOf(record.text('status'), line), kind),
      },
    },
  ]
}

function contractOf(record: FileRecord, chain: ChainDefinition, told: string): string {
  const { line } = record
  const address = record.text('asset_address')
  if (told !== TRC10) return chain.canonical(address, line)
  if (chain.code !== 'TRX' || !TRC10_ASSET.test(address))
    throw new UnreadableRowError(`${address.slice(0, 40)} is not a TRC-10 asset`, line)
  return address
}

/** Exactly one end has an address. */
function checkPool(record: FileRecord, { code }: ChainDefinition): void {
  const ends = [record.text('from_address'), record.text('to_address')]
  if (code !== 'TRX' || ends.filter((end) => end === '').length !== 1)
    throw new UnreadableRowError('a pool of the chain has no address, and one end has', record.line)
}

function senderOf(record: FileRecord, chain: ChainDefinition, told: string): string {
  const from = chain.canonical(record.text('from_address'), record.line)
  if (told !== ISSUED) return from
  if (from !== '') throw new UnreadableRowError('issued value with a payer', record.line)
  return ISSUANCE
}

/** A number that is more than zero. */
const IS_SOME = /^[0.]*[1-9]/

/**
 * Base units. Nobody knows the decimals of a token outside the asset table: whole ones are as good as base units, and a part is not nothing.
 * Two amounts that are a power of ten apart have another unit than this layout. A rounded one is nearer.
 */
function amountOf(record: FileRecord, code: string, decimals: number | undefined): bigint {
  const { line } = record
  const [raw, text] = [record.text('amount_raw'), record.text('amount')]
  const amount = raw === '' ? decimalOf(text, decimals, line) : unitsOf(record, code, decimals)
  if (decimals !== undefined && amount >= impossibleUnits(code, decimals))
    throw new UnreadableRowError(`nobody has as many coins: ${(raw || text).slice(0, 40)}`, line)
  return amount
}

const unitsByAsset = new Map<string, Map<number, bigint>>()

/** Base units that nobody has. */
function impossibleUnits(code: string, decimals: number): bigint {
  const ofChain = unitsByAsset.get(code) ?? new Map<number, bigint>()
  unitsByAsset.set(code, ofChain)
  const units = ofChain.get(decimals) ?? impossibleCoins(code) * 10n ** BigInt(decimals)
  ofChain.set(decimals, units)
  return units
}

function decimalOf(text: string, decimals: number | undefined, line: number): bigint {
  const amount = unitsOfDecimal(text, decimals ?? 0, line)
  return amount === 0n && IS_SOME.test(text) && decimals === undefined ? 1n : amount
}

function unitsOf(record: FileRecord, code: string, decimals: number | undefined): bigint {
  const { line } = record
  const [raw, text] = [record.text('amount_raw'), record.text('amount')]
  const isSome = IS_SOME.test(text)
  const amount = wholeUnits(raw, line, { code, decimals: decimals ?? 0 })
  if (text === '') return amount
  const told =
    isSome && decimals !== undefined && DECIMAL.test(text) ? unitsOfDecimal(text, decimals, line) : amount
  if ((amount === 0n && isSome) || amount > 9n * (told + 1n) || told > 9n * (amount + 1n))
    throw new UnreadableRowError(
      `amount_raw is ${raw.slice(0, 40)}, and amount is ${text.slice(0, 40)}`,
      line,
    )
  return amount
}

/** A token event and a spent output exist only if the transaction succeeded. */
function executionOf(told: ToldTransfer['execution'], kind: ToldTransfer['kind']): ToldTransfer['execution'] {
  return told === 'unknown' && (kind === 'token' || kind === 'utxo') ? 'proven' : told
}

/** Other names of native assets in exports. */
const otherSymbols: Readonly<Record<string, readonly string[]>> = {
  BTC: ['XBT'],
  MATIC: ['MATIC'],
  XLM: ['STR'],
}

/** A token is known by its contract: without one its amount must not be read as coins. */
function checkAsset(
  record: FileRecord,
  { code }: ChainDefinition,
  { kind, contract }: Pick<ToldTransfer, 'kind' | 'contract'>,
): void {
  if (kind === 'token') {
    if (contract === '') throw new UnreadableRowError('a token without a contract', record.line)
    return
  }
  if (record.text('asset_address') !== '')
    throw new UnreadableRowError(`a contract in a row of the kind ${kind}`, record.line)
  const asset = record.text('asset')
  if (asset === '' || asset === code) return
  const names = [code, chainFactsOf(code)?.symbol.toUpperCase(), ...(otherSymbols[code] ?? [])]
  if (!names.includes(asset.toUpperCase()))
    throw new UnreadableRowError(
      `${asset.toUpperCase().slice(0, 40)} is not the native asset of ${code}`,
      record.line,
    )
}

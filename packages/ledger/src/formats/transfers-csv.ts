/** Cupel's own layout: one native or token transfer per row; a field is empty if the source states no value. */
import { chainFactsOf, findChain, listAssets } from '@cupel/domain'
import {
  foldedHash,
  outcomeOf,
  secondsOf,
  tokenDecimals,
  unitsOfDecimal,
  wholeNumber,
  wholeUnits,
  type ChainDefinition,
} from './chain.js'
import { LedgerFileError, UnreadableRowError } from './ledger-file-error.js'
import type { FileRecord, LedgerFormat, LedgerRow, RecordReader, ToldTransfer } from './ledger-row.js'

const kinds: Readonly<Record<string, ToldTransfer['kind']>> = {
  native: 'native',
  erc20: 'token',
  bep20: 'token',
  trc20: 'token',
  spl: 'token',
  token: 'token',
  internal: 'internal',
  trace: 'internal',
  utxo: 'utxo',
}

const REQUIRED = ['chain', 'kind', 'from_address', 'to_address', 'amount_raw', 'amount'] as const

export const transfersCsv: LedgerFormat = {
  knows: ({ has }) => REQUIRED.every((name) => has(name)),
  // Rows of any kind have the same columns. Only a chain without calls and tokens has no choice.
  covers: (_fields, chain) => (hasOneKind(chain) ? ['native'] : null),
  isSurveyed: (_fields, { code }) => chainFactsOf(code)?.spendsTogether === true,
  open: openReader,
}

/** Keeps the addresses that the transactions of a file spend from in memory; a file with more must be split. */
const MAX_INPUTS = 5_000_000

function openReader(chain: ChainDefinition): RecordReader {
  /** By transaction and address. */
  const inputs = new Set<string>()
  return {
    survey(record) {
      const txHash = foldedHash(record.text('tx_hash'), chain)
      if (txHash === '' || kinds[record.text('kind').toLowerCase()] !== 'utxo') return
      inputs.add(`${txHash} ${chain.canonical(record.text('from_address'), record.line)}`)
      if (inputs.size > MAX_INPUTS)
        throw new LedgerFileError(`more than ${MAX_INPUTS} inputs: split the file`, record.line)
    },
    read: (record) =>
      readRow(record, chain).map((row) =>
        row.type === 'transfer' && isChange(row.transfer, inputs)
          ? { type: 'left-out', reason: 'change' }
          : row,
      ),
  }
}

/** An output to an address that its transaction spends from. An output to the only input is a transfer to itself. */
const isChange = ({ kind, txHash, from, to }: ToldTransfer, inputs: ReadonlySet<string>): boolean =>
  kind === 'utxo' && txHash !== '' && to !== '' && from !== to && inputs.has(`${txHash} ${to}`)

const hasOneKind = ({ code, family }: ChainDefinition): boolean =>
  family !== 'evm' && listAssets().every((asset) => asset.chain !== code || asset.contract === '')

function readRow(record: FileRecord, chain: ChainDefinition): readonly LedgerRow[] {
  for (const name of REQUIRED)
    if (!record.has(name)) throw new LedgerFileError(`the column ${name} is missing`, record.line)
  const told = record.text('chain')
  const toldChain = told === '' ? chain.code : findChain(told)?.code
  if (toldChain === undefined)
    throw new UnreadableRowError(`the chain ${told.slice(0, 40)} is unknown`, record.line)
  if (toldChain !== chain.code) return [{ type: 'left-out', reason: 'other_chain' }]
  const kind = kinds[record.text('kind').toLowerCase()]
  if (kind === undefined)
    throw new UnreadableRowError(`the kind ${record.text('kind').slice(0, 40)} is unknown`, record.line)
  return transferOf(record, chain, kind)
}

function transferOf(
  record: FileRecord,
  chain: ChainDefinition,
  kind: ToldTransfer['kind'],
): readonly LedgerRow[] {
  const { line } = record
  const contract = kind === 'token' ? chain.canonical(record.text('asset_address'), line) : ''
  checkAsset(record, chain, { kind, contract })
  const decimals = contract === '' ? chain.decimals : tokenDecimals(chain.code, contract)
  if (decimals === undefined) return [{ type: 'left-out', reason: 'unknown_asset' }]
  const raw = record.text('amount_raw')
  const index = wholeNumber(record.text('log_index'), 'log_index', line)
  return [
    {
      type: 'transfer',
      transfer: {
        line,
        kind,
        contract,
        txHash: foldedHash(record.text('tx_hash'), chain),
        index: index === null ? null : String(index),
        from: chain.canonical(record.text('from_address'), line),
        to: chain.canonical(record.text('to_address'), line),
        amount: raw === '' ? unitsOfDecimal(record.text('amount'), decimals, line) : wholeUnits(raw, line),
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
  const asset = record.text('asset').toUpperCase()
  const names = [code, chainFactsOf(code)?.symbol.toUpperCase(), ...(otherSymbols[code] ?? [])]
  if (asset !== '' && !names.includes(asset))
    throw new UnreadableRowError(`${asset.slice(0, 40)} is not the native asset of ${code}`, record.line)
}

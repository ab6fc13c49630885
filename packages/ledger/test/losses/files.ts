/** Writes a world as the files of each format that the ledger reads. */
import type { HistoryKind } from '@cupel/domain'
import { addressOf, FIRST_BLOCK, LAST_AT_S, LAST_BLOCK, type Choose, type Move, type World } from './world.js'

export interface WorldFile {
  readonly name: string
  readonly format: string
  /** Kinds that its range covers; null if it declares no range, absent if the format tells it. */
  readonly covers?: readonly HistoryKind[] | null
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly asJson: boolean
  readonly lineEnd: string
  /** The text instead of the rows. */
  readonly text?: string
}

type Row = Readonly<Record<string, string>>

function table(
  name: string,
  format: string,
  columns: string,
  rows: readonly Row[],
  more: Partial<WorldFile> = {},
): WorldFile {
  const all = columns.split(' ')
  return {
    ...{ name, format, columns: all, rows: rows.map((row) => all.map((column) => row[column] ?? '')) },
    ...{ asJson: false, lineEnd: '\n', ...more },
  }
}

const jsonColumns: ReadonlySet<string> = new Set(['inputs', 'outputs'])
const quoted = (field: string): string =>
  /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field

export function textOf({ columns, rows, asJson, lineEnd, text }: WorldFile): string {
  if (text !== undefined) return text
  const lines = asJson
    ? rows.map(
        (row) =>
          `{${columns.map((name, at) => `${JSON.stringify(name)}:${jsonColumns.has(name) ? row[at]! || 'null' : JSON.stringify(row[at])}`).join()}}`,
      )
    : [columns.join(), ...rows.map((row) => row.map(quoted).join())]
  return lines.map((line) => line + lineEnd).join('')
}

const blocksFile = table(
  'blocks',
  'blocks',
  'number timestamp',
  [
    { number: String(FIRST_BLOCK), timestamp: String(LAST_AT_S - (LAST_BLOCK - FIRST_BLOCK) * 12) },
    { number: String(LAST_BLOCK), timestamp: String(LAST_AT_S) },
  ],
  { covers: null },
)

export type Layout = 'etl' | 'etl with receipts' | 'geth' | 'cryo' | 'csv' | 'bitcoin-etl'
export const layoutsOf: Readonly<Record<World['chain'], readonly Layout[]>> = {
  ETH: ['etl', 'etl with receipts', 'geth', 'cryo', 'csv'],
  BTC: ['bitcoin-etl', 'csv'],
}

export const drawnFiles = (world: World, choose: Choose): readonly WorldFile[] =>
  filesAs(world, choose(layoutsOf[world.chain]))

export const filesAs = (world: World, layout: Layout): readonly WorldFile[] => [
  ...(layout === 'csv'
    ? [csvFile(world)]
    : layout === 'bitcoin-etl'
      ? [bitcoinFile(world)]
      : layout === 'cryo'
        ? etlFiles(world, 'etl').map(asCryo)
        : etlFiles(world, layout)),
  blocksFile,
]

function csvFile({ chain, moves }: World): WorldFile {
  const columns =
    'chain block_number block_time tx_hash log_index kind asset asset_address from_address to_address amount_raw amount status transaction_index'
  const rows = moves.map((move): Row => ({
    ...{ chain, block_number: String(move.block), block_time: new Date(move.atS * 1_000).toISOString() },
    ...{ tx_hash: move.hash, log_index: move.kind === 'token' ? '3' : '', kind: move.kind },
    ...{ asset: move.asset.symbol, asset_address: move.asset.contract, transaction_index: '2' },
    ...{ from_address: addressOf(chain, move.from), to_address: addressOf(chain, move.to) },
    ...{ amount_raw: String(move.amount), amount: decimalOf(move), status: move.succeeded ? '1' : '0' },
  }))
  const covers = chain === 'ETH' ? { covers: ['native', 'internal', 'token'] as const } : {}
  return table('transfers', 'csv', columns, rows, covers)
}

/** The amount in whole units, as an export shows it; nobody knows the decimals of the unlisted token. */
const decimalOf = ({ amount, asset: { decimals } }: Move): string =>
  decimals === 0
    ? ''
    : String(amount)
        .padStart(decimals + 1, '0')
        .replace(new RegExp(`(?=.{${decimals}}$)`), '.')

const common = (move: Move): Row => ({
  ...{ block_number: String(move.block), block_timestamp: String(move.atS), transaction_index: '2' },
  ...{ hash: move.hash, transaction_hash: move.hash, value: String(move.amount) },
  ...{ from_address: addressOf('ETH', move.from), to_address: addressOf('ETH', move.to) },
})

/** A transaction for every movement: tokens and calls move within one of a stranger, which itself moves nothing. */
function etlFiles({ moves }: World, layout: Layout): readonly WorldFile[] {
  const stranger = {
    from_address: addressOf('ETH', 'stranger'),
    to_address: addressOf('ETH', 'contract'),
    value: '0',
  }
  const outer = moves.map((move): Row => ({
    ...{
      ...common(move),
      nonce: '5',
      gas_price: '7',
      gas: '21000',
      receipt_status: move.succeeded ? '1' : '0',
    },
    ...(move.kind === 'native' ? {} : stranger),
  }))
  const calls = moves.flatMap((move, at): readonly Row[] => {
    const error = move.succeeded ? '' : 'out of gas'
    const call = { trace_type: 'call', call_type: 'call', error, status: move.succeeded ? '1' : '0' }
    const outermost = { ...outer[at]!, ...call, trace_address: '' }
    const inner = { ...common(move), ...call, trace_address: '0' }
    return move.kind === 'internal' ? [outermost, inner] : [outermost]
  })
  const isOfGeth = layout === 'geth'
  const withReceipts = layout === 'etl with receipts'
  const asGeth = (row: Row): Row => ({ ...row, transaction_hash: '', status: '' })
  return [
    table(
      'transactions',
      'ethereum-etl',
      `hash nonce block_number transaction_index from_address to_address value gas gas_price block_timestamp${withReceipts ? '' : ' receipt_status'}`,
      outer,
    ),
    ...(withReceipts
      ? [
          table(
            'receipts',
            'ethereum-etl',
            'transaction_hash transaction_index block_number cumulative_gas_used status',
            outer.map((row) => ({ ...row, cumulative_gas_used: '9', status: row['receipt_status']! })),
            { covers: null },
          ),
        ]
      : []),
    table(
      'token_transfers',
      'ethereum-etl',
      'token_address from_address to_address value transaction_hash log_index block_number block_timestamp',
      moves.flatMap((move) =>
        move.kind === 'token'
          ? [{ ...common(move), token_address: move.asset.contract, log_index: '3' }]
          : [],
      ),
    ),
    table(
      'traces',
      'ethereum-etl',
      'block_number transaction_hash transaction_index from_address to_address value trace_type call_type trace_address error status block_timestamp',
      isOfGeth ? calls.map(asGeth) : calls,
    ),
  ]
}

/** The columns of cryo, by those of ethereum-etl; others keep their names. */
const cryoColumns: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  transactions: { hash: 'transaction_hash', value: 'value_string', receipt_status: 'success' },
  token_transfers: { token_address: 'erc20', value: 'value_string' },
  traces: {
    ...{ from_address: 'action_from', to_address: 'action_to', value: 'action_value' },
    ...{ trace_type: 'action_type', call_type: 'action_call_type', status: 'result_address' },
  },
}

function asCryo(file: WorldFile): WorldFile {
  const names = file.columns.map((name) =>
    name === 'block_timestamp' ? 'timestamp' : (cryoColumns[file.name]![name] ?? name),
  )
  const rows = file.rows.map((row) => [
    ...row.map((field, at) =>
      names[at] === 'success' ? String(field === '1') : names[at] === 'result_address' ? '' : field,
    ),
    '1',
  ])
  return { ...file, format: 'cryo', columns: [...names, 'chain_id'], rows }
}

const output = (address: string, value: bigint) => ({
  ...{ addresses: address === '' ? [] : [address], value: Number(value), type: 'pubkeyhash' },
})

/** The payer spends one output, and gets change. */
function bitcoinFile({ moves }: World): WorldFile {
  const rows = moves.map((move): Row => {
    const [from, to] = [addressOf('BTC', move.from), addressOf('BTC', move.to)]
    return {
      ...{ hash: move.hash, block_number: String(move.block), block_timestamp: String(move.atS), index: '2' },
      ...{ is_coinbase: 'false', input_count: '1', output_count: '2' },
      ...{ input_value: String(move.amount + move.change), output_value: String(move.amount + move.change) },
      inputs: JSON.stringify([output(from, move.amount + move.change)]),
      outputs: JSON.stringify([output(to, move.amount), output(from, move.change)]),
    }
  })
  return table(
    'transactions',
    'bitcoin-etl',
    'hash block_number block_timestamp is_coinbase index input_count output_count input_value output_value inputs outputs',
    rows,
    { asJson: true },
  )
}

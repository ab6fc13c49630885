/**
 * Files of cryo: transactions, erc20_transfers and traces, with the columns that cryo writes by default. They are those of ethereum-etl under
 * other names. Source of the columns: cryo, "Data Schemas".
 */
import { findChain } from '@cupel/domain'
import type { ChainDefinition } from './chain.js'
import { ethereumEtl } from './ethereum-etl.js'
import { LedgerFileError, UnreadableRowError } from './ledger-file-error.js'
import type { FileRecord, LedgerFormat } from './ledger-row.js'

type Read = (record: FileRecord) => string

const named =
  (...names: readonly string[]): Read =>
  ({ text }) =>
    names.map((name) => text(name)).find((value) => value !== '') ?? ''

/** A number of 256 bits: its digits, else its bytes, else the float. */
const amount: Read = (record) => {
  const bytes = record.text('value_binary')
  const digits = named('value_string', 'value')(record)
  if (digits !== '') return digits
  return /^0x[0-9a-f]+$/i.test(bytes) ? String(BigInt(bytes)) : bytes || record.text('value_f64')
}

const AMOUNTS: readonly string[] = ['value', 'value_string', 'value_binary', 'value_f64']

const placed = {
  transaction_index: named('transaction_index', 'transaction_position'),
  block_timestamp: named('timestamp', 'block_timestamp'),
}

interface Dataset {
  /** Columns without which a row has no meaning. */
  readonly needs: readonly string[]
  /** One of these as well. */
  readonly needsOneOf?: readonly string[]
  /** Columns of ethereum-etl; others keep their names. */
  readonly columns: Readonly<Record<string, Read>>
}

const isReward = ({ text }: FileRecord): boolean => text('action_type').toLowerCase() === 'reward'

const datasets: readonly Dataset[] = [
  {
    needs: ['erc20', 'from_address', 'to_address', 'transaction_hash', 'log_index'],
    needsOneOf: AMOUNTS,
    columns: { ...placed, token_address: named('erc20'), value: amount },
  },
  {
    needs: [
      'action_type',
      'action_from',
      'action_to',
      'action_value',
      'action_call_type',
      'trace_address',
      'error',
      'result_address',
    ],
    columns: {
      ...placed,
      trace_type: named('action_type'),
      // cryo writes `delegate_call`, and `none` for what has no type.
      call_type: ({ text }) =>
        text('action_call_type')
          .replace(/^none$/i, '')
          .replace('_', ''),
      // A reward states who gets it in the place of a sender.
      from_address: (record) => (isReward(record) ? '' : record.text('action_from')),
      to_address: (record) =>
        isReward(record) ? record.text('action_from') : named('action_to', 'result_address')(record),
      value: named('action_value'),
      trace_address: ({ text }) => text('trace_address').replaceAll('_', ','),
      // A node writes an error on each call that failed by itself.
      status: ({ text }) => (text('error') === '' ? '1' : ''),
    },
  },
  {
    needs: ['transaction_hash', 'from_address', 'to_address', 'gas_price', 'success', 'nonce'],
    needsOneOf: AMOUNTS,
    columns: { ...placed, hash: named('transaction_hash'), receipt_status: named('success'), value: amount },
  },
]

const datasetOf = ({ has }: Pick<FileRecord, 'has'>): Dataset | undefined =>
  datasets.find(
    ({ needs, needsOneOf }) =>
      needs.every((name) => has(name)) && (needsOneOf?.some((name) => has(name)) ?? true),
  )

export const cryo: LedgerFormat = {
  knows: (fields) => datasetOf(fields) !== undefined,
  covers: (fields, chain) => ethereumEtl.covers(renamedFields(fields), chain),
  isSurveyed: (fields, chain) => ethereumEtl.isSurveyed!(renamedFields(fields), chain),
  open(chain) {
    const reader = ethereumEtl.open(chain)
    return {
      survey: (record) => reader.survey?.(renamed(record)),
      read(record) {
        refuseOtherChain(record, chain)
        return reader.read(renamed(record))
      },
    }
  },
}

function renamedFields(fields: Pick<FileRecord, 'has'>): Pick<FileRecord, 'has'> {
  const columns = datasetOf(fields)?.columns ?? {}
  return { has: (name) => Object.hasOwn(columns, name) || fields.has(name) }
}

/** The columns are those of the first record, so every record has a data set. */
function renamed(record: FileRecord): FileRecord {
  const dataset = datasetOf(record)
  if (dataset === undefined)
    throw new LedgerFileError('neither transactions, erc20_transfers nor traces of cryo', record.line)
  const { columns } = dataset
  return {
    ...record,
    text: (name) => (Object.hasOwn(columns, name) ? columns[name]!(record) : record.text(name)),
    has: renamedFields(record).has,
  }
}

function refuseOtherChain(record: FileRecord, chain: ChainDefinition): void {
  const told = record.text('chain_id')
  const own = findChain(chain.code)?.chainId
  if (told !== '' && told !== String(own))
    throw new UnreadableRowError(
      `chain_id is ${told.slice(0, 40)}, and that of ${chain.code} is ${own}`,
      record.line,
    )
}

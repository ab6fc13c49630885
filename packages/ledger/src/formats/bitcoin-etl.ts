/**
 * Transactions of bitcoin-etl, with the values of their inputs. No output belongs to one input, so each input pays a share of
 * each output: in_i · out_j / Σ in. An output to the address of an input is change and no transfer.
 * Source of the fields: bitcoin-etl, README, "transactions".
 */
import { secondsOf, wholeNumber, wholeUnits, type ChainDefinition } from './chain.js'
import { LedgerFileError } from './ledger-file-error.js'
import type { FileRecord, LedgerFormat, LedgerRow } from './ledger-row.js'

/** A transaction with more inputs times outputs does not show who paid whom. */
const MAX_EDGES = 10_000

export const bitcoinEtl: LedgerFormat = {
  covers: () => ['native'],
  read(record, chain) {
    if (!record.has('inputs') || !record.has('outputs'))
      throw new LedgerFileError('no transaction of bitcoin-etl: inputs or outputs are missing', record.line)
    const isCoinbase = ['true', '1'].includes(record.text('is_coinbase').toLowerCase())
    const inputs = amounts(record, 'inputs', chain)
    if (isCoinbase || inputs.parts.length === 0) return [{ type: 'left-out', reason: 'no_counterparty' }]
    if (inputs.total === null) return [{ type: 'left-out', reason: 'no_input_values' }]
    const outputs = amounts(record, 'outputs', chain)
    return edges(record, inputs.total, byAddress(inputs.parts), byAddress(outputs.parts))
  },
}

interface Part {
  /** Empty if there is no address or several. */
  readonly address: string
  readonly value: bigint
}

/** `total` is null if the value of any part is missing. */
function amounts(
  { line, json }: FileRecord,
  name: string,
  chain: ChainDefinition,
): { readonly parts: readonly Part[]; readonly total: bigint | null } {
  const list = json(name)
  if (!Array.isArray(list)) throw new LedgerFileError(`${name} is not a list`, line)
  let total: bigint | null = 0n
  const parts = list.map((item: unknown): Part => {
    const { addresses, value } = (item ?? {}) as { addresses?: unknown; value?: unknown }
    const own = Array.isArray(addresses) && addresses.length === 1 ? String(addresses[0]) : ''
    if (value === null || value === undefined) total = null
    const units = value === null || value === undefined ? 0n : wholeUnits(String(value as string), line)
    if (total !== null) total += units
    // bitcoin-etl writes scripts without an address as nonstandard… and similar words.
    return { address: /^(nonstandard|nulldata)/.test(own) ? '' : chain.canonical(own, line), value: units }
  })
  return { parts, total }
}

function byAddress(parts: readonly Part[]): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { address, value } of parts) sums.set(address, (sums.get(address) ?? 0n) + value)
  return sums
}

function edges(
  record: FileRecord,
  total: bigint,
  inputs: ReadonlyMap<string, bigint>,
  outputs: ReadonlyMap<string, bigint>,
): readonly LedgerRow[] {
  const { line } = record
  if (inputs.size * outputs.size > MAX_EDGES) return [{ type: 'left-out', reason: 'too_many_edges' }]
  if (total === 0n) return [{ type: 'left-out', reason: 'zero_value' }]
  const common = {
    line,
    kind: 'utxo' as const,
    contract: '',
    txHash: record.text('hash'),
    blockNumber: wholeNumber(record.text('block_number'), 'block_number', line),
    occurredAtS: secondsOf(record.text('block_timestamp') || record.text('timestamp'), line),
    place: wholeNumber(record.text('index'), 'index', line),
    execution: 'proven' as const,
  }
  const rows: LedgerRow[] = []
  let ordinal = 0
  for (const [from, given] of inputs) {
    for (const [to, received] of outputs) {
      const index = String(ordinal++)
      const amount = (given * received) / total
      rows.push({ type: 'transfer', transfer: { ...common, index, from, to, amount } })
    }
  }
  return rows
}

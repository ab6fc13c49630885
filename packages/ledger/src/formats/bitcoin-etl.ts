/**
 * Transactions of bitcoin-etl, with the values of their inputs. An output belongs to no single input, so each input pays a share of each
 * output: in_i · out_j / Σ in. An output to the address of an input is change and no transfer. Source of the fields: bitcoin-etl, README,
 * "transactions".
 */
import { ISSUANCE, uncountedReason } from '@cupel/domain'
import { foldedHash, outcomeOf, secondsOf, wholeNumber, wholeUnits, type ChainDefinition } from './chain.js'
import { addressOfScript } from './script-address.js'
import { isCoinJoin, nodeOf } from './coin-join.js'
import { isMultisigNode, multisigNode } from './multisig.js'
import { UnreadableRowError } from './ledger-file-error.js'
import type { FileRecord, LedgerFormat, LedgerRow, ToldTransfer } from './ledger-row.js'

/** A transaction with more inputs times outputs does not show who paid whom: its value goes through a node, as in a hub. */
const MAX_EDGES = 10_000

export const bitcoinEtl: LedgerFormat = {
  knows: ({ has }) => has('hash') && has('inputs') && has('outputs'),
  covers: () => ['native'],
  tellsScripts: true,
  open: (chain) => ({ read: (record) => readTransaction(record, chain) }),
}

/** The amounts that one transaction moves, in base units by address; the empty address stands for scripts without one. */
interface Moved {
  readonly inputs: ReadonlyMap<string, bigint>
  readonly outputs: ReadonlyMap<string, bigint>
  /** Sum of all inputs. */
  readonly total: bigint
}

function readTransaction(record: FileRecord, chain: ChainDefinition): readonly LedgerRow[] {
  const { line } = record
  if (!record.has('inputs') || !record.has('outputs'))
    throw new UnreadableRowError('no transaction of bitcoin-etl: inputs or outputs are missing', line)
  const common = commonOf(record, chain)
  const inputs = amounts(record, 'input', chain)
  const outputs = amounts(record, 'output', chain)
  const isCoinbase = outcomeOf(record.text('is_coinbase'), line) === 'proven'
  if (isCoinbase && inputs.parts.some(({ address, value }) => address !== '' || value > 0n))
    throw new UnreadableRowError('a coinbase spends nothing, and this one has inputs of value', line)
  if (outputs.parts.length === 0) throw new UnreadableRowError('a transaction without an output', line)
  if (inputs.total === null && !isCoinbase) return [{ type: 'left-out', reason: 'no_input_values' }]
  const moved: Moved = {
    ...spentOf(isCoinbase, inputs, outputs),
    outputs: byAddress(outputs.parts),
  }
  // The keys of bare multisignature may have different owners, so it joins nothing.
  const spent = [...moved.inputs.keys()]
    .filter((address) => address !== '' && address !== ISSUANCE && !isMultisigNode(address))
    .sort()
  const isJoint = isCoinJoin(spent.length, outputs.parts)
  const { edges, leftOut } = edgesOf(moved, common.txHash, isJoint)
  const rows: LedgerRow[] = leftOut.map((reason) => ({ type: 'left-out', reason }))
  const counted: Edge[] = []
  for (const edge of edges) {
    const reason = uncountedReason(chain.code, { ...edge, contract: '' })
    // Value without an address is kept: its owner is not known.
    if (reason === null || reason === 'no_counterparty' || reason === 'burn_address') counted.push(edge)
    else rows.push({ type: 'left-out', reason })
  }
  rows.push(...withNets(counted, moved, common))
  if (spent.length > 1 && !isJoint) rows.push({ type: 'inputs', txHash: common.txHash, addresses: spent })
  return rows
}

/** What the inputs spend. A coinbase is issued. Outputs of more than the listed inputs have others without an address: a shielded pool. */
function spentOf(isCoinbase: boolean, inputs: Parts, outputs: Parts): Pick<Moved, 'inputs' | 'total'> {
  const received = outputs.parts.reduce((sum, { value }) => sum + value, 0n)
  if (isCoinbase) return { inputs: new Map([[ISSUANCE, received]]), total: received }
  const listed = inputs.total ?? 0n
  const missing = received > listed ? received - listed : 0n
  const spent = new Map(byAddress(inputs.parts))
  if (missing > 0n) spent.set('', (spent.get('') ?? 0n) + missing)
  return { inputs: spent, total: listed + missing }
}

type Common = Omit<ToldTransfer, 'index' | 'from' | 'to' | 'amount' | 'fromNet' | 'toNet'>

function commonOf(record: FileRecord, chain: ChainDefinition): Common {
  const { line } = record
  const txHash = foldedHash(record.text('hash'), chain, record.line)
  if (txHash === '') throw new UnreadableRowError('a transaction without a hash', line)
  return {
    line,
    kind: 'utxo',
    contract: '',
    txHash,
    blockNumber: wholeNumber(record.text('block_number'), 'block_number', line),
    occurredAtS: secondsOf(record.text('block_timestamp') || record.text('timestamp'), line, chain),
    txIndex: wholeNumber(record.text('index'), 'index', line),
    place: 0,
    execution: 'proven',
  }
}

interface Part {
  /** Empty if there is no address; a node if there is more than one. */
  readonly address: string
  readonly value: bigint
}

interface Parts {
  readonly parts: readonly Part[]
  /** Null if the value of any part is missing. */
  readonly total: bigint | null
}

/** What a transaction spends or pays. A list that has not the number or the sum that the file states for it has lost a part. */
function amounts(record: FileRecord, side: 'input' | 'output', chain: ChainDefinition): Parts {
  const { line } = record
  const name = `${side}s`
  const list = record.json(name)
  if (!Array.isArray(list)) throw new UnreadableRowError(`${name} is not a list`, line)
  let total: bigint | null = 0n
  const count = wholeNumber(record.text(`${side}_count`), `${side}_count`, line)
  if (count !== null && count !== list.length)
    throw new UnreadableRowError(`${side}_count is ${count}, and ${name} has ${list.length}`, line)
  const parts = list.map((item: unknown): Part => {
    const { addresses, value, script_hex: script } = (item ?? {}) as Readonly<Record<string, unknown>>
    const all = Array.isArray(addresses) ? addresses.map(String) : []
    // bitcoin-etl writes scripts without an address as nonstandard… and similar words.
    const isOwned = all.length > 0 && !all.some((one) => one === '' || /^(nonstandard|nulldata)/.test(one))
    if (value === null || value === undefined) total = null
    const units =
      value === null || value === undefined ? 0n : wholeUnits(String(value as string), line, chain)
    if (total !== null) total += units
    if (isOwned) {
      const owners = all.map((one) => chain.canonical(one, line))
      return { address: owners.length === 1 ? owners[0]! : multisigNode(owners), value: units }
    }
    // The script of an input is what unlocks it: only that of an output states an owner.
    const address = side === 'output' ? addressOfScript(chain.code, script) : ''
    return { address: chain.canonical(address, line), value: units }
  })
  const sum = parts.reduce((left, { value }) => left + value, 0n)
  const stated = record.text(`${side}_value`)
  if (stated === '') return { parts, total }
  const told = wholeUnits(stated, line, chain)
  // A file without the values of its inputs states a sum of 0.
  if (told !== sum && !(total === null && told === 0n))
    throw new UnreadableRowError(`${side}_value is ${stated.slice(0, 40)}, and ${name} have ${sum}`, line)
  return { parts, total }
}

function byAddress(parts: readonly Part[]): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { address, value } of parts) sums.set(address, (sums.get(address) ?? 0n) + value)
  return sums
}

interface Edge {
  readonly from: string
  readonly to: string
  readonly amount: bigint
}

function edgesOf(
  moved: Moved,
  txHash: string,
  isJoint: boolean,
): { readonly edges: readonly Edge[]; readonly leftOut: readonly string[] } {
  const { inputs, outputs, total } = moved
  if (total === 0n) return { edges: [], leftOut: ['zero_value'] }
  if (isJoint) return { edges: throughNode(moved, nodeOf('coinjoin', txHash)), leftOut: [] }
  if (inputs.size * outputs.size > MAX_EDGES)
    return { edges: throughNode(moved, nodeOf('crowd', txHash)), leftOut: [] }
  const edges: Edge[] = []
  const leftOut: string[] = []
  for (const [to, received] of outputs) {
    // Scripts without an address may belong to different owners.
    if (to === '' ? inputs.size === 1 && inputs.has('') : inputs.has(to))
      leftOut.push(to === '' ? 'no_counterparty' : 'change')
    else for (const [from, given] of inputs) edges.push({ from, to, amount: (given * received) / total })
  }
  return { edges, leftOut }
}

/** There are no direct payments: each address gives its net value to the node, or gets it from there. */
function throughNode({ inputs, outputs }: Moved, node: string): readonly Edge[] {
  return [...new Set([...inputs.keys(), ...outputs.keys()])].map((address) => {
    const net = (outputs.get(address) ?? 0n) - (inputs.get(address) ?? 0n)
    return net < 0n ? { from: address, to: node, amount: -net } : { from: node, to: address, amount: net }
  })
}

/** The edges as transfers. Each address has the exact change of its balance on the first of its edges, or on an edge of no value. */
function withNets(edges: readonly Edge[], { inputs, outputs }: Moved, common: Common): readonly LedgerRow[] {
  const nets = new Map<string, bigint>()
  for (const [address, value] of outputs) nets.set(address, value)
  for (const [address, value] of inputs) nets.set(address, (nets.get(address) ?? 0n) - value)
  nets.delete('')
  nets.delete(ISSUANCE)
  const taken = (address: string) => {
    const net = nets.get(address)
    nets.delete(address)
    return net
  }
  const rows = [...edges].sort(compareEdges).map(({ from, to, amount }): LedgerRow => {
    const [fromNet, toNet] = [taken(from), taken(to)]
    const transfer = { ...common, index: `${from} ${to}`, from, to, amount }
    return {
      type: 'transfer',
      transfer: {
        ...transfer,
        ...(fromNet === undefined ? {} : { fromNet }),
        ...(toNet === undefined ? {} : { toNet }),
      },
    }
  })
  for (const [address, toNet] of nets) {
    const transfer = { ...common, index: ` ${address}`, from: '', to: address, amount: 0n, toNet }
    rows.push({ type: 'balance', transfer })
  }
  return rows
}

const compareEdges = (a: Edge, b: Edge): number =>
  a.from === b.from ? (a.to < b.to ? -1 : 1) : a.from < b.from ? -1 : 1

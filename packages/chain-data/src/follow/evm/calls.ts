/**
 * The calls of a block that move value. Parity's traces (OpenEthereum, Erigon, Nethermind, Reth) are a list of calls with their places; those of
 * Geth's callTracer are nested. Calls that borrow code move nothing. All calls within a failed call have failed.
 */
import { fieldsOf, hexAddress, hexHash, hexUnits, listOf, wholeOf, type Fields } from '../answer-values.js'
import { FollowError } from '../follow-error.js'
import type { EvmBlock } from './evm-types.js'

export interface Call {
  readonly from: string
  readonly to: string
  /** More than zero. */
  readonly value: bigint
  readonly hasFailed: boolean
}

/** The call that is the transaction itself. */
interface RootCall {
  readonly from: string
  readonly value: bigint
  readonly hasFailed: boolean
}

export interface CallsOfBlock {
  /** One for each transaction; null if no calls were asked for. */
  readonly roots: readonly RootCall[] | null
  /** The calls within each transaction, in their order. */
  readonly calls: readonly (readonly Call[])[]
  /** Rewards of the block and its uncles. */
  readonly issued: readonly { readonly to: string; readonly value: bigint }[]
}

const contradiction = (message: string): FollowError => new FollowError('node_contradicts', message)
const unknown = (message: string): FollowError => new FollowError('unknown_meaning', message)

/** Calls that run code on the caller's own account. */
const BORROWED_CODE: ReadonlySet<string> = new Set(['delegatecall', 'staticcall', 'callcode'])

export function callsOfParity(told: unknown, block: EvmBlock): CallsOfBlock {
  const { transactions, height, hash } = block
  const roots: RootCall[] = []
  const calls: Call[][] = transactions.map(() => [])
  const failed: Set<string>[] = transactions.map(() => new Set())
  const issued: { to: string; value: bigint }[] = []
  for (const one of listOf(told, `the calls of block ${height}`)) {
    const place = `a call of block ${height}`
    const trace = fieldsOf(one, place)
    if (hexHash(trace['blockHash'], `the block of ${place}`) !== hash)
      throw contradiction(`${place} is of another block`)
    const action = fieldsOf(trace['action'], `the action of ${place}`)
    if (trace['type'] === 'reward') {
      issued.push({
        to: hexAddress(action['author'], `the receiver of a reward of block ${height}`),
        value: hexUnits(action['value'], `a reward of block ${height}`),
      })
      continue
    }
    const index = wholeOf(trace['transactionPosition'], `the transaction of ${place}`)
    if (hexHash(trace['transactionHash'], `the transaction of ${place}`) !== transactions[index]?.hash)
      throw contradiction(`${place} is of another transaction`)
    const address = listOf(trace['traceAddress'], `the place of ${place}`).map((part) =>
      wholeOf(part, `the place of ${place}`),
    )
    const isWithinFailed = address.some((_, depth) => failed[index]!.has(address.slice(0, depth).join()))
    const hasFailed = isWithinFailed || hasError(trace, place)
    if (hasFailed) failed[index]!.add(address.join())
    if (address.length === 0) {
      if (roots.length !== index)
        throw contradiction(`the calls of block ${height} are not in the order of its transactions`)
      roots.push({
        from: hexAddress(action['from'], `the sender of ${place}`),
        value: hexUnits(action['value'], `the value of ${place}`),
        hasFailed,
      })
      continue
    }
    const movement = movementOfParity(trace, action, place)
    if (movement !== null) calls[index]!.push({ ...movement, hasFailed })
  }
  checkRoots(roots, block)
  return { roots, calls, issued }
}

function checkRoots(roots: readonly RootCall[], { transactions, height }: EvmBlock): void {
  if (roots.length !== transactions.length)
    throw contradiction(
      `block ${height} has ${transactions.length} transactions, and the node tells calls of ${roots.length}`,
    )
}

function hasError({ error }: Fields, place: string): boolean {
  if (error === undefined || error === null) return false
  if (typeof error === 'string' && error !== '') return true
  throw unknown(`the error of ${place} is not a word`)
}

type Movement = Pick<Call, 'from' | 'to' | 'value'>

/** Null for a call that moves nothing. */
function movementOfParity(trace: Fields, action: Fields, place: string): Movement | null {
  switch (trace['type']) {
    case 'call': {
      const { callType } = action
      if (typeof callType === 'string' && BORROWED_CODE.has(callType)) return null
      if (callType !== 'call') throw unknown(`the kind of ${place} is not known`)
      return movement(action['from'], action['to'], action['value'], place)
    }
    case 'create':
    case 'create2': {
      // A creation that failed has no result.
      const result =
        trace['result'] === undefined || trace['result'] === null
          ? null
          : fieldsOf(trace['result'], `the result of ${place}`)
      return result === null ? null : movement(action['from'], result['address'], action['value'], place)
    }
    case 'suicide':
    case 'selfdestruct':
      return movement(action['address'], action['refundAddress'], action['balance'], place)
    default:
      throw unknown(`the type of ${place} is not known`)
  }
}

function movement(from: unknown, to: unknown, told: unknown, place: string): Movement | null {
  const value = hexUnits(told, `the value of ${place}`)
  if (value === 0n) return null
  return {
    from: hexAddress(from, `the sender of ${place}`),
    to: hexAddress(to, `the receiver of ${place}`),
    value,
  }
}

const MOVES: ReadonlySet<unknown> = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'])
const CREATES: ReadonlySet<unknown> = new Set(['CREATE', 'CREATE2'])

export function callsOfGeth(told: unknown, block: EvmBlock): CallsOfBlock {
  const { transactions, height } = block
  const list = listOf(told, `the calls of block ${height}`)
  const roots: RootCall[] = []
  const calls = list.map((one, index) => {
    const place = `the calls of transaction ${index} of block ${height}`
    const traced = fieldsOf(one, place)
    if (hexHash(traced['txHash'], `the transaction of ${place}`) !== transactions[index]?.hash)
      throw contradiction(`${place} are of another transaction`)
    const root = fieldsOf(traced['result'], place)
    roots.push({
      from: hexAddress(root['from'], `the sender in ${place}`),
      value: valueOfGeth(root, place),
      hasFailed: hasError(root, place),
    })
    const found: Call[] = []
    collect(root, { isWithinFailed: hasError(root, place), found, place })
    return found
  })
  checkRoots(roots, block)
  return { roots, calls, issued: [] }
}

/** A static call has no value. */
const valueOfGeth = ({ value }: Fields, place: string): bigint =>
  value === undefined || value === null ? 0n : hexUnits(value, `the value in ${place}`)

function collect(
  parent: Fields,
  {
    isWithinFailed,
    found,
    place,
  }: { readonly isWithinFailed: boolean; readonly found: Call[]; readonly place: string },
): void {
  for (const one of listOf(parent['calls'] ?? [], place)) {
    const call = fieldsOf(one, place)
    const { type } = call
    const hasFailed = isWithinFailed || hasError(call, place)
    if (MOVES.has(type)) {
      const isCreationThatFailed =
        CREATES.has(type) && hasFailed && (call['to'] === undefined || call['to'] === null)
      const moved = isCreationThatFailed
        ? null
        : movement(call['from'], call['to'], call['value'] ?? '0x0', place)
      if (moved !== null) found.push({ ...moved, hasFailed })
    } else if (typeof type !== 'string' || !BORROWED_CODE.has(type.toLowerCase()))
      throw unknown(`a type in ${place} is not known`)
    collect(call, { isWithinFailed: hasFailed, found, place })
  }
}

/**
 * A node of an EVM chain (https://ethereum.github.io/execution-apis): blocks with their transactions, receipts, and the calls within
 * transactions where the node gives them.
 */
import { landmarks, type Landmark } from '../../index.js'
import { findChain, type ChainCode, type HistoryKind } from '@cupel/domain'
import { fieldsOf, hexHash, hexNumber, listOf } from '../answer-values.js'
import { askedAgain } from '../asked-again.js'
import { END_OF_CHAIN, type ChainNode, type NodeBlock, type Zone } from '../chain-node.js'
import { FollowError } from '../follow-error.js'
import { resultOf, type Call, type NodeClient, type Outcome } from '../node-client.js'
import { callsOfGeth, callsOfParity, type CallsOfBlock } from './calls.js'
import { HEADING } from '../transfer-rows.js'
import { blockOf, textOfBlock } from './evm-block.js'

export type TraceMethod = 'trace_block' | 'debug_traceBlockByNumber' | 'none'

export interface EvmNodeOptions {
  /** Code of the chain. */
  readonly chain: string
  readonly client: NodeClient
  /** How to ask for calls; absent: what the node has. */
  readonly traces?: TraceMethod | undefined
  /** A block that only this chain has; null if only the chain id tells it. */
  readonly landmark?: Landmark | null
}

export async function evmNode(options: EvmNodeOptions): Promise<ChainNode> {
  const { chain, client } = options
  await confirmChain(options)
  const traces = options.traces ?? (await tracesOf(client))
  const hasBlockReceipts = await answers(client, 'eth_getBlockReceipts')
  const read = { chain, client, traces, hasBlockReceipts }
  return {
    chain,
    format: 'csv',
    extension: 'csv',
    heading: HEADING,
    zones: zonesOf(chain, traces),
    remarks: remarksOf(chain, traces),
    async head() {
      const head = fieldsOf(await client.one('eth_getBlockByNumber', ['latest', false]), 'the newest block')
      return {
        height: hexNumber(head['number'], 'the height of the newest block'),
        atS: hexNumber(head['timestamp'], 'the time of the newest block'),
      }
    },
    async hashAt(height) {
      const found = await client.one('eth_getBlockByNumber', [hex(height), false])
      if (found === null) throw noBlock(height)
      return hexHash(fieldsOf(found, `block ${height}`)['hash'], `the hash of block ${height}`)
    },
    blocks: (from, to) => askedAgain(() => readBlocks(read, from, to)),
    close: () => client.close(),
  }
}

const hex = (height: number): string => `0x${height.toString(16)}`

const noBlock = (height: number): FollowError =>
  new FollowError('node_contradicts', `the node has no block ${height}, which is below its newest one`)

/** Rejects with wrong_chain if the node serves another chain. */
async function confirmChain({ chain, client, landmark }: EvmNodeOptions): Promise<void> {
  const served = hexNumber(await client.one('eth_chainId', []), 'the chain id')
  const { chainId } = findChain(chain)!
  if (served !== chainId)
    throw new FollowError(
      'wrong_chain',
      `the node serves the chain id ${served}, and ${chain} has ${chainId}`,
    )
  const known = landmark === undefined ? landmarks[chain as ChainCode] : landmark
  if (known === undefined || known === null) return
  const block = await client.one('eth_getBlockByNumber', [hex(known.height), false])
  if (block === null)
    throw new FollowError('node_behind', `the node has no block ${known.height}, by which ${chain} is known`)
  if (hexHash(fieldsOf(block, 'the block')['hash'], `the hash of block ${known.height}`) === known.hash)
    return
  throw new FollowError('wrong_chain', `block ${known.height} of the node is not that of ${chain}`)
}

async function tracesOf(client: NodeClient): Promise<TraceMethod> {
  if (await answers(client, 'trace_block')) return 'trace_block'
  return (await answers(client, 'debug_traceBlockByNumber')) ? 'debug_traceBlockByNumber' : 'none'
}

/** Whether the node has the method. Another refusal is not an answer: the node may have it later. */
async function answers(client: NodeClient, method: string): Promise<boolean> {
  const [outcome] = await client.ask([{ method, params: paramsOf(method, 'latest') }])
  if (outcome!.ok) return true
  if (outcome!.error.cause === 'no such method') return false
  throw new FollowError(
    'refused',
    `the node neither has nor lacks ${method} (code ${outcome!.error.code}); choose what to ask with --traces`,
  )
}

const paramsOf = (method: string, block: string): readonly unknown[] =>
  method === 'debug_traceBlockByNumber' ? [block, { tracer: 'callTracer' }] : [block]

/** What transactions do not show: the state of Ethereum was changed by hand in one block. */
const DAO_FORK = 1_920_000
/** Proof of work ended after it. */
const LAST_MINED: Readonly<Record<string, number>> = { ETH: 15_537_393, ETC: END_OF_CHAIN }

/**
 * Internal transfers are whole where the node tells calls and what the chain issues. No node tells the allocations of the genesis block; only
 * `trace_block` tells the rewards of mined blocks.
 */
function zonesOf(chain: string, traces: TraceMethod): readonly Zone[] {
  const some: readonly HistoryKind[] = ['native', 'token']
  const all: readonly HistoryKind[] = ['native', 'internal', 'token']
  if (traces === 'none') return [{ from: 0, to: END_OF_CHAIN, kinds: some }]
  const lastPart = traces === 'trace_block' ? 0 : (LAST_MINED[chain] ?? 0)
  if (lastPart === END_OF_CHAIN) return [{ from: 0, to: END_OF_CHAIN, kinds: some }]
  const first = { from: 0, to: lastPart, kinds: some }
  if (chain !== 'ETH' || lastPart >= DAO_FORK)
    return [first, { from: lastPart + 1, to: END_OF_CHAIN, kinds: all }]
  return [
    first,
    { from: lastPart + 1, to: DAO_FORK - 1, kinds: all },
    { from: DAO_FORK, to: DAO_FORK, kinds: some },
    { from: DAO_FORK + 1, to: END_OF_CHAIN, kinds: all },
  ]
}

function remarksOf(chain: string, traces: TraceMethod): readonly string[] {
  if (traces === 'none')
    return [
      `The node gives no calls: ranges are declared for native and token transfers only, and no address of ${chain} has a whole history.`,
    ]
  const lastMined = traces === 'debug_traceBlockByNumber' ? LAST_MINED[chain] : undefined
  return [
    `Calls come from ${traces}.`,
    ...(lastMined === undefined
      ? []
      : [
          'The node does not tell the rewards of mined blocks: their ranges are declared for native and token transfers only.',
        ]),
  ]
}

interface Reading {
  readonly chain: string
  readonly client: NodeClient
  readonly traces: TraceMethod
  readonly hasBlockReceipts: boolean
}

async function readBlocks(reading: Reading, from: number, to: number): Promise<readonly NodeBlock[]> {
  const { client, traces, hasBlockReceipts } = reading
  const methods = [
    ...(hasBlockReceipts ? ['eth_getBlockReceipts'] : []),
    ...(traces === 'none' ? [] : [traces]),
  ]
  const heights = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  const calls = heights.flatMap((height): Call[] => [
    { method: 'eth_getBlockByNumber', params: [hex(height), true] },
    ...methods.map((method) => ({ method, params: paramsOf(method, hex(height)) })),
  ])
  const outcomes = await client.ask(calls)
  const blocks: NodeBlock[] = []
  for (const [index, height] of heights.entries()) {
    const of = outcomes.slice(index * (methods.length + 1), (index + 1) * (methods.length + 1))
    const block = await readBlock(reading, height, of)
    const before = blocks.at(-1)
    if (before !== undefined && block.parentHash !== before.hash)
      throw new FollowError(
        'node_contradicts',
        `block ${height} follows ${block.parentHash}, and block ${height - 1} of the node is ${before.hash}`,
      )
    blocks.push(block)
  }
  return blocks
}

async function readBlock(
  { chain, client, traces, hasBlockReceipts }: Reading,
  height: number,
  [toldBlock, ...others]: readonly Outcome[],
): Promise<NodeBlock> {
  const told = resultOf(toldBlock!, 'eth_getBlockByNumber')
  if (told === null) throw noBlock(height)
  const block = blockOf(told, height, chain)
  const hashes = block.transactions.map(({ hash }) => hash)
  const receipts = hasBlockReceipts
    ? resultOf(others[0]!, 'eth_getBlockReceipts')
    : await receiptsOneByOne(client, hashes)
  // A node answers null for a block whose receipts it no longer keeps.
  if (receipts === null) throw new FollowError('pruned', `the node has no receipts of block ${height}`)
  const toldCalls = traces === 'none' ? null : resultOf(others.at(-1)!, traces)
  if (toldCalls === null && traces !== 'none')
    throw new FollowError('pruned', `the node has no calls of block ${height}`)
  const calls: CallsOfBlock =
    traces === 'none'
      ? { roots: null, calls: [], issued: [] }
      : traces === 'trace_block'
        ? callsOfParity(toldCalls, block)
        : callsOfGeth(toldCalls, block)
  const text = textOfBlock(block, listOf(receipts, `the receipts of block ${height}`), calls)
  return { height, hash: block.hash, parentHash: block.parentHash, atS: block.atS, text }
}

async function receiptsOneByOne(client: NodeClient, hashes: readonly string[]): Promise<readonly unknown[]> {
  if (hashes.length === 0) return []
  const outcomes = await client.ask(
    hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  )
  return outcomes.map((outcome) => {
    const receipt = resultOf(outcome, 'eth_getTransactionReceipt')
    if (receipt === null)
      throw new FollowError('pruned', 'the node has no receipt of a transaction of its own block')
    return receipt
  })
}

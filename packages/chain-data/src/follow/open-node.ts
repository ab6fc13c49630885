/** The node of a chain by its protocol, and what is usual on the chain. */
import { findChain } from '@cupel/domain'
import { bitcoinNode, bitcoinNumbers } from './bitcoin/bitcoin-node.js'
import type { ChainNode } from './chain-node.js'
import { evmNode, type TraceMethod } from './evm/evm-node.js'
import { FollowError } from './follow-error.js'
import { tronNode } from './tron/tron-node.js'
import { tronNumbers } from './tron/tron-values.js'
import { openNodeClient, type NodeClientOptions } from './node-client.js'

/** Chains whose nodes speak as Bitcoin Core does. */
const LIKE_BITCOIN: ReadonlySet<string> = new Set(['BTC', 'LTC', 'DOGE', 'BCH', 'ZEC'])

interface Usual {
  readonly confirmations: number
  /** Blocks of one message. */
  readonly batchBlocks: number
  /** A newest block that is older means that the node is behind; in seconds. */
  readonly maxHeadAgeS: number
}

const HOUR_S = 3_600
const usual: Readonly<Record<string, Partial<Usual>>> = {
  BTC: { confirmations: 6 },
  LTC: { confirmations: 12 },
  DOGE: { confirmations: 40 },
  BCH: { confirmations: 10 },
  ZEC: { confirmations: 24 },
  ETH: { confirmations: 64 },
  ETC: { confirmations: 5_000, maxHeadAgeS: 6 * HOUR_S },
}

/** Throws FollowError for a chain whose nodes cannot be read. */
export function usualOf(chain: string): Usual {
  if (LIKE_BITCOIN.has(chain))
    return { confirmations: 6, batchBlocks: 1, maxHeadAgeS: 6 * HOUR_S, ...usual[chain] }
  if (findChain(chain)?.family === 'evm')
    return { confirmations: 128, batchBlocks: 5, maxHeadAgeS: 2 * HOUR_S, ...usual[chain] }
  if (chain === 'TRX') return { confirmations: 27, batchBlocks: 10, maxHeadAgeS: HOUR_S }
  throw new FollowError('refused', `nodes of ${chain} cannot be followed`)
}

export type Traces = TraceMethod | 'stored'

/** Rejects with a FollowError for a node that serves another chain or cannot be read. */
export async function openNode({
  chain,
  traces,
  ...options
}: NodeClientOptions & {
  readonly chain: string
  /** How calls within transactions are known; absent: by what the node has. */
  readonly traces?: Traces | undefined
}): Promise<ChainNode> {
  checkTraces(chain, traces)
  const family = LIKE_BITCOIN.has(chain) ? 'bitcoin' : chain === 'TRX' ? 'tron' : 'evm'
  const client = openNodeClient({ ...options, prepare: numbersOf[family] })
  try {
    if (family === 'bitcoin') return await bitcoinNode({ chain, client })
    if (family === 'tron') return await tronNode({ client, keepsInternals: traces === 'stored' })
    return await evmNode({ chain, client, traces: traces as TraceMethod | undefined })
  } catch (error) {
    await client.close()
    throw error
  }
}

const numbersOf = {
  bitcoin: bitcoinNumbers,
  tron: tronNumbers,
  evm: (text: string): string => text,
} as const

/** Only TRON's nodes tell calls as they stored them, and only EVM nodes find them by a method. */
function checkTraces(chain: string, traces: Traces | undefined): void {
  if (traces === undefined || traces === 'none') return
  const fits = traces === 'stored' ? chain === 'TRX' : findChain(chain)?.family === 'evm'
  if (!fits) throw new FollowError('refused', `--traces ${traces} is not for ${chain}`)
}

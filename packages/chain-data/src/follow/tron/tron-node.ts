/**
 * A full node of TRON (https://developers.tron.network/reference/full-node-api-overview): blocks with their transactions, and what each did:
 * logs, internal transactions, rewards.
 */
import { landmarks, type Landmark } from '../../index.js'
import type { HistoryKind } from '@cupel/domain'
import { fieldsOf, listOf, wholeOf } from '../answer-values.js'
import { askedAgain } from '../asked-again.js'
import { END_OF_CHAIN, type ChainNode, type NodeBlock } from '../chain-node.js'
import { FollowError } from '../follow-error.js'
import type { NodeClient } from '../node-client.js'
import { HEADING } from '../transfer-rows.js'
import { textOfTronBlock, tronBlock, type TronBlock, type TronReading } from './tron-block.js'
import { assetOf } from './tron-values.js'

export interface TronNodeOptions {
  /** Its answers are prepared by `tronNumbers`. */
  readonly client: NodeClient
  /** Whether the operator says that the node keeps all internal transactions. */
  readonly keepsInternals: boolean
  readonly landmark?: Landmark | null
}

const MS_PER_S = 1_000

export async function tronNode({ client, keepsInternals, landmark }: TronNodeOptions): Promise<ChainNode> {
  const known = landmark === undefined ? landmarks.TRX! : landmark
  if (known !== null && (await blockAt(client, known.height)).hash !== known.hash)
    throw new FollowError('wrong_chain', `block ${known.height} of the node is not that of TRX`)
  const reading = { client, needsInternals: keepsInternals, pairOf: tradedPairs(client) }
  const kinds: readonly HistoryKind[] = keepsInternals ? ['native', 'internal', 'token'] : ['native', 'token']
  return {
    chain: 'TRX',
    format: 'csv',
    extension: 'csv',
    heading: HEADING,
    zones: [{ from: 0, to: END_OF_CHAIN, kinds }],
    remarks: [
      keepsInternals
        ? 'The node keeps all internal transactions, as --traces stored says.'
        : 'Ranges are declared for native and token transfers only (no_traces), and no address of TRX has a whole history: if the node keeps all internal transactions, say --traces stored.',
    ],
    async head() {
      const { height, atMs } = tronBlock(await client.post('/wallet/getnowblock', {}), 'newest')
      return { height, atS: Math.floor(atMs / MS_PER_S) }
    },
    hashAt: async (height) => (await blockAt(client, height)).hash,
    blocks: (from, to) => askedAgain(() => readBlocks(reading, from, to)),
    close: () => client.close(),
  }
}

async function blockAt(client: NodeClient, num: number): Promise<TronBlock> {
  const told = fieldsOf(await client.post('/wallet/getblockbynum', { num }), `block ${num}`)
  refuseError(told)
  if (Object.keys(told).length === 0)
    throw new FollowError('node_contradicts', `the node has no block ${num}, which is below its newest one`)
  return tronBlock(told, num)
}

/** A refusal has the status of an answer. */
function refuseError(told: object): void {
  if ('Error' in told) throw new FollowError('refused', 'the node answers with an error')
}

function tradedPairs(client: NodeClient): TronReading['pairOf'] {
  const known = new Map<number, readonly [string | null, string | null]>()
  return async (id) => {
    const found = known.get(id)
    if (found !== undefined) return found
    const told = fieldsOf(await client.post('/wallet/getexchangebyid', { id }), `exchange ${id}`)
    if (wholeOf(told['exchange_id'], `the number of exchange ${id}`) !== id)
      throw new FollowError('node_contradicts', `the node answers another exchange for ${id}`)
    const [first, second] = ['first_token_id', 'second_token_id'].map((name) =>
      assetOf(told[name], `exchange ${id}`),
    ) as [string | null, string | null]
    known.set(id, [first, second])
    return [first, second]
  }
}

async function readBlocks(
  reading: TronReading & { readonly client: NodeClient },
  from: number,
  to: number,
): Promise<readonly NodeBlock[]> {
  const { client } = reading
  const told = fieldsOf(
    await client.post('/wallet/getblockbylimitnext', { startNum: from, endNum: to + 1 }),
    `the blocks ${from} to ${to}`,
  )
  refuseError(told)
  const list = listOf(told['block'] ?? [], `the blocks ${from} to ${to}`)
  if (list.length !== to - from + 1)
    throw new FollowError('node_contradicts', `the node tells ${list.length} of the blocks ${from} to ${to}`)
  const blocks = list.map((one, index) => tronBlock(one, from + index))
  for (const [index, block] of blocks.entries())
    if (index > 0 && block.parentHash !== blocks[index - 1]!.hash)
      throw new FollowError(
        'node_contradicts',
        `block ${block.height} of the node does not follow its block ${block.height - 1}`,
      )
  return Promise.all(
    blocks.map(async (block) => ({
      ...{ height: block.height, hash: block.hash, parentHash: block.parentHash },
      atS: Math.floor(block.atMs / MS_PER_S),
      text: await textOfTronBlock(block, await outcomesOf(client, block), reading),
    })),
  )
}

/** A block without transactions has no outcomes, and the outcomes of the first one are its allocations. */
async function outcomesOf(client: NodeClient, { height, transactions }: TronBlock): Promise<unknown> {
  if (height === 0 || transactions.length === 0) return []
  const told = await client.post('/wallet/gettransactioninfobyblocknum', { num: height })
  if (typeof told === 'object' && told !== null) refuseError(told)
  return told
}

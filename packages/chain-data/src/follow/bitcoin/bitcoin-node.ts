/**
 * A node of Bitcoin or a similar chain (https://developer.bitcoin.org/reference/rpc). Inputs name only the outputs that they spend: newer nodes
 * add their values and scripts to a block (verbosity 3); others are asked for the transactions, which needs their index (txindex=1).
 */
import { landmarks, type Landmark } from '../../index.js'
import type { ChainCode } from '@cupel/domain'
import { bareHash, fieldsOf, listOf, textOf, wholeOf, type Fields } from '../answer-values.js'
import { askedAgain } from '../asked-again.js'
import { END_OF_CHAIN, type ChainNode, type NodeBlock } from '../chain-node.js'
import { FollowError } from '../follow-error.js'
import { resultOf, type NodeClient } from '../node-client.js'
import { outputOf, rowOf, type Output } from './bitcoin-transaction.js'
import { merkleRoot } from './merkle-root.js'

/** What a node tells of a block: its transactions, or only their ids. Old nodes know no number. */
type Detail = 'transactions' | 'ids'

const VERBOSITY: Readonly<Record<Detail, number | boolean>> = { transactions: 3, ids: true }

/** A number in whole coins, which a float may not hold: it is read as text. */
const COINS = /"(value|vpub_old|vpub_new)"\s*:\s*(-?\d[\d.eE+-]*)/g

export const bitcoinNumbers = (text: string): string => text.replace(COINS, '"$1":"$2"')

export interface BitcoinNodeOptions {
  readonly chain: string
  /** Its answers are prepared by `bitcoinNumbers`. */
  readonly client: NodeClient
  readonly landmark?: Landmark | null
}

/** Transactions of one message. */
const TRANSACTIONS_OF_MESSAGE = 200
/** Outputs of transactions that were asked for, kept because later blocks spend others of them. */
const REMEMBERED_TRANSACTIONS = 50_000
export async function bitcoinNode(options: BitcoinNodeOptions): Promise<ChainNode> {
  const { chain, client } = options
  await confirmChain(options)
  const detail = await detailOf(client)
  const spent = createSpentOutputs(chain, client)
  const reading = { chain, client, detail, spent }
  return {
    chain,
    format: 'bitcoin-etl',
    extension: 'jsonl',
    heading: null,
    zones: [{ from: 0, to: END_OF_CHAIN, kinds: ['native'] }],
    remarks: [
      detail === 'transactions'
        ? 'Blocks come with their transactions. What an input spends is asked for if the node does not tell it, which needs its index (txindex=1).'
        : 'The node tells only the ids of transactions: each is asked for, which needs its index (txindex=1).',
    ],
    async head() {
      const { bestblockhash: best } = fieldsOf(await client.one('getblockchaininfo', []), 'getblockchaininfo')
      const header = fieldsOf(await client.one('getblockheader', [best]), 'the newest block')
      return {
        height: wholeOf(header['height'], 'the height of the newest block'),
        atS: wholeOf(header['time'], 'the time of the newest block'),
      }
    },
    hashAt: async (height) =>
      bareHash(await client.one('getblockhash', [height]), `the hash of block ${height}`),
    blocks: (from, to) => askedAgain(() => readBlocks(reading, from, to)),
    close: () => client.close(),
  }
}

async function confirmChain({ chain, client, landmark }: BitcoinNodeOptions): Promise<void> {
  const known = landmark === undefined ? landmarks[chain as ChainCode] : landmark
  if (known === undefined || known === null) return
  const [outcome] = await client.ask([{ method: 'getblockhash', params: [known.height] }])
  if (!outcome!.ok && outcome!.error.cause === 'not found')
    throw new FollowError('node_behind', `the node has no block ${known.height}, by which ${chain} is known`)
  const hash = bareHash(resultOf(outcome!, 'getblockhash'), `the hash of block ${known.height}`)
  if (hash !== known.hash)
    throw new FollowError('wrong_chain', `block ${known.height} of the node is not that of ${chain}`)
}

/** What the node tells of its newest block. A node that does not know the verbosity refuses it, or answers as for a lower one. */
async function detailOf(client: NodeClient): Promise<Detail> {
  const info = fieldsOf(await client.one('getblockchaininfo', []), 'getblockchaininfo')
  const params = [info['bestblockhash'], VERBOSITY.transactions]
  const [outcome] = await client.ask([{ method: 'getblock', params }])
  if (!outcome!.ok) return 'ids'
  const [coinbase] = listOf(fieldsOf(outcome!.result, 'getblock')['tx'], 'the transactions of a block')
  return typeof coinbase === 'object' ? 'transactions' : 'ids'
}

interface Reading {
  readonly chain: string
  readonly client: NodeClient
  readonly detail: Detail
  readonly spent: SpentOutputs
}

async function readBlocks(reading: Reading, from: number, to: number): Promise<readonly NodeBlock[]> {
  const { client, detail } = reading
  const heights = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  const hashes = (
    await client.ask(heights.map((height) => ({ method: 'getblockhash', params: [height] })))
  ).map((outcome, index) =>
    bareHash(resultOf(outcome, 'getblockhash'), `the hash of block ${heights[index]}`),
  )
  const told = await client.ask(
    hashes.map((hash) => ({ method: 'getblock', params: [hash, VERBOSITY[detail]] })),
  )
  const blocks: NodeBlock[] = []
  for (const [index, height] of heights.entries()) {
    const block = await readBlock(reading, resultOf(told[index]!, 'getblock'), {
      height,
      hash: hashes[index]!,
    })
    const before = blocks.at(-1)
    if (before !== undefined && before.hash !== block.parentHash)
      throw new FollowError(
        'node_contradicts',
        `block ${height} of the node does not follow its block ${height - 1}`,
      )
    blocks.push(block)
  }
  return blocks
}

const contradiction = (message: string): FollowError => new FollowError('node_contradicts', message)

async function readBlock(
  { chain, client, detail, spent }: Reading,
  told: unknown,
  { height, hash }: { readonly height: number; readonly hash: string },
): Promise<NodeBlock> {
  const at = `block ${height}`
  const block = fieldsOf(told, at)
  if (bareHash(block['hash'], `the hash of ${at}`) !== hash || block['height'] !== height)
    throw contradiction(`the node answers another block for ${height}`)
  const list = listOf(block['tx'], `the transactions of ${at}`)
  const ids = list.map((one, index) =>
    bareHash(typeof one === 'string' ? one : fieldsOf(one, at)['txid'], `transaction ${index} of ${at}`),
  )
  if (merkleRoot(ids) !== bareHash(block['merkleroot'], `the root of ${at}`))
    throw contradiction(`the transactions of ${at} are not those of its root`)
  const atS = wholeOf(block['time'], `the time of ${at}`)
  const parent = block['previousblockhash']
  const parentHash = height === 0 ? '' : bareHash(parent, `the parent of ${at}`)
  // No node tells the transaction of the first block by its id, and nothing can spend it.
  const transactions =
    detail !== 'ids'
      ? list.map((one) => fieldsOf(one, at))
      : height === 0
        ? []
        : await transactionsOf(client, ids)
  await spent.learn(transactions)
  const rows = transactions.map((transaction, index) =>
    rowOf(transaction, { chain, height, atS, index, id: ids[index]!, spent: spent.of }),
  )
  return { height, hash, parentHash, atS, text: rows.join('') }
}

async function transactionsOf(client: NodeClient, ids: readonly string[]): Promise<readonly Fields[]> {
  const found: Fields[] = []
  for (let first = 0; first < ids.length; first += TRANSACTIONS_OF_MESSAGE) {
    const part = ids.slice(first, first + TRANSACTIONS_OF_MESSAGE)
    const outcomes = await client.ask(part.map((id) => ({ method: 'getrawtransaction', params: [id, 1] })))
    for (const [index, outcome] of outcomes.entries()) {
      if (!outcome.ok && outcome.error.cause === 'not found')
        throw new FollowError(
          'refused',
          'the node does not find a transaction by its id: it needs the index of transactions (txindex=1)',
        )
      const transaction = fieldsOf(resultOf(outcome, 'getrawtransaction'), 'a transaction')
      if (transaction['txid'] !== part[index])
        throw contradiction('the node answers another transaction than the one asked for')
      found.push(transaction)
    }
  }
  return found
}

export interface SpentOutputs {
  /** Asks for what the transactions spend where their inputs do not tell it. */
  learn(transactions: readonly Fields[]): Promise<void>
  readonly of: (id: string, index: number) => Output | undefined
}

function createSpentOutputs(chain: string, client: NodeClient): SpentOutputs {
  const known = new Map<string, readonly Output[]>()
  const remember = (transaction: Fields): void => {
    const outputs = listOf(transaction['vout'], 'the outputs of a transaction').map((one) =>
      outputOf(one, chain),
    )
    known.set(textOf(transaction['txid'], 'the id of a transaction'), outputs)
  }
  return {
    async learn(transactions) {
      const untold = transactions.flatMap((transaction) =>
        listOf(transaction['vin'], 'the inputs of a transaction')
          .map((one) => fieldsOf(one, 'an input'))
          .filter((input) => input['prevout'] === undefined && input['coinbase'] === undefined),
      )
      if (untold.length === 0) return
      while (known.size > REMEMBERED_TRANSACTIONS) known.delete(known.keys().next().value!)
      for (const transaction of transactions) remember(transaction)
      const missing = new Set<string>()
      for (const { txid } of untold) {
        const id = bareHash(txid, 'the transaction of an input')
        if (!known.has(id)) missing.add(id)
      }
      for (const transaction of await transactionsOf(client, [...missing])) remember(transaction)
    },
    of: (id, index) => known.get(id)?.[index],
  }
}

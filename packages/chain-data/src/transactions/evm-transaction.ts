/** Transactions of EVM chains: from a node, or from the module `proxy` of a host like Etherscan, which also tells the calls of a transaction. */
import type { ChainCode } from '@cupel/domain'
import { z } from 'zod'
import { baseUnits, hexCount, hexHash, hexQuantity, listOf, readAnswer } from '../answer-fields.js'
import { createChainCheck, landmarkOf, refuseStaleHead } from '../chain-identity.js'
import { confirmedHeight } from '../histories/confirmed-head.js'
import { callAll, resultOf } from '../json-rpc.js'
import type { ProviderHttp } from '../provider-http.js'
import { ProviderError } from '../provider-error.js'
import { listAnswer, proxyAnswer, refusal, refuseNotice } from '../providers/etherscan.js'
import { movedBetween, movementsOf, type Moved } from './moved.js'
import type { ToldMovements, TransactionSource, TransactionWord } from './transaction-source.js'

/** keccak256("Transfer(address,address,uint256)"). */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => text.toLowerCase())
const transactionAnswer = z.object({
  hash: hexHash,
  blockNumber: hexCount.nullable(),
  from: address,
  to: address.nullable(),
  value: hexQuantity,
})
const receiptAnswer = z.object({
  transactionHash: hexHash,
  blockNumber: hexCount,
  blockHash: hexHash,
  status: z.enum(['0x0', '0x1']),
  gasUsed: hexCount.optional(),
  contractAddress: address.nullish(),
  logs: listOf(
    z.object({
      address,
      topics: z.array(hexHash).max(4),
      data: z.string().regex(/^0x([0-9a-fA-F]{2})*$/),
      removed: z.boolean().optional(),
    }),
  ),
})
const block = z.object({ number: hexCount, hash: hexHash, timestamp: hexCount })

type ReadTransaction = z.output<typeof transactionAnswer>
type Receipt = z.output<typeof receiptAnswer>
type NoTransfer = 'not_found' | 'unconfirmed' | 'failed'

/** Gas of a payment to an account without code, on chains that charge for nothing else. */
const GAS_OF_PAYMENT = 21_000

interface Told {
  /** Null if the host does not have it. */
  readonly transaction: unknown
  readonly receipt: unknown
  readonly newest: z.output<typeof block>
}

/** How a host is asked. */
interface Asking {
  told(txHash: string, http: ProviderHttp): Promise<Told>
  blockAt(height: number, http: ProviderHttp): Promise<z.output<typeof block>>
  /** What its calls move of the native asset; null if the host does not tell all of them. */
  calls(txHash: string, http: ProviderHttp): Promise<readonly Moved[] | null>
}

interface Options {
  readonly provider: string
  readonly chain: ChainCode
  /** Milliseconds since 1970. */
  readonly now: () => number
}

function evmTransactions({ provider, chain, now }: Options, asking: Asking): TransactionSource {
  type Read = { readonly transaction: ReadTransaction; readonly receipt: Receipt }

  async function read(txHash: string, http: ProviderHttp): Promise<Read | NoTransfer> {
    const told = await asking.told(txHash, http)
    refuseStaleHead(told.newest.timestamp, now())
    if (told.transaction === null) return 'not_found'
    const transaction = readAnswer(transactionAnswer, told.transaction, 'transaction')
    if (transaction.hash !== txHash) throw new ProviderError('malformed', 'another transaction')
    if (transaction.blockNumber === null || told.receipt === null) return 'unconfirmed'
    const receipt = readAnswer(receiptAnswer, told.receipt, 'receipt')
    if (receipt.transactionHash !== txHash || receipt.blockNumber !== transaction.blockNumber)
      throw new ProviderError('malformed', 'the receipt of another transaction')
    if (receipt.blockNumber > confirmedHeight(chain, told.newest.number)) return 'unconfirmed'
    if ((await asking.blockAt(receipt.blockNumber, http)).hash !== receipt.blockHash) return 'unconfirmed'
    return receipt.status === '0x0' ? 'failed' : { transaction, receipt }
  }

  async function callsOf(txHash: string, http: ProviderHttp): Promise<readonly Moved[]> {
    const calls = await asking.calls(txHash, http)
    if (calls === null) throw new ProviderError('refused', 'the calls of the transaction are not told')
    return calls
  }

  return {
    provider,
    chain,
    async confirm(stated, http): Promise<TransactionWord> {
      const told = await read(stated.txHash, http)
      if (typeof told === 'string') return told
      const { transaction, receipt } = told
      const own = stated.contract === '' ? nativeOf(transaction, receipt) : tokensOf(receipt)
      if (movedBetween(own, stated) === stated.amount) return 'seen'
      if (stated.contract !== '') return 'contradicted'
      const calls = await callsOf(stated.txHash, http)
      return movedBetween([...own, ...calls], stated) === stated.amount ? 'seen' : 'contradicted'
    },
    async tell(asked, http): Promise<ToldMovements> {
      const told = await read(asked.txHash, http)
      if (typeof told === 'string') return { word: told }
      const { transaction, receipt } = told
      // Calls move the native asset only, and nothing runs if nothing beyond a payment is paid for.
      const mayCall = (asked.contract ?? '') === '' && receipt.gasUsed !== GAS_OF_PAYMENT
      const calls = mayCall ? await callsOf(asked.txHash, http) : []
      const moved = [...nativeOf(transaction, receipt), ...calls, ...tokensOf(receipt)]
      return { word: 'seen', movements: movementsOf(moved, asked) }
    },
  }
}

const nativeOf = ({ from, to, value }: ReadTransaction, { contractAddress }: Receipt): readonly Moved[] => [
  { from, to: to ?? contractAddress ?? '', contract: '', amount: value },
]

/** Transfers of tokens whose amount is in the data; others, such as those of single pieces, have another form. */
function tokensOf({ logs }: Receipt): readonly Moved[] {
  return logs.flatMap(({ address: contract, topics: [kind, from, to, ...more], data, removed }) => {
    const isTransfer = kind === TRANSFER && from !== undefined && to !== undefined && more.length === 0
    if (!isTransfer || removed === true || data.length !== 2 + 64) return []
    return [{ contract, from: addressIn(from), to: addressIn(to), amount: BigInt(data) }]
  })
}

const addressIn = (word: string): string => `0x${word.slice(-40)}`

const byHeight = (height: number | null): string => (height === null ? 'latest' : `0x${height.toString(16)}`)

/** The chain id is part of the message that asks for the transaction. */
export function evmRpcTransactions({
  chainId,
  ...options
}: Options & { readonly chainId: number }): TransactionSource {
  const blockCall = (height: number | null) => ({
    method: 'eth_getBlockByNumber',
    params: [byHeight(height), false],
  })
  return evmTransactions(options, {
    async told(txHash, http) {
      const [id, transaction, receipt, newest] = await callAll(http, [
        { method: 'eth_chainId', params: [] },
        { method: 'eth_getTransactionByHash', params: [txHash] },
        { method: 'eth_getTransactionReceipt', params: [txHash] },
        blockCall(null),
      ])
      const served = resultOf(id, hexCount, 'eth_chainId')
      if (served !== chainId) throw new ProviderError('wrong_chain', `chain id ${served}, not ${chainId}`)
      return {
        transaction: resultOf(transaction, z.unknown(), 'eth_getTransactionByHash'),
        receipt: resultOf(receipt, z.unknown(), 'eth_getTransactionReceipt'),
        newest: resultOf(newest, block, 'eth_getBlockByNumber'),
      }
    },
    async blockAt(height, http) {
      const [outcome] = await callAll(http, [blockCall(height)])
      return resultOf(outcome, block, 'eth_getBlockByNumber')
    },
    // A node has no list of them.
    calls: () => Promise.resolve(null),
  })
}

/** A call of a transaction, whose hash the question names. Other words than these say nothing certain. */
const callRow = z.object({
  from: address,
  to: z.union([address, z.literal('')]),
  contractAddress: z.union([address, z.literal('')]).optional(),
  value: baseUnits,
  type: z.enum(['call', 'create', 'create2', 'suicide', 'selfdestruct']),
  callType: z.enum(['call', '']).optional(),
  isError: z.enum(['0', '1']),
})
const NO_CALLS = /^no (?:internal |token )?(?:transactions|transfers|records) found$/i

export function etherscanTransactions({
  chainId,
  ...options
}: Options & { readonly chainId: number | null }): TransactionSource {
  const landmark = landmarkOf(options.chain)
  const check = createChainCheck(landmark)
  const everywhere: Readonly<Record<string, string>> = chainId === null ? {} : { chainid: String(chainId) }
  const proxy = async (http: ProviderHttp, query: Readonly<Record<string, string>>): Promise<unknown> => {
    const answer = await http.getJson('', { ...everywhere, module: 'proxy', ...query })
    refuseNotice(answer)
    return readAnswer(proxyAnswer, answer, query['action'] ?? '').result
  }
  const blockAt = async (height: number | null, http: ProviderHttp): Promise<z.output<typeof block>> => {
    const action = 'eth_getBlockByNumber'
    return readAnswer(block, await proxy(http, { action, tag: byHeight(height), boolean: 'false' }), action)
  }
  return evmTransactions(options, {
    async told(txhash, http) {
      await check.confirm(async () => (await blockAt(landmark.height, http)).hash, options.now())
      return {
        transaction: await proxy(http, { action: 'eth_getTransactionByHash', txhash }),
        receipt: await proxy(http, { action: 'eth_getTransactionReceipt', txhash }),
        newest: await blockAt(null, http),
      }
    },
    blockAt,
    async calls(txhash, http) {
      const query = { ...everywhere, module: 'account', action: 'txlistinternal', txhash }
      const { status, message, result } = readAnswer(
        listAnswer,
        await http.getJson('', query),
        'txlistinternal',
      )
      const isEmpty = Array.isArray(result) && result.length === 0 && NO_CALLS.test(message)
      if (status === '0' && !isEmpty) throw refusal(result ?? message)
      const rows = listOf(callRow).safeParse(result)
      if (!rows.success) return null
      return rows.data.flatMap(({ from, to, contractAddress = '', value, isError }) =>
        isError === '1' ? [] : [{ from, to: to || contractAddress, contract: '', amount: BigInt(value) }],
      )
    },
  })
}

/**
 * Ethereum JSON-RPC (https://ethereum.github.io/execution-apis). One message holds all calls, between two reads of the newest block: if
 * both return the same block, the state is of exactly that block.
 */
import type { ChainTransaction } from '@cupel/domain'
import { z } from 'zod'
import { hexCount, hexHash, hexQuantity, listOf } from '../answer-fields.js'
import { refuseStaleHead } from '../chain-identity.js'
import type { ProviderHttp } from '../provider-http.js'
import { callAll, resultOf, type RpcCall, type RpcOutcome } from '../json-rpc.js'
import type { AccountState, ChainProvider, KnownToken, TokenAmount } from '../provider.js'
import { ProviderError } from '../provider-error.js'

/** Newest blocks to search for token transfers: public nodes serve this many without a key. */
const RECENT_BLOCKS = 1_000
/** keccak256("Transfer(address,address,uint256)"), the event of ERC-20. */
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** First four bytes of keccak256("balanceOf(address)"). */
const BALANCE_OF = '0x70a08231'

export interface EvmRpcOptions {
  readonly chain: ChainProvider['chain']
  readonly chainId: number
  readonly tokens: readonly KnownToken[]
  readonly now: () => number
}

const head = z.object({ number: hexCount, hash: hexHash, timestamp: hexCount })
const word = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .transform((text) => BigInt(text))
const code = z.string().regex(/^0x([0-9a-fA-F]{2})*$/)
const log = z.object({
  address: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  topics: z.array(hexHash).max(4),
  data: word,
  blockNumber: hexCount,
  transactionHash: hexHash,
  logIndex: hexCount,
  removed: z.boolean().optional(),
})

const headCall: RpcCall = { method: 'eth_getBlockByNumber', params: ['latest', false] }
const chainIdCall: RpcCall = { method: 'eth_chainId', params: [] }

export function evmRpcProvider(options: EvmRpcOptions): ChainProvider {
  return {
    chain: options.chain,
    stateRequest: 'eth_getBalance, eth_getTransactionCount, eth_getCode and balanceOf at latest',
    accountState: (address, http) => accountState(options, address, http),
    recentTransactions: (address, http) => recentTransactions(options, address, http),
  }
}

async function accountState(
  { chainId, tokens, now }: EvmRpcOptions,
  address: string,
  http: ProviderHttp,
): Promise<AccountState> {
  const calls: readonly RpcCall[] = [
    chainIdCall,
    headCall,
    { method: 'eth_getBalance', params: [address, 'latest'] },
    { method: 'eth_getTransactionCount', params: [address, 'latest'] },
    { method: 'eth_getCode', params: [address, 'latest'] },
    ...tokens.map(({ contract }) => balanceOfCall(contract, address)),
    headCall,
  ]
  const outcomes = await callAll(http, calls)
  const [chainIdOutcome, headOutcome, balance, nonce, codeOutcome] = outcomes
  refuseOtherChain(chainIdOutcome, chainId)
  const before = resultOf(headOutcome, head, headCall.method)
  const after = resultOf(outcomes.at(-1), head, headCall.method)
  refuseStaleHead(before.timestamp, now())
  return {
    height: String(before.number),
    blockHash: before.hash === after.hash ? before.hash : null,
    balanceBaseUnits: resultOf(balance, hexQuantity, 'eth_getBalance').toString(),
    txCount: resultOf(nonce, hexCount, 'eth_getTransactionCount'),
    txCountKind: 'outgoing',
    isContract: isContractCode(resultOf(codeOutcome, code, 'eth_getCode')),
    tokens: tokenAmounts(tokens, outcomes.slice(5, 5 + tokens.length)),
  }
}

const balanceOfCall = (contract: string, address: string): RpcCall => ({
  method: 'eth_call',
  params: [{ to: contract, data: BALANCE_OF + padded(address) }, 'latest'],
})

const padded = (address: string): string => address.slice(2).toLowerCase().padStart(64, '0')

function refuseOtherChain(outcome: RpcOutcome | undefined, chainId: number): void {
  const served = resultOf(outcome, hexCount, chainIdCall.method)
  if (served !== chainId) throw new ProviderError('wrong_chain', `chain id ${served}, not ${chainId}`)
}

/** Code of an account that delegates to a contract (EIP-7702): 0xef0100 and the contract's address. */
const DELEGATION = /^0xef0100[0-9a-f]{40}$/i

/** Whether code makes the address a contract: a delegating account still belongs to the holder of its key. */
export function isContractCode(hex: string): boolean {
  return hex !== '0x' && !DELEGATION.test(hex)
}

/** The balance of each token. All contracts of the table answer, so a missing answer is an error, not a zero. */
function tokenAmounts(
  tokens: readonly KnownToken[],
  outcomes: readonly RpcOutcome[],
): readonly TokenAmount[] {
  return tokens.flatMap(({ symbol, decimals }, index) => {
    const amount = resultOf(outcomes[index], word, 'eth_call')
    return amount === 0n ? [] : [{ asset: symbol, amountBaseUnits: amount.toString(), decimals }]
  })
}

/** Transfers of known tokens in the newest blocks. Native transfers leave no log, so a node cannot list them. */
async function recentTransactions(
  { chainId, tokens }: EvmRpcOptions,
  address: string,
  http: ProviderHttp,
): Promise<readonly ChainTransaction[]> {
  if (tokens.length === 0) return []
  const [chainIdOutcome, headOutcome] = await callAll(http, [chainIdCall, headCall])
  refuseOtherChain(chainIdOutcome, chainId)
  const { number } = resultOf(headOutcome, head, headCall.method)
  const range = {
    fromBlock: `0x${Math.max(0, number - RECENT_BLOCKS).toString(16)}`,
    toBlock: `0x${number.toString(16)}`,
    address: tokens.map(({ contract }) => contract),
  }
  const topic = `0x${padded(address)}`
  const [sent, received] = await callAll(http, [
    { method: 'eth_getLogs', params: [{ ...range, topics: [TRANSFER_TOPIC, topic] }] },
    { method: 'eth_getLogs', params: [{ ...range, topics: [TRANSFER_TOPIC, null, topic] }] },
  ])
  const logs = [sent, received].flatMap((outcome) => resultOf(outcome, listOf(log), 'eth_getLogs'))
  const contracts = new Set(range.address)
  return logs
    .filter(
      ({ removed, topics, address: contract }) =>
        removed !== true &&
        topics.length === 3 &&
        topics[0] === TRANSFER_TOPIC &&
        contracts.has(contract.toLowerCase()),
    )
    .map(({ address: contract, topics, data, blockNumber, transactionHash, logIndex }) => ({
      txHash: transactionHash,
      blockNumber,
      occurredAtS: null,
      // A transaction that fails leaves no log.
      proven: true,
      outputs: null,
      movements: [
        {
          kind: 'token',
          contract: contract.toLowerCase(),
          from: addressOfTopic(topics[1]!),
          to: addressOfTopic(topics[2]!),
          amountBaseUnits: data.toString(),
          position: logIndex,
        },
      ],
    }))
}

const addressOfTopic = (topic: string): string => `0x${topic.slice(-40)}`

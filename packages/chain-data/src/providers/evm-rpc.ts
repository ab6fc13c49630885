/**
 * Ethereum JSON-RPC (https://ethereum.github.io/execution-apis). One message holds all calls, between two reads of the newest block: if
 * both return the same block, the state is of exactly that block.
 */
import { z } from 'zod'
import { hexCount, hexHash, hexQuantity } from '../answer-fields.js'
import { refuseStaleHead } from '../chain-identity.js'
import type { ProviderHttp } from '../provider-http.js'
import { callAll, resultOf, type RpcCall, type RpcOutcome } from '../json-rpc.js'
import type { AccountState, ChainProvider, KnownToken, TokenAmount } from '../provider.js'
import { ProviderError } from '../provider-error.js'

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

const headCall: RpcCall = { method: 'eth_getBlockByNumber', params: ['latest', false] }
const chainIdCall: RpcCall = { method: 'eth_chainId', params: [] }

export function evmRpcProvider(options: EvmRpcOptions): ChainProvider {
  return {
    chain: options.chain,
    stateRequest: 'eth_getBalance, eth_getTransactionCount, eth_getCode and balanceOf at latest',
    accountState: (address, http) => accountState(options, address, http),
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

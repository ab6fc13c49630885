/**
 * APIs like that of Etherscan (https://docs.etherscan.io): one path, a module and an action. Balances are offered only for the newest
 * block, one call each, so the state is never of exactly one block.
 */
import { z } from 'zod'
import { baseUnits, hexCount, hexHash, readAnswer } from '../answer-fields.js'
import { createChainCheck, landmarkOf, refuseStaleHead } from '../chain-identity.js'
import type { ProviderHttp } from '../provider-http.js'
import type { AccountState, ChainProvider } from '../provider.js'
import { ProviderError } from '../provider-error.js'
import { isContractCode } from './evm-rpc.js'

export interface EtherscanOptions {
  readonly chain: ChainProvider['chain']
  /** Sent as `chainid` if one host serves many chains; null if the host serves one. */
  readonly chainId: number | null
  readonly now: () => number
}

export const proxyAnswer = z.object({ jsonrpc: z.literal('2.0'), result: z.unknown() })
const block = z.object({ number: hexCount, hash: hexHash, timestamp: hexCount })
export const listAnswer = z.object({
  status: z.enum(['0', '1']),
  message: z.string().max(200),
  result: z.unknown(),
})

export function etherscanProvider(options: EtherscanOptions): ChainProvider {
  const landmark = landmarkOf(options.chain)
  const check = createChainCheck(landmark)
  const everywhere: Readonly<Record<string, string>> =
    options.chainId === null ? {} : { chainid: String(options.chainId) }

  const proxy = async (http: ProviderHttp, query: Readonly<Record<string, string>>): Promise<unknown> => {
    const answer = await http.getJson('', { ...everywhere, module: 'proxy', ...query })
    refuseNotice(answer)
    return readAnswer(proxyAnswer, answer, query['action'] ?? '').result
  }
  const blockAt = async (http: ProviderHttp, tag: string): Promise<z.output<typeof block>> => {
    const action = 'eth_getBlockByNumber'
    return readAnswer(block, await proxy(http, { action, tag, boolean: 'false' }), action)
  }
  const confirmChain = (http: ProviderHttp): Promise<void> =>
    check.confirm(async () => (await blockAt(http, `0x${landmark.height.toString(16)}`)).hash, options.now())
  const account = (http: ProviderHttp, query: Readonly<Record<string, string>>): Promise<unknown> =>
    http.getJson('', { ...everywhere, module: 'account', ...query })

  return {
    chain: options.chain,
    stateRequest: 'balance, eth_getTransactionCount and eth_getCode at latest',
    async accountState(of, http): Promise<AccountState> {
      const [head, balance, nonce, code] = await Promise.all([
        blockAt(http, 'latest'),
        account(http, { action: 'balance', address: of, tag: 'latest' }),
        proxy(http, { action: 'eth_getTransactionCount', address: of, tag: 'latest' }),
        proxy(http, { action: 'eth_getCode', address: of, tag: 'latest' }),
        confirmChain(http),
      ])
      refuseStaleHead(head.timestamp, options.now())
      return {
        height: String(head.number),
        blockHash: null,
        balanceBaseUnits: readAnswer(baseUnits, listed(balance, 'balance'), 'balance'),
        txCount: readAnswer(hexCount, nonce, 'eth_getTransactionCount'),
        txCountKind: 'outgoing',
        isContract: isContractCode(
          readAnswer(z.string().regex(/^0x([0-9a-fA-F]{2})*$/), code, 'eth_getCode'),
        ),
        tokens: [],
      }
    },
  }
}

/** The result of an account call. An empty result also has status 0, with an empty list. */
function listed(answer: unknown, action: string): unknown {
  const { status, result } = readAnswer(listAnswer, answer, action)
  if (status === '1' || (Array.isArray(result) && result.length === 0)) return result
  throw refusal(result)
}

/** An error has the form of an account call, for proxy calls too. */
export function refuseNotice(answer: unknown): void {
  const notice = listAnswer.safeParse(answer)
  if (notice.success && notice.data.status === '0') throw refusal(notice.data.result)
}

/** The error that the result of a refused call states. */
export function refusal(result: unknown): ProviderError {
  const text = typeof result === 'string' ? result : ''
  if (/rate limit|calls per sec/i.test(text)) return new ProviderError('rate_limited', 'the provider says so')
  if (/timeout/i.test(text)) return new ProviderError('timeout', 'the provider says so')
  return new ProviderError('refused', 'status 0')
}

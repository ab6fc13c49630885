/**
 * Solana JSON-RPC (https://solana.com/docs/rpc), at commitment `finalized`. No node returns the number of an address's transactions: the
 * adapter counts them if a node with the whole history has all their signatures on one page (docs/adr/0130).
 */
import { z } from 'zod'
import { baseUnits, count, height, listOf } from '../answer-fields.js'
import { SOLANA_GENESIS } from '../chain-identity.js'
import type { ProviderHttp } from '../provider-http.js'
import { callAll, resultOf, type RpcCall, type RpcOutcome } from '../json-rpc.js'
import type { AccountState, ChainProvider, KnownToken, TokenAmount } from '../provider.js'
import { ProviderError } from '../provider-error.js'

/**
 * Signatures counted at most. Each comes with memos, which anyone may write, up to 7 kB of JSON per transaction. With more rows the answer,
 * which also holds the balance, could exceed the limit.
 */
const COUNTED_SIGNATURES = 250

export interface SolanaRpcOptions {
  readonly tokens: readonly KnownToken[]
}

const commitment = 'finalized'
const text = z.string().max(128)
const withContext = <T extends z.ZodType>(value: T) =>
  z.object({ context: z.object({ slot: height }), value })
const balanceResult = withContext(baseUnits)
const accountResult = withContext(z.object({ executable: z.boolean() }).nullable())
const tokenAccounts = withContext(
  listOf(
    z.object({
      account: z.object({
        data: z.object({
          parsed: z.object({
            info: z.object({ mint: text, tokenAmount: z.object({ amount: baseUnits, decimals: z.int() }) }),
          }),
        }),
      }),
    }),
  ),
)
/** Newest first, each once. 64 bytes in base58. */
const countedSignatures = z
  .array(z.object({ signature: z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/), slot: count }))
  .max(COUNTED_SIGNATURES)
  .refine((rows) => new Set(rows.map(({ signature }) => signature)).size === rows.length, 'twice')
  .refine((rows) => rows.every(({ slot }, index) => index === 0 || slot <= rows[index - 1]!.slot), 'order')

const genesisCall: RpcCall = { method: 'getGenesisHash', params: [] }

export function solanaRpcProvider({ tokens }: SolanaRpcOptions): ChainProvider {
  return {
    chain: 'SOL',
    stateRequest:
      'getBalance, getAccountInfo, getSignaturesForAddress and getTokenAccountsByOwner, finalized',
    accountState: (address, http) => accountState(tokens, address, http),
  }
}

async function accountState(
  tokens: readonly KnownToken[],
  address: string,
  http: ProviderHttp,
): Promise<AccountState> {
  const [genesis, balanceOutcome, account, firstBlock, page, ...tokenOutcomes] = await callAll(http, [
    genesisCall,
    { method: 'getBalance', params: [address, { commitment }] },
    {
      method: 'getAccountInfo',
      params: [address, { commitment, encoding: 'base64', dataSlice: { offset: 0, length: 0 } }],
    },
    { method: 'getFirstAvailableBlock', params: [] },
    { method: 'getSignaturesForAddress', params: [address, { commitment, limit: COUNTED_SIGNATURES }] },
    ...tokens.map(({ contract: mint }) => ({
      method: 'getTokenAccountsByOwner',
      params: [address, { mint }, { commitment, encoding: 'jsonParsed' }],
    })),
  ])
  refuseOtherCluster(genesis)
  const balance = resultOf(balanceOutcome, balanceResult, 'getBalance')
  const txCount = totalCount(firstBlock, page, balance.value)
  return {
    height: balance.context.slot,
    blockHash: null,
    balanceBaseUnits: balance.value,
    txCount,
    txCountKind: txCount === null ? null : 'total',
    // Without an account there is no program.
    isContract: resultOf(account, accountResult, 'getAccountInfo').value?.executable ?? false,
    tokens: tokenAmounts(tokens, tokenOutcomes),
  }
}

function refuseOtherCluster(outcome: RpcOutcome | undefined): void {
  if (resultOf(outcome, text, genesisCall.method) !== SOLANA_GENESIS)
    throw new ProviderError('wrong_chain', 'the provider serves another cluster')
}

/**
 * The number of transactions that name the address, failed ones included. Null if it is not certain: the node has no history, its history
 * does not begin at the first block, or the page is full. An address with a balance but no transaction proves a missing history.
 */
function totalCount(
  firstBlock: RpcOutcome | undefined,
  page: RpcOutcome | undefined,
  balance: string,
): number | null {
  if (firstBlock?.ok !== true || page?.ok !== true) return null
  const first = resultOf(firstBlock, count, 'getFirstAvailableBlock')
  const { length } = resultOf(page, countedSignatures, 'getSignaturesForAddress')
  const isWhole = first === 0 && length < COUNTED_SIGNATURES && (length > 0 || balance === '0')
  return isWhole ? length : null
}

/** The sum over all token accounts of the owner. An account of another mint is an error. */
function tokenAmounts(
  tokens: readonly KnownToken[],
  outcomes: readonly RpcOutcome[],
): readonly TokenAmount[] {
  return tokens.flatMap(({ symbol, contract, decimals }, index) => {
    const accounts = resultOf(outcomes[index], tokenAccounts, 'getTokenAccountsByOwner').value
    let amount = 0n
    for (const { account } of accounts) {
      const { mint, tokenAmount } = account.data.parsed.info
      if (mint !== contract || tokenAmount.decimals !== decimals)
        throw new ProviderError('malformed', 'an account of another token')
      amount += BigInt(tokenAmount.amount)
    }
    return amount === 0n ? [] : [{ asset: symbol, amountBaseUnits: amount.toString(), decimals }]
  })
}

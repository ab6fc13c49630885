/** Transactions of a Solana node: what the balances before and after one say of an owner, as histories read them. */
import { z } from 'zod'
import { count, readAnswer, unixSeconds } from '../answer-fields.js'
import { SOLANA_GENESIS, refuseStaleHead } from '../chain-identity.js'
import { readSolanaTransaction } from '../histories/solana-rows.js'
import { callOne, resultOf } from '../json-rpc.js'
import type { ProviderHttp } from '../provider-http.js'
import { ProviderError } from '../provider-error.js'
import { movedBetween, movementsOf, type Moved } from './moved.js'
import type { TransactionSource } from './transaction-source.js'

export interface SolanaTransactionOptions {
  readonly provider: string
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const commitment = 'finalized'
const place = z.object({
  slot: count,
  transaction: z.object({
    message: z.object({ accountKeys: z.array(z.object({ pubkey: z.string().max(44) })).min(1) }),
  }),
  meta: z.object({
    err: z.unknown(),
    preTokenBalances: z.array(z.object({ owner: z.string().optional() })).nullish(),
    postTokenBalances: z.array(z.object({ owner: z.string().optional() })).nullish(),
  }),
})
const statuses = z.object({
  value: z
    .array(z.object({ confirmationStatus: z.enum(['processed', 'confirmed', 'finalized']) }).nullable())
    .length(1),
})

export function solanaTransactions({ provider, now }: SolanaTransactionOptions): TransactionSource {
  async function read(
    txHash: string,
    own: string,
    http: ProviderHttp,
  ): Promise<readonly Moved[] | 'not_found' | 'unconfirmed' | 'failed'> {
    const ask = async <T extends z.ZodType>(method: string, params: readonly unknown[], schema: T) =>
      resultOf(await callOne(http, { method, params }), schema, method)
    if ((await ask('getGenesisHash', [], z.string().max(128))) !== SOLANA_GENESIS)
      throw new ProviderError('wrong_chain', 'the provider serves another cluster')
    const newest = await ask('getSlot', [{ commitment }], count)
    refuseStaleHead(await ask('getBlockTime', [newest], unixSeconds), now())
    const config = { commitment, encoding: 'jsonParsed', maxSupportedTransactionVersion: 0 }
    const told = await ask('getTransaction', [txHash, config], z.unknown())
    if (told === null) {
      const params = [[txHash], { searchTransactionHistory: true }]
      const [status] = (await ask('getSignatureStatuses', params, statuses)).value
      if (status === null || status === undefined) return 'not_found'
      if (status.confirmationStatus !== 'finalized') return 'unconfirmed'
      throw new ProviderError('refused', 'the node has pruned the transaction')
    }
    const { slot, transaction, meta } = readAnswer(place, told, 'getTransaction')
    if (slot > newest) return 'unconfirmed'
    const held = [...(meta.preTokenBalances ?? []), ...(meta.postTokenBalances ?? [])]
    // Without owners nobody can say whose tokens moved.
    if (held.some(({ owner }) => owner === undefined))
      throw new ProviderError('malformed', 'token accounts without an owner')
    const account = transaction.message.accountKeys[0]!.pubkey
    const asked = { signature: txHash, slot, account, address: own, accounts: new Set([own]) }
    const found = readSolanaTransaction(told, asked)
    if (found === null) throw new ProviderError('malformed', 'a transaction whose meaning is not certain')
    if (meta.err !== null && meta.err !== undefined) return 'failed'
    return found.lines.map((one) => ({
      ...{ from: one.from_address, to: one.to_address, contract: one.asset_address },
      amount: BigInt(one.amount_raw),
    }))
  }

  return {
    provider,
    chain: 'SOL',
    async confirm(stated, http) {
      const told = await read(stated.txHash, stated.to, http)
      if (typeof told === 'string') return told
      return movedBetween(told, stated) === stated.amount ? 'seen' : 'contradicted'
    },
    async tell(asked, http) {
      const told = await read(asked.txHash, asked.own, http)
      return typeof told === 'string' ? { word: told } : { word: 'seen', movements: movementsOf(told, asked) }
    },
  }
}

/** Esplora (https://github.com/Blockstream/esplora/blob/master/API.md), as served by blockstream.info and mempool.space. */
import type { ChainTransaction, OwnedAmount } from '@cupel/domain'
import { z } from 'zod'
import { baseUnits, bareHash, count, height, listOf, readAnswer, unixSeconds } from '../answer-fields.js'
import { createChainCheck, landmarkOf, refuseStaleHead } from '../chain-identity.js'
import type { ProviderHttp } from '../provider-http.js'
import type { AccountState, ChainProvider } from '../provider.js'
import { ProviderError } from '../provider-error.js'
import { canonicalOwner, refuseOtherAddress } from './same-address.js'

export interface EsploraOptions {
  readonly chain: ChainProvider['chain']
  readonly now: () => number
}

const addressAnswer = z.object({
  address: z.string().max(256),
  chain_stats: z.object({ funded_txo_sum: baseUnits, spent_txo_sum: baseUnits, tx_count: count }),
})
const blocks = z
  .array(z.object({ id: bareHash, height, timestamp: unixSeconds }))
  .min(1)
  .max(100)
const output = z.object({ scriptpubkey_address: z.string().max(256).optional(), value: baseUnits })
const transactions = listOf(
  z.object({
    txid: bareHash,
    vin: listOf(z.object({ is_coinbase: z.boolean(), prevout: output.nullable() })),
    vout: listOf(output),
    status: z.object({
      confirmed: z.boolean(),
      block_height: count.optional(),
      block_time: unixSeconds.optional(),
    }),
  }),
)

export function esploraProvider({ chain, now }: EsploraOptions): ChainProvider {
  const landmark = landmarkOf(chain)
  const check = createChainCheck(landmark)
  const confirmChain = (http: ProviderHttp): Promise<void> =>
    check.confirm(async () => {
      const text = await http.getText(`/block-height/${landmark.height}`)
      return readAnswer(bareHash, text.trim(), 'block-height')
    }, now())
  return {
    chain,
    stateRequest: 'chain_stats of the address',
    async accountState(address, http): Promise<AccountState> {
      const [account, newest] = await Promise.all([
        http.getJson(`/address/${encodeURIComponent(address)}`),
        http.getJson('/blocks'),
        confirmChain(http),
      ])
      const { address: answered, chain_stats: stats } = readAnswer(addressAnswer, account, 'address')
      refuseOtherAddress(chain, address, answered)
      const tip = readAnswer(blocks, newest, 'blocks')[0]!
      refuseStaleHead(tip.timestamp, now(), true)
      const balance = BigInt(stats.funded_txo_sum) - BigInt(stats.spent_txo_sum)
      if (balance < 0n) throw new ProviderError('malformed', 'more was spent than received')
      return {
        height: tip.height,
        blockHash: tip.id,
        balanceBaseUnits: balance.toString(),
        txCount: stats.tx_count,
        txCountKind: 'total',
        isContract: null,
        tokens: [],
      }
    },
    async recentTransactions(address, http) {
      const [answer] = await Promise.all([
        http.getJson(`/address/${encodeURIComponent(address)}/txs`),
        confirmChain(http),
      ])
      return readAnswer(transactions, answer, 'txs').flatMap((row) => confirmedTransaction(chain, row))
    },
  }
}

function confirmedTransaction(
  chain: string,
  { txid, vin, vout, status }: z.output<typeof transactions>[number],
): readonly ChainTransaction[] {
  const owned = ({ scriptpubkey_address, value }: z.output<typeof output>): OwnedAmount => ({
    owner: canonicalOwner(chain, scriptpubkey_address),
    amountBaseUnits: value,
  })
  if (!status.confirmed) return []
  return [
    {
      txHash: txid,
      blockNumber: status.block_height ?? null,
      occurredAtS: status.block_time ?? null,
      proven: true,
      movements: [],
      outputs: {
        spent: vin.flatMap(({ is_coinbase, prevout }) =>
          is_coinbase || prevout === null ? [] : [owned(prevout)],
        ),
        created: vout.map(owned),
      },
    },
  ]
}

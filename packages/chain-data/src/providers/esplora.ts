/** Esplora (https://github.com/Blockstream/esplora/blob/master/API.md), as served by blockstream.info and mempool.space. */
import { z } from 'zod'
import { baseUnits, bareHash, count, height, readAnswer, unixSeconds } from '../answer-fields.js'
import { createChainCheck, landmarkOf, refuseStaleHead } from '../chain-identity.js'
import type { ProviderHttp } from '../provider-http.js'
import type { AccountState, ChainProvider } from '../provider.js'
import { ProviderError } from '../provider-error.js'
import { refuseOtherAddress } from './same-address.js'

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
  }
}

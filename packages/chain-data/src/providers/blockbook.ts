/** Blockbook (https://github.com/trezor/blockbook/blob/master/docs/api.md), for chains of Bitcoin's family. */
import { z } from 'zod'
import { baseUnits, bareHash, count, height, readAnswer } from '../answer-fields.js'
import { createChainCheck, landmarkOf } from '../chain-identity.js'
import type { ProviderHttp } from '../provider-http.js'
import type { AccountState, ChainProvider } from '../provider.js'
import { ProviderError } from '../provider-error.js'
import { refuseOtherAddress } from './same-address.js'

export interface BlockbookOptions {
  readonly chain: ChainProvider['chain']
  readonly now: () => number
}

const statusAnswer = z.object({
  blockbook: z.object({ inSync: z.boolean() }),
  backend: z.object({ blocks: height, bestBlockHash: bareHash }),
})
const blockIndex = z.object({ blockHash: bareHash })
const addressAnswer = z.object({ address: z.string().max(256), balance: baseUnits, txs: count })

export function blockbookProvider({ chain, now }: BlockbookOptions): ChainProvider {
  const landmark = landmarkOf(chain)
  const check = createChainCheck(landmark)
  const confirmChain = (http: ProviderHttp): Promise<void> =>
    check.confirm(async () => {
      const answer = await http.getJson(`/api/v2/block-index/${landmark.height}`)
      return readAnswer(blockIndex, answer, 'block-index').blockHash
    }, now())
  return {
    chain,
    stateRequest: 'balance and txs of the address',
    async accountState(address, http): Promise<AccountState> {
      const [account, status] = await Promise.all([
        http.getJson(`/api/v2/address/${encodeURIComponent(address)}`, { details: 'basic' }),
        http.getJson('/api/v2'),
        confirmChain(http),
      ])
      const { address: answered, balance, txs } = readAnswer(addressAnswer, account, 'address')
      refuseOtherAddress(chain, address, answered)
      const { blockbook, backend } = readAnswer(statusAnswer, status, 'status')
      if (!blockbook.inSync) throw new ProviderError('stale', 'the provider says that it is not in sync')
      return {
        height: backend.blocks,
        blockHash: backend.bestBlockHash,
        balanceBaseUnits: balance,
        txCount: txs,
        txCountKind: 'total',
        isContract: null,
        tokens: [],
      }
    },
  }
}

/** Blockbook (https://github.com/trezor/blockbook/blob/master/docs/api.md), for chains of Bitcoin's family. */
import type { ChainTransaction, OwnedAmount } from '@cupel/domain'
import { z } from 'zod'
import { baseUnits, bareHash, count, height, listOf, readAnswer, unixSeconds } from '../answer-fields.js'
import { createChainCheck, landmarkOf } from '../chain-identity.js'
import type { ProviderHttp } from '../provider-http.js'
import type { AccountState, ChainProvider } from '../provider.js'
import { ProviderError } from '../provider-error.js'
import { canonicalOwner, refuseOtherAddress } from './same-address.js'

/** Transactions of one page. */
const PAGE_ROWS = 50

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
const side = z.object({
  addresses: z.array(z.string().max(256)).max(20).nullish(),
  isAddress: z.boolean().optional(),
  value: baseUnits.optional(),
})
const pageAnswer = z.object({
  address: z.string().max(256),
  transactions: listOf(
    z.object({
      txid: bareHash,
      vin: listOf(side),
      vout: listOf(side),
      blockHeight: z.int(),
      blockTime: unixSeconds.optional(),
    }),
  ).optional(),
})

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
    async recentTransactions(address, http) {
      const [answer] = await Promise.all([
        http.getJson(`/api/v2/address/${encodeURIComponent(address)}`, {
          details: 'txs',
          page: '1',
          pageSize: String(PAGE_ROWS),
        }),
        confirmChain(http),
      ])
      const { address: answered, transactions = [] } = readAnswer(pageAnswer, answer, 'address')
      refuseOtherAddress(chain, address, answered)
      // -1: not in a block yet.
      return transactions
        .filter(({ blockHeight }) => blockHeight > 0)
        .map(({ txid, vin, vout, blockHeight, blockTime }): ChainTransaction => ({
          txHash: txid,
          blockNumber: blockHeight,
          occurredAtS: blockTime ?? null,
          proven: true,
          movements: [],
          outputs: {
            spent: vin.flatMap((side) => owned(chain, side)),
            created: vout.flatMap((side) => owned(chain, side)),
          },
        }))
    },
  }
}

/** A coinbase has no input value; a script without an address has no owner. */
function owned(
  chain: string,
  { addresses, isAddress, value }: z.output<typeof side>,
): readonly OwnedAmount[] {
  if (value === undefined) return []
  const written = isAddress === false || addresses?.length !== 1 ? undefined : addresses[0]
  return [{ owner: canonicalOwner(chain, written), amountBaseUnits: value }]
}

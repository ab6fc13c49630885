/** TronGrid (https://developers.tron.network/reference), and any node with the same interface. It offers no counts. */
import { z } from 'zod'
import { baseUnits, bareHash, count, height, readAnswer } from '../answer-fields.js'
import { createChainCheck, landmarkOf, refuseStaleHead } from '../chain-identity.js'
import type { ProviderHttp } from '../provider-http.js'
import type { AccountState, ChainProvider, KnownToken, TokenAmount } from '../provider.js'
import { ProviderError } from '../provider-error.js'
import { refuseOtherAddress } from './same-address.js'

const MS_PER_S = 1_000

export interface TronGridOptions {
  readonly tokens: readonly KnownToken[]
  readonly now: () => number
}

const blockAnswer = z.object({
  blockID: bareHash,
  block_header: z.object({ raw_data: z.object({ number: height.optional(), timestamp: count.optional() }) }),
})
const text = z.string().max(256)
const accountAnswer = z.object({
  success: z.literal(true),
  data: z
    .array(
      z.object({
        address: text,
        balance: baseUnits.optional(),
        type: text.optional(),
        trc20: z.array(z.record(text, baseUnits)).max(2_000).optional(),
      }),
    )
    .max(1),
})

export function tronGridProvider({ tokens, now }: TronGridOptions): ChainProvider {
  const landmark = landmarkOf('TRX')
  const check = createChainCheck(landmark)
  const blockOf = async (http: ProviderHttp, query: object): Promise<z.output<typeof blockAnswer>> =>
    readAnswer(blockAnswer, await http.postJson('/wallet/getblock', { detail: false, ...query }), 'getblock')
  const confirmChain = (http: ProviderHttp): Promise<void> =>
    check.confirm(async () => (await blockOf(http, { id_or_num: String(landmark.height) })).blockID, now())

  return {
    chain: 'TRX',
    stateRequest: 'account and newest block',
    async accountState(address, http): Promise<AccountState> {
      const [account, block] = await Promise.all([
        http.getJson(`/v1/accounts/${encodeURIComponent(address)}`),
        blockOf(http, {}),
        confirmChain(http),
      ])
      const { number, timestamp } = block.block_header.raw_data
      if (number === undefined || timestamp === undefined)
        throw new ProviderError('malformed', 'getblock: number or timestamp')
      refuseStaleHead(timestamp / MS_PER_S, now())
      const known = readAnswer(accountAnswer, account, 'accounts').data[0]
      if (known !== undefined) refuseOtherAddress('TRX', address, known.address)
      return {
        height: number,
        blockHash: null,
        // An address that never received TRX has no account; an account without TRX has no such field.
        balanceBaseUnits: known?.balance ?? '0',
        txCount: null,
        txCountKind: null,
        // Only contracts have a type; an answer without one proves nothing.
        isContract: known?.type === 'Contract' ? true : null,
        tokens: tokenAmounts(tokens, known?.trc20 ?? []),
      }
    },
  }
}

function tokenAmounts(
  tokens: readonly KnownToken[],
  held: readonly Readonly<Record<string, string>>[],
): readonly TokenAmount[] {
  const amounts = new Map(held.flatMap((entry) => Object.entries(entry)))
  return tokens.flatMap(({ symbol, contract, decimals }) => {
    const amount = amounts.get(contract)
    return amount === undefined || amount === '0'
      ? []
      : [{ asset: symbol, amountBaseUnits: amount, decimals }]
  })
}

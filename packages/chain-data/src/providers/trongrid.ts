/** TronGrid (https://developers.tron.network/reference), and any node with the same interface. It offers no counts. */
import type { ChainTransaction } from '@cupel/domain'
import { parseAddress } from '@cupel/domain'
import { z } from 'zod'
import { baseUnits, bareHash, count, height, listOf, readAnswer } from '../answer-fields.js'
import { createChainCheck, landmarkOf, refuseStaleHead } from '../chain-identity.js'
import type { ProviderHttp } from '../provider-http.js'
import type { AccountState, ChainProvider, KnownToken, TokenAmount } from '../provider.js'
import { ProviderError } from '../provider-error.js'
import { refuseOtherAddress } from './same-address.js'

/** Rows of one page of transactions. */
const PAGE_ROWS = 200
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
const nativeAnswer = z.object({
  data: listOf(
    z.object({
      txID: bareHash,
      blockNumber: count,
      block_timestamp: count,
      ret: z.array(z.object({ contractRet: text.optional() })).max(10),
      raw_data: z.object({
        contract: z
          .array(z.object({ type: text, parameter: z.object({ value: z.record(z.string(), z.unknown()) }) }))
          .max(10),
      }),
    }),
  ),
})
const transferValue = z.object({ owner_address: text, to_address: text, amount: baseUnits })
const tokenAnswer = z.object({
  data: listOf(
    z.object({
      transaction_id: bareHash,
      token_info: z.object({ address: text }),
      block_timestamp: count,
      from: text,
      to: text,
      type: text,
      value: baseUnits,
    }),
  ),
})

export function tronGridProvider({ tokens, now }: TronGridOptions): ChainProvider {
  const landmark = landmarkOf('TRX')
  const check = createChainCheck(landmark)
  const blockOf = async (http: ProviderHttp, query: object): Promise<z.output<typeof blockAnswer>> =>
    readAnswer(blockAnswer, await http.postJson('/wallet/getblock', { detail: false, ...query }), 'getblock')
  const confirmChain = (http: ProviderHttp): Promise<void> =>
    check.confirm(async () => (await blockOf(http, { id_or_num: String(landmark.height) })).blockID, now())
  const pageOf = (http: ProviderHttp, path: string): Promise<unknown> =>
    http.getJson(path, { limit: String(PAGE_ROWS), only_confirmed: 'true' })

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
    async recentTransactions(address, http) {
      const path = `/v1/accounts/${encodeURIComponent(address)}/transactions`
      const [native, token] = await Promise.all([
        pageOf(http, path),
        pageOf(http, `${path}/trc20`),
        confirmChain(http),
      ])
      return [
        ...readAnswer(nativeAnswer, native, 'transactions').data.flatMap(nativeTransaction),
        ...readAnswer(tokenAnswer, token, 'trc20').data.flatMap(tokenTransaction),
      ]
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

type NativeRow = z.output<typeof nativeAnswer>['data'][number]

/** Transfers of TRX. Other contract types, such as stakes and votes, move TRX too but have no counterparty. */
function nativeTransaction({
  txID,
  blockNumber,
  block_timestamp,
  ret,
  raw_data,
}: NativeRow): readonly ChainTransaction[] {
  if (!ret.every(({ contractRet }) => contractRet === 'SUCCESS')) return []
  const movements = raw_data.contract.flatMap(({ type, parameter }, position) => {
    if (type !== 'TransferContract') return []
    const { owner_address, to_address, amount } = readAnswer(
      transferValue,
      parameter.value,
      'TransferContract',
    )
    const [from, to] = [canonical(owner_address), canonical(to_address)]
    return [{ kind: 'native' as const, contract: '', from, to, amountBaseUnits: amount, position }]
  })
  if (movements.length === 0) return []
  const occurredAtS = Math.floor(block_timestamp / MS_PER_S)
  return [{ txHash: txID, blockNumber, occurredAtS, proven: ret.length > 0, movements, outputs: null }]
}

/** Approvals are listed too but move nothing. */
function tokenTransaction(row: z.output<typeof tokenAnswer>['data'][number]): readonly ChainTransaction[] {
  if (row.type !== 'Transfer') return []
  const movement = {
    kind: 'token' as const,
    contract: canonical(row.token_info.address),
    from: canonical(row.from),
    to: canonical(row.to),
    amountBaseUnits: row.value,
    position: null,
  }
  const occurredAtS = Math.floor(row.block_timestamp / MS_PER_S)
  return [
    {
      txHash: row.transaction_id,
      blockNumber: null,
      occurredAtS,
      proven: true,
      movements: [movement],
      outputs: null,
    },
  ]
}

function canonical(address: string): string {
  const parsed = parseAddress(address, 'TRX')
  if (!parsed.ok) throw new ProviderError('malformed', 'an address of a transfer')
  return parsed.canonical
}

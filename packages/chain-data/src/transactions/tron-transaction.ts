/** Transactions of TRON from TronGrid: what the contract of a transaction moves, what its execution logged of tokens, and its calls. */
import { z } from 'zod'
import { bareHash, count, listOf, readAnswer } from '../answer-fields.js'
import { createChainCheck, landmarkOf, refuseStaleHead } from '../chain-identity.js'
import { confirmedHeight } from '../histories/confirmed-head.js'
import { tronBlockAt } from '../histories/trongrid-history.js'
import { readTransaction, sun, tronAddress, tronCallNotes } from '../histories/trongrid-rows.js'
import type { ProviderHttp } from '../provider-http.js'
import { ProviderError } from '../provider-error.js'
import { tronFailures } from '../tron-words.js'
import { movementsOf, movedBetween, type Moved } from './moved.js'
import type { TransactionSource } from './transaction-source.js'

/** keccak256("Transfer(address,address,uint256)"). */
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const MS_PER_S = 1_000

const nothing = z.strictObject({})
const transactionAnswer = z.looseObject({
  txID: bareHash,
  ret: z.array(z.object({ contractRet: z.enum(['SUCCESS', ...tronFailures]) })).length(1),
})
const hexBytes = z.string().regex(/^([0-9a-fA-F]{2})*$/)
const infoAnswer = z.object({
  id: bareHash,
  blockNumber: count,
  blockTimeStamp: count,
  /** Absent after a success. */
  result: z.literal('FAILED').optional(),
  withdraw_amount: sun.optional(),
  log: listOf(
    z.object({
      /** Without the byte of the chain. */
      address: z.string().regex(/^[0-9a-fA-F]{40}$/),
      topics: z.array(bareHash).max(4).optional(),
      data: hexBytes.optional(),
    }),
  ).default([]),
  internal_transactions: listOf(
    z.object({
      caller_address: tronAddress,
      transferTo_address: tronAddress,
      callValueInfo: z
        .array(z.object({ callValue: sun.optional(), tokenId: z.string().max(64).optional() }))
        .default([]),
      note: hexBytes.optional(),
      rejected: z.boolean().default(false),
    }),
  ).default([]),
})
type Info = z.output<typeof infoAnswer>

export interface TronTransactionOptions {
  readonly provider: string
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export function tronTransactions({ provider, now }: TronTransactionOptions): TransactionSource {
  const landmark = landmarkOf('TRX')
  const check = createChainCheck(landmark)

  async function read(
    txHash: string,
    http: ProviderHttp,
  ): Promise<readonly Moved[] | 'not_found' | 'unconfirmed' | 'failed'> {
    await check.confirm(async () => (await tronBlockAt(http, landmark.height)).hash, now())
    const newest = await tronBlockAt(http, null)
    refuseStaleHead(newest.atMs / MS_PER_S, now())
    const told = await http.postJson('/wallet/gettransactionbyid', { value: txHash })
    if (nothing.safeParse(told).success) return 'not_found'
    const transaction = readAnswer(transactionAnswer, told, 'gettransactionbyid')
    if (transaction.txID !== txHash) throw new ProviderError('malformed', 'another transaction')
    const outcome = await http.postJson('/wallet/gettransactioninfobyid', { value: txHash })
    if (nothing.safeParse(outcome).success) return 'unconfirmed'
    const info = readAnswer(infoAnswer, outcome, 'gettransactioninfobyid')
    if (info.id !== txHash) throw new ProviderError('malformed', 'the outcome of another transaction')
    if (info.blockNumber > confirmedHeight('TRX', newest.height)) return 'unconfirmed'
    if ((await tronBlockAt(http, info.blockNumber)).atMs !== info.blockTimeStamp) return 'unconfirmed'
    const hasFailed = transaction.ret[0]!.contractRet !== 'SUCCESS'
    if (hasFailed !== (info.result === 'FAILED'))
      throw new ProviderError('malformed', 'a transaction and its outcome say different things')
    return hasFailed ? 'failed' : movedBy(transaction, info)
  }

  return {
    provider,
    chain: 'TRX',
    async confirm(stated, http) {
      const told = await read(stated.txHash, http)
      if (typeof told === 'string') return told
      return movedBetween(told, stated) === stated.amount ? 'seen' : 'contradicted'
    },
    async tell(asked, http) {
      const told = await read(asked.txHash, http)
      return typeof told === 'string' ? { word: told } : { word: 'seen', movements: movementsOf(told, asked) }
    },
  }
}

function movedBy(transaction: object, info: Info): readonly Moved[] {
  const row = {
    ...transaction,
    ...{ blockNumber: info.blockNumber, block_timestamp: info.blockTimeStamp },
    ...(info.withdraw_amount === undefined ? {} : { withdraw_amount: info.withdraw_amount }),
  }
  const paid = readTransaction(row, '')
  if (paid === null) throw new ProviderError('malformed', 'a transaction whose meaning is not certain')
  const native = paid.lines.map((one): Moved => ({
    ...{ from: one.from_address, to: one.to_address, contract: '', amount: BigInt(one.amount_raw) },
  }))
  return [...native, ...callsOf(info), ...tokensOf(info)]
}

/** Other notes name what a contract does with its stake, which pays nobody. */
function callsOf({ internal_transactions: calls }: Info): readonly Moved[] {
  return calls.flatMap(({ caller_address: from, transferTo_address: to, callValueInfo, note, rejected }) => {
    if (rejected) return []
    const values = callValueInfo.filter(({ tokenId = '' }) => tokenId === '')
    const moved = values.map(({ callValue = '0' }) => BigInt(callValue)).filter((amount) => amount > 0n)
    if (moved.length > 0 && note !== undefined && !(tronCallNotes as readonly string[]).includes(note))
      throw new ProviderError('malformed', 'a call whose meaning is not certain')
    return moved.map((amount) => ({ from, to, contract: '', amount }))
  })
}

/** Transfers of tokens whose amount is in the data; others, such as those of single pieces, have another form. */
function tokensOf({ log: logs }: Info): readonly Moved[] {
  return logs.flatMap(({ address, topics = [], data = '' }) => {
    const [kind, from, to, ...more] = topics
    const isTransfer = kind === TRANSFER && from !== undefined && to !== undefined && more.length === 0
    if (!isTransfer || data.length !== 64) return []
    return [{ contract: ofHex(address), from: ofHex(from), to: ofHex(to), amount: BigInt(`0x${data}`) }]
  })
}

/** Canonical, of the last 20 bytes. */
const ofHex = (hex: string): string => tronAddress.parse(`41${hex.slice(-40)}`)

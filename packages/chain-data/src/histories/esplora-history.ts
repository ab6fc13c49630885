/**
 * Histories from Esplora (https://github.com/Blockstream/esplora/blob/master/API.md): confirmed transactions, newest first, 25 a page. The
 * next page begins after the last transaction of the one before. The number of all transactions shows whether any is missing.
 */
import { z } from 'zod'
import { baseUnits, bareHash, count, readAnswer, unixSeconds } from '../answer-fields.js'
import { createChainCheck, landmarkOf, refuseStaleHead } from '../chain-identity.js'
import type { ProviderHttp } from '../provider-http.js'
import type { ChainProvider } from '../provider.js'
import { ProviderError } from '../provider-error.js'
import { refuseOtherAddress } from '../providers/same-address.js'
import {
  addressText,
  parts,
  rowOfTransaction,
  scriptHex,
  unreadableTransaction,
  type TransactionPart,
} from './bitcoin-transaction.js'
import { confirmedHeight } from './confirmed-head.js'
import { createFindings } from './findings.js'
import type { HistoryEnd, HistoryPage, HistoryStart, CheckedHistorySource } from './history-source.js'
import type { TransactionSource } from '../transactions/transaction-source.js'
import { bitcoinTransactions, foundOrNull } from '../transactions/bitcoin-transaction-word.js'
import { newestFirst, type ToldRow } from './newest-first.js'

/** Rows of a page; a host may have another number. */
const PAGE_ROWS = 25
const MAX_PAGE_ROWS = 1_000
/** A page of such a length may have been cut by a limit of the host, which is a round number. */
const ROUND = 5
/** An address with more is a service, whose history is not read whole. */
const MAX_PAGES = 2_000

export interface EsploraHistoryOptions {
  readonly provider: string
  readonly chain: ChainProvider['chain']
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const blocks = z
  .array(z.object({ id: bareHash, height: count, timestamp: unixSeconds }))
  .min(1)
  .max(100)
const stats = z.object({ address: addressText, chain_stats: z.object({ tx_count: count }) })
const output = z.object({
  scriptpubkey: scriptHex,
  scriptpubkey_address: addressText.optional(),
  value: baseUnits,
})
const status = z.object({ confirmed: z.literal(true), block_height: count, block_time: unixSeconds })
const transaction = z.object({
  txid: bareHash,
  vin: parts(z.object({ is_coinbase: z.boolean(), prevout: output.nullable() })).min(1),
  vout: parts(output).min(1),
  fee: baseUnits,
  status,
})
const place = z.object({ txid: bareHash, status: z.object({ block_height: count }) })
const lastSeen = z.object({ txid: bareHash })

const waiting = z.object({ txid: bareHash, status: z.object({ confirmed: z.literal(false) }) })

/** Whole transactions by their hash, from the same host. */
export function esploraTransactions({ provider, chain, now }: EsploraHistoryOptions): TransactionSource {
  const landmark = landmarkOf(chain)
  const check = createChainCheck(landmark)
  return bitcoinTransactions({
    ...{ provider, chain },
    async told(txHash, http) {
      await check.confirm(
        async () =>
          readAnswer(
            bareHash,
            (await http.getText(`/block-height/${landmark.height}`)).trim(),
            'block-height',
          ),
        now(),
      )
      const { height, timestamp } = readAnswer(blocks, await http.getJson('/blocks'), 'blocks')[0]!
      refuseStaleHead(timestamp, now(), true)
      const answer = await foundOrNull(() => http.getJson(`/tx/${txHash}`))
      return answer === null ? null : { answer, newest: height }
    },
    isWaiting: (answer) => waiting.safeParse(answer).success,
    rowOf: (answer, address) => readRow(answer, chain, address),
  })
}

export function esploraHistory({ provider, chain, now }: EsploraHistoryOptions): CheckedHistorySource {
  const landmark = landmarkOf(chain)
  const check = createChainCheck(landmark)
  const hashAt = async (http: ProviderHttp, height: number): Promise<string> =>
    readAnswer(bareHash, (await http.getText(`/block-height/${height}`)).trim(), 'block-height')

  const start = async (http: ProviderHttp): Promise<HistoryStart & { readonly head: { hash: string } }> => {
    await check.confirm(() => hashAt(http, landmark.height), now())
    const newest = readAnswer(blocks, await http.getJson('/blocks'), 'blocks')[0]!
    refuseStaleHead(newest.timestamp, now(), true)
    const height = confirmedHeight(chain, newest.height)
    const {
      id: hash,
      height: told,
      timestamp: atS,
    } = readAnswer(blocks, await http.getJson(`/blocks/${height}`), 'blocks')[0]!
    if (told !== height) throw new ProviderError('malformed', 'blocks: another block')
    return { head: { height, hash, atS }, lacks: [] }
  }
  return {
    start,
    provider,
    chain,
    kinds: ['native'],
    format: 'bitcoin-etl',
    async *read(address, { fromHeight, http }): AsyncGenerator<HistoryPage, HistoryEnd, undefined> {
      const path = `/address/${encodeURIComponent(address)}`
      const countOf = async (): Promise<number> => {
        const told = readAnswer(stats, await http.getJson(path), 'address')
        refuseOtherAddress(chain, address, told.address)
        return told.chain_stats.tx_count
      }
      const { head } = await start(http)
      const { height } = head
      const from = (fromHeight ?? -1) + 1
      if (from > height + 1) throw new ProviderError('stale', 'the provider is behind the known history')
      const findings = createFindings(['native'])
      const before = fromHeight === null ? await countOf() : null
      const pagesExpected = before === null ? null : Math.ceil(before / PAGE_ROWS)
      const list = newestFirst({ from, to: height, lacks: findings.lacks })
      let after = ''
      let isPast = from > height || before === 0
      for (let pages = 1; !isPast; pages++) {
        const told = pages > MAX_PAGES ? null : await page(http, `${path}/txs/chain${after}`)
        if (told === null) {
          findings.lacks('truncated')
          break
        }
        if (told.length === 0) break
        const { lines, isPast: isRead } = list.take(told.map((row) => readRow(row, chain, address)))
        yield { lines, pages, pagesExpected }
        const last = readAnswer(lastSeen, told.at(-1), 'txs')
        after = `/${last.txid}`
        const isShort = told.length < PAGE_ROWS && told.length % ROUND !== 0
        isPast = isRead || (isShort && list.rows() >= (before ?? 0))
      }
      // A transaction that arrives meanwhile is newer than the first page.
      if (before !== null && (list.rows() < before || list.rows() > (await countOf())))
        findings.lacks('contradicting_pages')
      if ((await hashAt(http, height)) !== head.hash) findings.lacks('reorganised')
      return findings.end(head)
    },
  }
}

/** Null if the host refuses the page, as for an address of too many transactions, or if it is too large to be read. */
async function page(http: ProviderHttp, path: string): Promise<readonly unknown[] | null> {
  try {
    return readAnswer(z.array(z.unknown()).max(MAX_PAGE_ROWS), await http.getJson(path), 'txs')
  } catch (error) {
    if (error instanceof ProviderError && (error.code === 'refused' || error.code === 'too_large'))
      return null
    throw error
  }
}

function readRow(row: unknown, chain: ChainProvider['chain'], address: string): ToldRow {
  const read = transaction.safeParse(row)
  if (!read.success) return unreadable(row)
  const { txid: hash, vin, vout, fee, status: block } = read.data
  const isCoinbase = vin.some((one) => one.is_coinbase)
  const spent = vin.filter((one) => !one.is_coinbase)
  if ((isCoinbase && vin.length > 1) || spent.some(({ prevout }) => prevout === null)) return unreadable(row)
  return rowOfTransaction(chain, address, {
    hash,
    height: block.block_height,
    atS: block.block_time,
    isCoinbase,
    inputs: spent.map(({ prevout }) => partOf(prevout!)),
    outputs: vout.map(partOf),
    stated: { fee },
  })
}

function unreadable(row: unknown): ToldRow {
  const told = place.safeParse(row)
  return unreadableTransaction(
    told.success ? { hash: told.data.txid, height: told.data.status.block_height } : {},
  )
}

const partOf = ({
  scriptpubkey,
  scriptpubkey_address: address,
  value,
}: z.output<typeof output>): TransactionPart => ({
  addresses: address === undefined ? [] : [address],
  script: scriptpubkey,
  value,
})

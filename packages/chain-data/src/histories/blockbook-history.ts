/**
 * Histories from Blockbook (https://github.com/trezor/blockbook/blob/master/docs/api.md): transactions between two heights, newest first.
 * With heights it does not tell how many pages there are, and a page beyond the last one is the last one again.
 */
import { parseAddress, type ChainCode } from '@cupel/domain'
import { z } from 'zod'
import { baseUnits, bareHash, count, readAnswer, unixSeconds } from '../answer-fields.js'
import { createChainCheck, landmarkOf, refuseStaleHead } from '../chain-identity.js'
import type { ProviderHttp } from '../provider-http.js'
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
import { smallerPage } from './smaller-page.js'

/** A power of two, so that a smaller page begins where a page does. */
const PAGE_ROWS = 128
const MAX_PAGE_ROWS = 1_000
/** An address with more is a service, whose history is not read whole. */
const MAX_PAGES = 2_000
/** The time between two blocks, at most, of the chains that are served. */
const SECONDS_PER_BLOCK = 600

export interface BlockbookHistoryOptions {
  readonly provider: string
  readonly chain: ChainCode
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const statusAnswer = z.object({
  blockbook: z.object({ inSync: z.boolean(), lastBlockTime: z.iso.datetime({ offset: true }) }),
  backend: z.object({ blocks: count }),
})
const blockIndex = z.object({ blockHash: bareHash })
const addressAnswer = z.object({
  address: addressText,
  page: count,
  itemsOnPage: count,
  /** All confirmed transactions of the address, of other heights too. */
  txs: count,
  transactions: z.array(z.unknown()).max(MAX_PAGE_ROWS).default([]),
})
const part = z.object({
  addresses: z.array(addressText).max(100).nullish(),
  isAddress: z.boolean(),
  hex: scriptHex.optional(),
})
const transaction = z.object({
  txid: bareHash,
  vin: parts(part.extend({ txid: bareHash.optional(), value: baseUnits.optional() })).default([]),
  vout: parts(part.extend({ value: baseUnits })).default([]),
  blockHeight: count.refine((height) => height > 0),
  blockTime: unixSeconds,
  value: baseUnits.optional(),
  valueIn: baseUnits.optional(),
})
const place = z.object({ txid: bareHash, blockHeight: count })

const waiting = z.object({ txid: bareHash, confirmations: z.literal(0) })

/** Whole transactions by their hash, from the same host. */
export function blockbookTransactions({ provider, chain, now }: BlockbookHistoryOptions): TransactionSource {
  const landmark = landmarkOf(chain)
  const check = createChainCheck(landmark)
  return bitcoinTransactions({
    ...{ provider, chain },
    async told(txHash, http) {
      await check.confirm(async () => {
        const answer = await http.getJson(`/api/v2/block-index/${landmark.height}`)
        return readAnswer(blockIndex, answer, 'block-index').blockHash
      }, now())
      const { blockbook, backend } = readAnswer(statusAnswer, await http.getJson('/api/v2'), 'status')
      if (!blockbook.inSync) throw new ProviderError('stale', 'the provider says that it is not in sync')
      refuseStaleHead(Math.floor(Date.parse(blockbook.lastBlockTime) / 1_000), now(), true)
      const answer = await foundOrNull(() => http.getJson(`/api/v2/tx/${txHash}`))
      return answer === null ? null : { answer, newest: backend.blocks }
    },
    isWaiting: (answer) => waiting.safeParse(answer).success,
    rowOf: (answer, address) => readRow(answer, chain, address),
  })
}

export function blockbookHistory({ provider, chain, now }: BlockbookHistoryOptions): CheckedHistorySource {
  const landmark = landmarkOf(chain)
  const check = createChainCheck(landmark)
  const hashAt = async (http: ProviderHttp, height: number): Promise<string> =>
    readAnswer(blockIndex, await http.getJson(`/api/v2/block-index/${height}`), 'block-index').blockHash

  const start = async (http: ProviderHttp): Promise<HistoryStart> => {
    await check.confirm(() => hashAt(http, landmark.height), now())
    const { blockbook, backend } = readAnswer(statusAnswer, await http.getJson('/api/v2'), 'status')
    if (!blockbook.inSync) throw new ProviderError('stale', 'the provider says that it is not in sync')
    const newestAtS = Math.floor(Date.parse(blockbook.lastBlockTime) / 1_000)
    refuseStaleHead(newestAtS, now(), true)
    const height = confirmedHeight(chain, backend.blocks)
    // Blockbook tells only when it took its newest block.
    const atS = newestAtS - (backend.blocks - height) * SECONDS_PER_BLOCK
    return { head: { height, hash: await hashAt(http, height), atS }, lacks: [] }
  }
  return {
    start,
    provider,
    chain,
    kinds: ['native'],
    format: 'bitcoin-etl',
    async *read(address, { fromHeight, http }): AsyncGenerator<HistoryPage, HistoryEnd, undefined> {
      const ask = async (
        query: Readonly<Record<string, string>>,
      ): Promise<z.output<typeof addressAnswer>> => {
        const path = `/api/v2/address/${encodeURIComponent(address)}`
        const told = readAnswer(addressAnswer, await http.getJson(path, query), 'address')
        refuseOtherAddress(chain, address, told.address)
        return told
      }
      const { head } = await start(http)
      const { height } = head
      const from = (fromHeight ?? -1) + 1
      if (from > height + 1) throw new ProviderError('stale', 'the provider is behind the known history')
      const findings = createFindings(['native'])
      const list = newestFirst({ from, to: height, lacks: findings.lacks })
      let told: z.output<typeof addressAnswer> | null = null
      for (let pages = 1, size = PAGE_ROWS, isPast = from > height; !isPast; pages++) {
        const next = pages > MAX_PAGES ? null : await page(ask, { from, to: height, size, rows: list.rows() })
        if (next === null) {
          findings.lacks('truncated')
          break
        }
        // Confirmed transactions only become more.
        if (next.told.txs < (told?.txs ?? 0)) findings.lacks('contradicting_pages')
        told = next.told
        size = next.size
        // Beyond the last page, the last one comes again.
        if (told.page !== next.page || told.transactions.length === 0) break
        const taken = list.take(told.transactions.map((row) => readRow(row, chain, address)))
        yield {
          lines: taken.lines,
          pages,
          pagesExpected: fromHeight === null ? Math.ceil(told.txs / size) : null,
        }
        isPast = taken.isPast || told.transactions.length < size
      }
      const isComplete = fromHeight !== null || told === null || told.txs === list.rows()
      if (!isComplete && !(await areNewer(ask, { height, rows: list.rows() })))
        findings.lacks('contradicting_pages')
      if ((await hashAt(http, height)) !== head.hash) findings.lacks('reorganised')
      return findings.end(head)
    },
  }
}

type Ask = (query: Readonly<Record<string, string>>) => Promise<z.output<typeof addressAnswer>>

/** Whether all transactions that are not among the rows are above the height. */
async function areNewer(
  ask: Ask,
  { height, rows }: { readonly height: number; readonly rows: number },
): Promise<boolean> {
  const query = { details: 'txs', pageSize: String(MAX_PAGE_ROWS), ...heights(height + 1, 0) }
  const { txs, transactions } = await ask(query)
  const newer = transactions.filter((row) => (place.safeParse(row).data?.blockHeight ?? 0) > height)
  return txs === rows + newer.length
}

/** 0 stands for no limit. */
const heights = (from: number, to: number): Readonly<Record<string, string>> => ({
  from: String(from),
  to: String(to),
})

interface AskedPage {
  readonly from: number
  readonly to: number
  readonly size: number
  /** Rows of the pages before. */
  readonly rows: number
}

/** The page after these rows, smaller if it is too large; null if one transaction is. */
async function page(
  ask: Ask,
  { from, to, size: asked, rows }: AskedPage,
): Promise<{
  readonly told: z.output<typeof addressAnswer>
  readonly page: number
  readonly size: number
} | null> {
  for (let size = asked; size >= 1; size = smallerPage(size)) {
    const number = Math.floor(rows / size) + 1
    try {
      const told = await ask({
        details: 'txs',
        page: String(number),
        pageSize: String(size),
        ...heights(from, to),
      })
      if (told.itemsOnPage !== size) {
        // A host with a smaller limit has other pages than those that were asked for.
        if (rows > 0 || told.itemsOnPage < 1 || told.itemsOnPage > size)
          throw new ProviderError('malformed', 'address: itemsOnPage')
        return { told, page: number, size: told.itemsOnPage }
      }
      return { told, page: number, size }
    } catch (error) {
      if (!(error instanceof ProviderError) || error.code !== 'too_large') throw error
    }
  }
  return null
}

function readRow(row: unknown, chain: ChainCode, address: string): ToldRow {
  const read = transaction.safeParse(row)
  if (!read.success) return unreadable(row)
  const { txid: hash, vin, vout, blockHeight: height, blockTime: atS, value, valueIn } = read.data
  const isCoinbase = vin.length === 1 && spendsNothing(vin[0]!)
  if (!isCoinbase && vin.some((one) => one.txid === undefined)) return unreadable(row)
  const inputs = isCoinbase ? [] : vin.map((one) => partOf(one, chain))
  const outputs = vout.map((one) => partOf(one, chain))
  if ([...inputs, ...outputs].includes(null)) return unreadable(row)
  return rowOfTransaction(chain, address, {
    ...{ hash, height, atS, isCoinbase },
    inputs: inputs as readonly TransactionPart[],
    outputs: outputs as readonly TransactionPart[],
    stated: {
      ...(valueIn === undefined ? {} : { inputs: valueIn }),
      ...(value === undefined ? {} : { outputs: value }),
    },
  })
}

/** The input of a coinbase names no transaction, no address and no value. */
const spendsNothing = ({ txid, isAddress, value }: z.output<typeof transaction>['vin'][number]): boolean =>
  txid === undefined && !isAddress && (value ?? '0') === '0'

function unreadable(row: unknown): ToldRow {
  const told = place.safeParse(row)
  return unreadableTransaction(told.success ? { hash: told.data.txid, height: told.data.blockHeight } : {})
}

/**
 * Null without a value or with another number of addresses than one. What is not an address may be described where the addresses stand, for
 * example as OP_RETURN with its text, or be the keys of bare multisignature.
 */
function partOf(
  { addresses, isAddress, hex, value }: z.output<typeof part> & { readonly value?: string | undefined },
  chain: ChainCode,
): TransactionPart | null {
  const named = addresses ?? []
  if (value === undefined || (isAddress && named.length !== 1)) return null
  const isKnown = isAddress || named.every((text) => parseAddress(text, chain).ok)
  return { addresses: isKnown ? named : [], script: hex ?? null, value }
}

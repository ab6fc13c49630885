/**
 * Histories from APIs like that of Etherscan (https://docs.etherscan.io): `txlist`, `txlistinternal` and `tokentx`. Page and rows per page
 * together reach 10,000 rows, and hosts cap the rows of a page. So the next page begins at the last block of the one before, which is read
 * again whole: nothing is lost or doubled at the edge, and rows that vanish or change are seen.
 */
import type { HistoryKind } from '@cupel/domain'
import { z } from 'zod'
import { readAnswer } from '../answer-fields.js'
import { createChainCheck, landmarkOf, refuseStaleHead } from '../chain-identity.js'
import type { ProviderHttp } from '../provider-http.js'
import type { ChainProvider } from '../provider.js'
import { ProviderError } from '../provider-error.js'
import { listAnswer, refusal } from '../providers/etherscan.js'
import { confirmedHeight } from './confirmed-head.js'
import { readEtherscanRow, type EtherscanRow } from './etherscan-rows.js'
import { evmBlocks, type EvmBlock } from './evm-blocks.js'
import { createFindings } from './findings.js'
import { smallerPage } from './smaller-page.js'
import type {
  HistoryEnd,
  HistoryGap,
  HistoryPage,
  HistoryStart,
  CheckedHistorySource,
} from './history-source.js'

/** The largest page of a free key; others have more. */
const PAGE_ROWS = 1_000
/** The largest page of any host. */
const MAX_PAGE_ROWS = 10_000
/** Pages of one kind; an address with more is a service, whose history is not read whole. */
const MAX_PAGES = 500
/** A page of such a length may have been cut by a limit of the host, which is a round number. */
const ROUND = 10

export interface EtherscanHistoryOptions {
  readonly provider: string
  readonly chain: ChainProvider['chain']
  /** Sent as `chainid` if one host serves many chains; null if the host serves one. */
  readonly chainId: number | null
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly pageRows?: number
}

const lists: readonly { readonly kind: HistoryKind; readonly action: string; readonly gap: HistoryGap }[] = [
  { kind: 'native', action: 'txlist', gap: 'truncated' },
  { kind: 'internal', action: 'txlistinternal', gap: 'no_traces' },
  { kind: 'token', action: 'tokentx', gap: 'no_tokens' },
]
const kinds = lists.map(({ kind }) => kind)

export function etherscanHistory(options: EtherscanHistoryOptions): CheckedHistorySource {
  const { provider, chain, now, pageRows = PAGE_ROWS } = options
  const everywhere: Readonly<Record<string, string>> =
    options.chainId === null ? {} : { chainid: String(options.chainId) }
  const blocks = evmBlocks(everywhere)
  const landmark = landmarkOf(chain)
  const check = createChainCheck(landmark)

  const start = async (http: ProviderHttp): Promise<HistoryStart & { readonly head: EvmBlock }> => {
    await check.confirm(async () => (await blocks.at(http, landmark.height)).hash, now())
    const newest = await blocks.newest(http)
    refuseStaleHead(newest.atS, now())
    const head = await blocks.at(http, confirmedHeight(chain, newest.height))
    return { head, lacks: (await blocks.hasAllCalls(http)) ? [] : [{ gap: 'no_traces', kind: 'internal' }] }
  }
  return {
    start,
    provider,
    chain,
    kinds,
    format: 'csv',
    async *read(address, { fromHeight, http }): AsyncGenerator<HistoryPage, HistoryEnd, undefined> {
      const { head, lacks } = await start(http)
      const from = (fromHeight ?? -1) + 1
      if (from > head.height + 1) throw new ProviderError('stale', 'the provider is behind the known history')
      const findings = createFindings(kinds, lacks)
      const failed = new Set<string>()
      let pages = 0
      if (from <= head.height)
        for (const { kind, action, gap } of lists) {
          const rows = pagesOf({
            from,
            to: head.height,
            pageRows,
            ask: (query) => askList(http, { ...everywhere, module: 'account', action, address, ...query }),
            read: (row) => readEtherscanRow(row, { chain, kind, address, failed }),
            lacks: (found) => findings.lacks(found, kind),
          })
          try {
            for await (const lines of rows) yield { lines, pages: ++pages, pagesExpected: null }
          } catch (error) {
            // A host may not have the list at all; its other lists are still worth having.
            if (kind === 'native' || !(error instanceof ProviderError) || error.code !== 'refused')
              throw error
            findings.lacks(gap, kind)
          }
        }
      if ((await blocks.at(http, head.height)).hash !== head.hash) findings.lacks('reorganised')
      return findings.end(head)
    },
  }
}

/** What Etherscan and Blockscout say of a list without rows. Any other message of status 0 is a refusal: a wrong key has no rows either. */
const EMPTY = /^no (?:internal |token )?(?:transactions|transfers|records) found$/i

/** The rows of a list. Without rows the status is that of an error, and the message says so. */
async function askList(
  http: ProviderHttp,
  query: Readonly<Record<string, string>>,
): Promise<readonly unknown[]> {
  const answer = readAnswer(listAnswer, await http.getJson('', query), 'list')
  const { status, message, result } = answer
  if (status === '0' && !(Array.isArray(result) && result.length === 0 && EMPTY.test(message)))
    throw refusal(result ?? message)
  return readAnswer(z.array(z.unknown()).max(MAX_PAGE_ROWS), result, 'list')
}

interface List {
  /** The first and the last height. */
  readonly from: number
  readonly to: number
  readonly pageRows: number
  ask(query: Readonly<Record<string, string>>): Promise<readonly unknown[]>
  read(row: unknown): EtherscanRow
  lacks(gap: HistoryGap): void
}

/** The lines of each page that no page before has. */
async function* pagesOf(list: List): AsyncGenerator<EtherscanRow['lines'], void, undefined> {
  let start = list.from
  let size = list.pageRows
  /** The rows of the block `start` that are known, each with its number. */
  let known = new Map<string, number>()
  for (let pages = 0; start <= list.to;) {
    if (++pages > MAX_PAGES) return list.lacks('truncated')
    const told = await askWithin(list, start, size)
    if (told === null) return list.lacks('truncated')
    size = told.size
    const rows = told.rows.map((row) => list.read(row))
    if (rows.some(({ isReadable }) => !isReadable)) list.lacks('unreadable_rows')
    const placed = rows.filter(({ height }) => height !== null)
    if (placed.length === 0 && rows.length > 0) throw new ProviderError('malformed', 'rows without a block')
    const heights = placed.map(({ height }) => height!)
    const last = heights.at(-1) ?? start
    const isOrdered = heights.every((height, index) => height >= (heights[index - 1] ?? start))
    // A row above the last height is of no block that was asked for: some hosts do not know the limit.
    const within = rows.filter(({ height }) => height === null || height <= list.to)
    const { fresh, vanished } = withoutKnown(within, known)
    const isShort = rows.length < size && rows.length % ROUND !== 0
    if (!isOrdered || (vanished && (isShort || last > start || rows.length === 0))) {
      list.lacks('contradicting_pages')
      if (!isOrdered) return
    }
    yield fresh.flatMap(({ lines }) => lines)
    if (isShort || rows.length === 0 || last > list.to) return
    if (last > start) {
      start = last
      known = counted(within.filter(({ height }) => height === last))
      continue
    }
    // The page has only rows of one block. Whether there are more shows the second page of this length.
    if ((await list.ask(query(start, list.to, 2, rows.length))).length === 0) return
    list.lacks('truncated')
    start += 1
    known = new Map()
  }
}

/** A page of fewer rows if the answer is too large; null if one row is. */
async function askWithin(
  list: List,
  start: number,
  pageRows: number,
): Promise<{ readonly rows: readonly unknown[]; readonly size: number } | null> {
  for (let size = pageRows; size >= 1; size = smallerPage(size))
    try {
      return { rows: await list.ask(query(start, list.to, 1, size)), size }
    } catch (error) {
      if (!(error instanceof ProviderError) || error.code !== 'too_large') throw error
    }
  return null
}

const query = (start: number, end: number, page: number, rows: number): Readonly<Record<string, string>> => ({
  startblock: String(start),
  endblock: String(end),
  page: String(page),
  offset: String(rows),
  sort: 'asc',
})

function counted(rows: readonly EtherscanRow[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { content } of rows) counts.set(content, (counts.get(content) ?? 0) + 1)
  return counts
}

/** Equal rows are different ones as often as one page has them. */
function withoutKnown(
  rows: readonly EtherscanRow[],
  known: ReadonlyMap<string, number>,
): { readonly fresh: readonly EtherscanRow[]; readonly vanished: boolean } {
  const left = new Map(known)
  const fresh = rows.filter(({ content }) => {
    const times = left.get(content) ?? 0
    if (times > 0) left.set(content, times - 1)
    return times === 0
  })
  return { fresh, vanished: [...left.values()].some((times) => times > 0) }
}

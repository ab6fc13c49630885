/**
 * Histories from TronGrid (https://developers.tron.network/reference/trongrid-v1-api-overview): the transactions of an account with its
 * internal ones, and its TRC-20 transfers. Every block has its own time, so that times divide the heights. A page names the next one by a
 * fingerprint.
 */
import type { HistoryKind } from '@cupel/domain'
import { z } from 'zod'
import { bareHash, count, readAnswer } from '../answer-fields.js'
import { createChainCheck, landmarkOf, refuseStaleHead } from '../chain-identity.js'
import type { ProviderHttp } from '../provider-http.js'
import { ProviderError } from '../provider-error.js'
import { confirmedHeight } from './confirmed-head.js'
import { createFindings, type Findings } from './findings.js'
import type { HistoryEnd, HistoryPage, HistoryStart, CheckedHistorySource } from './history-source.js'
import { smallerPage } from './smaller-page.js'
import { tronHeights, type TronHeights } from './tron-heights.js'
import { readTronRow, type TronRow } from './trongrid-rows.js'

/** The most that TronGrid gives. */
const PAGE_ROWS = 200
const MAX_PAGE_ROWS = 1_000
/** Pages of one list; an address with more is a service, whose history is not read whole. */
const MAX_PAGES = 1_000
const MS_PER_S = 1_000

export interface TronGridHistoryOptions {
  readonly provider: string
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const block = z.object({
  blockID: bareHash,
  block_header: z.object({ raw_data: z.object({ number: count.default(0), timestamp: count.default(0) }) }),
})
const listAnswer = z.object({
  success: z.literal(true),
  data: z.array(z.unknown()).max(MAX_PAGE_ROWS),
  meta: z.object({ fingerprint: z.string().min(1).max(4_096).optional() }),
})
const kinds: readonly HistoryKind[] = ['native', 'internal', 'token']
const lists = [
  { path: 'transactions', kinds: ['native', 'internal'] },
  { path: 'transactions/trc20', kinds: ['token'] },
] as const

export function tronGridHistory({ provider, now }: TronGridHistoryOptions): CheckedHistorySource {
  const landmark = landmarkOf('TRX')
  const check = createChainCheck(landmark)

  const start = async (http: ProviderHttp): Promise<TronBlock> => {
    await check.confirm(async () => (await tronBlockAt(http, landmark.height)).hash, now())
    const newest = await tronBlockAt(http, null)
    refuseStaleHead(newest.atMs / MS_PER_S, now())
    return tronBlockAt(http, confirmedHeight('TRX', newest.height))
  }
  return {
    start: async (http): Promise<HistoryStart> => ({ head: headOf(await start(http)), lacks: [] }),
    provider,
    chain: 'TRX',
    kinds,
    format: 'csv',
    async *read(address, { fromHeight, http }): AsyncGenerator<HistoryPage, HistoryEnd, undefined> {
      const head = await start(http)
      if (fromHeight !== null && fromHeight > head.height)
        throw new ProviderError('stale', 'the provider is behind the known history')
      const fromMs = fromHeight === null ? 0 : (await tronBlockAt(http, fromHeight)).atMs + 1
      const findings = createFindings(kinds)
      const heights = tronHeights()
      heights.add(head.height, head.atMs)
      let pages = 0
      if (fromMs <= head.atMs)
        for (const list of lists) {
          const asked = { http, address, path: list.path, fromMs, toMs: head.atMs }
          for await (const lines of pagesOf(asked, list.kinds, { findings, heights }))
            yield { lines, pages: ++pages, pagesExpected: null }
        }
      if ((await tronBlockAt(http, head.height)).hash !== head.hash) findings.lacks('reorganised')
      return findings.end(headOf(head))
    },
  }
}

interface TronBlock {
  readonly height: number
  readonly hash: string
  readonly atMs: number
}

const headOf = ({ height, hash, atMs }: TronBlock): HistoryEnd['head'] => ({
  ...{ height, hash, atS: Math.floor(atMs / MS_PER_S) },
})

/** The newest block if `height` is null. */
export async function tronBlockAt(http: ProviderHttp, height: number | null): Promise<TronBlock> {
  const query = height === null ? {} : { id_or_num: String(height) }
  const answer = await http.postJson('/wallet/getblock', { detail: false, ...query })
  const { blockID, block_header: header } = readAnswer(block, answer, 'getblock')
  const { number, timestamp } = header.raw_data
  // Only the first block states neither its number nor its time.
  if (number !== height && (height !== null || number === 0 || timestamp === 0))
    throw new ProviderError('malformed', 'getblock: another block')
  return { height: number, hash: blockID, atMs: timestamp }
}

interface AskedList {
  readonly http: ProviderHttp
  readonly address: string
  readonly path: string
  /** The first and the last time, milliseconds since 1970. */
  readonly fromMs: number
  readonly toMs: number
}

async function* pagesOf(
  { http, address, path, fromMs, toMs }: AskedList,
  ofList: readonly HistoryKind[],
  { findings, heights }: { readonly findings: Findings; readonly heights: TronHeights },
): AsyncGenerator<TronRow['lines'], void, undefined> {
  const lacks = (gap: 'truncated' | 'contradicting_pages'): void => {
    for (const kind of ofList) findings.lacks(gap, kind)
  }
  const seen = new Set<string>()
  const told = new Set<string>()
  const expected = new Set<string>()
  let fingerprint: string | undefined
  for (let page = 1; ; page++) {
    if (page > MAX_PAGES) return lacks('truncated')
    const answer = await askPage({ http, address, path, fromMs, toMs }, fingerprint)
    if (answer === null) return lacks('truncated')
    const rows = answer.data.map((row) => readTronRow(row, path, address))
    const lines: TronRow['lines'][] = []
    let isNew = rows.length === 0
    for (const row of rows) {
      // TronGrid may repeat a row at the edge of two pages. Only transfers of tokens have no name of their own.
      if (row.id !== null && seen.has(row.id)) continue
      isNew = true
      if (row.id !== null) seen.add(row.id)
      if (row.atMs !== null && (row.atMs < fromMs || row.atMs > toMs)) continue
      if (!row.isReadable) for (const kind of row.kinds) findings.lacks('unreadable_rows', kind)
      if (row.height !== null && row.atMs !== null) heights.add(row.height, row.atMs)
      for (const hash of row.internalOf) told.add(hash)
      for (const hash of row.expectsInternalOf) expected.add(hash)
      lines.push(row.lines)
    }
    yield await withHeights(lines.flat(), { http, heights }, (kind) =>
      findings.lacks('unreadable_rows', kind),
    )
    if (!isNew || (answer.meta.fingerprint !== undefined && answer.meta.fingerprint === fingerprint))
      return lacks('contradicting_pages')
    fingerprint = answer.meta.fingerprint
    if (fingerprint === undefined || rows.length === 0) break
  }
  // A transaction shows calls of the address that the list has not.
  if ([...expected].some((hash) => !told.has(hash))) findings.lacks('no_traces', 'internal')
}

/** Every line with its block. A line whose block nobody tells is in no known range. */
async function withHeights(
  lines: TronRow['lines'],
  { http, heights }: { readonly http: ProviderHttp; readonly heights: TronHeights },
  lacks: (kind: HistoryKind) => void,
): Promise<TronRow['lines']> {
  const placed: TronRow['lines'][number][] = []
  for (const line of lines) {
    const atMs = Number(line.block_time) * MS_PER_S
    const height =
      line.block_number === '' ? await heights.of(http, line.tx_hash, atMs) : Number(line.block_number)
    if (height === null) lacks(line.kind === 'issuance' ? 'native' : line.kind)
    else placed.push({ ...line, block_number: String(height) })
  }
  return placed
}

/** Null if the page is too large to be read even with one row. */
async function askPage(
  { http, address, path, fromMs, toMs }: AskedList,
  fingerprint: string | undefined,
): Promise<z.output<typeof listAnswer> | null> {
  for (let limit = PAGE_ROWS; limit >= 1; limit = smallerPage(limit))
    try {
      const query = {
        only_confirmed: 'true',
        limit: String(limit),
        order_by: 'block_timestamp,desc',
        min_timestamp: String(fromMs),
        max_timestamp: String(toMs),
        ...(path === 'transactions' ? { search_internal: 'true' } : {}),
        ...(fingerprint === undefined ? {} : { fingerprint }),
      }
      const answer = await http.getJson(`/v1/accounts/${encodeURIComponent(address)}/${path}`, query)
      return readAnswer(listAnswer, answer, path)
    } catch (error) {
      if (!(error instanceof ProviderError) || error.code !== 'too_large') throw error
    }
  return null
}

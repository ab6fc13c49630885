/** GET /audit/calls.csv and calls.ndjson: the calls of a range of days as a file, page after page as the API has them. */
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { csvCell } from '@cupel/reports/document'
import {
  type ListPage,
  ApiProblem,
  page,
  raw,
  type Page,
  type PageAnswer,
  type PageCall,
} from '@cupel/console'
import { filterOf } from './audit-filters.js'
import { auditQuery, faultOf, type AuditEntry } from './show-audit.js'

/** Calls of one file. */
export const MAX_CALLS = 100_000
const PAGE_SIZE = 200

/** Seconds that one page may ask the file to wait, and how often. */
const MAX_WAIT_SECONDS = 30
const MAX_WAITS = 10

const columns = [
  ...(['at', 'request_id', 'key_id', 'scope', 'actor', 'client_address', 'method', 'route'] as const),
  ...(['status', 'code', 'latency_ms'] as const),
]

interface Format {
  readonly type: string
  readonly extension: string
  readonly head: string
  readonly line: (entry: AuditEntry) => string
  /** The last line of a file that has not all calls of its range. */
  readonly more: (at: string) => string
}

const csv: Format = {
  type: 'text/csv; charset=utf-8; header=present',
  extension: 'csv',
  head: `${[...columns, 'subject_ids'].join(',')}\r\n`,
  line: (entry) =>
    `${[...columns.map((name) => csvCell(entry[name] ?? '')), csvCell(entry.subject_ids.join(' '))].join(',')}\r\n`,
  more: (at) => `${csvCell(`The file ends here: calls before ${at} are missing.`)}\r\n`,
}

const ndjson: Format = {
  type: 'application/x-ndjson; charset=utf-8',
  extension: 'ndjson',
  head: '',
  line: (entry) => `${JSON.stringify(entry)}\n`,
  more: (at) => `${JSON.stringify({ is_cut: true, missing_before: at })}\n`,
}

export const exportCsv: Page = {
  method: 'GET',
  path: '/audit/calls.csv',
  access: 'session',
  handle: (call) => exported(call, csv),
}

export const exportLines: Page = {
  method: 'GET',
  path: '/audit/calls.ndjson',
  access: 'session',
  handle: (call) => exported(call, ndjson),
}

type Calls = ListPage<AuditEntry>

/** The first page is read before the answer begins, so that a wrong filter is a page and no file. */
async function exported({ api, query, signal }: PageCall, format: Format): Promise<PageAnswer> {
  const filter = filterOf(query)
  const read = (token: string | null): Promise<Calls> =>
    api.get<Calls>('/v1/audit-log', { ...auditQuery(filter), page_size: PAGE_SIZE, page_token: token })
  let first: Calls
  try {
    first = await read(null)
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== 400) throw error
    return page('Audit log', faultOf(error), { section: '/audit', status: 400 })
  }
  const lines = pagesAsLines({
    ...{ first, read, signal, maxItems: MAX_CALLS, head: format.head, line: format.line },
    more: (last) => format.more(last?.at ?? filter.to),
  })
  const name = ['cupel-calls', filter.from, filter.to]
    .filter((part) => /^[\d-]+$|^cupel/.test(part))
    .join('-')
  return raw(Readable.from(lines), {
    'content-type': format.type,
    'content-disposition': `attachment; filename="${name}.${format.extension}"`,
  })
}

interface PagedFile<Item> {
  readonly first: ListPage<Item>
  readonly read: (token: string | null) => Promise<ListPage<Item>>
  readonly signal: AbortSignal
  readonly maxItems: number
  readonly head: string
  readonly line: (item: Item) => string
  /** The last line of a file that has not all items. */
  readonly more: (last: Item | undefined) => string
}

/** A list of the API as the lines of a file, page after page. */
export async function* pagesAsLines<Item>({
  first,
  read,
  signal,
  maxItems,
  head,
  line,
  more,
}: PagedFile<Item>): AsyncGenerator<string> {
  yield head
  let count = 0
  for (let found = first; ; found = await patiently(() => read(found.next_page_token), signal)) {
    // A page that fails breaks the download: a whole file has its last line.
    if (signal.aborted) return
    count += found.items.length
    yield found.items.map(line).join('')
    if (found.next_page_token === null) return
    if (count >= maxItems) {
      yield more(found.items.at(-1))
      return
    }
  }
}

/** A long file reaches the rate limit of its key, and goes on when the API says so. */
async function patiently<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await read()
    } catch (error) {
      const seconds = error instanceof ApiProblem && error.status === 429 ? error.retryAfterSeconds : null
      if (seconds === null || seconds > MAX_WAIT_SECONDS || waits >= MAX_WAITS) throw error
      await sleep(seconds * 1_000, undefined, { signal })
    }
  }
}

/**
 * Reads a job to answer a call, and makes the bytes of the answer. The thread of large reads runs this, and so does the process itself
 * for small reads.
 */
import type { EventLog } from '@cupel/event-log'
import { maySeal, type PersonalData } from '@cupel/personal-data'
import type { Database } from '@cupel/postgres'
import {
  findJob,
  findOverview,
  findResults,
  readEndedResults,
  readItemReports,
  type JobItem,
  type JobOverview,
  type NotFound,
  type Turn,
} from '../../read-model/index.js'
import type { Tenant } from '@cupel/projections'
import type { ReadDocuments } from '@cupel/reports/read-model'
import { aroundResults, jobDocument, resultDocuments, resultLines } from './job-documents.js'
import { withOpenedName } from './opened-name.js'
import { pageOf, selectResults, type ResultSelection } from './result-order.js'
import { endedStretches, isLarge, slicedResults, type SlicedResults } from './result-slices.js'
import { resultRows, TABLE_HEAD } from './result-table.js'
import { createResultSheet } from './result-workbook.js'

export interface ResultQuery extends ResultSelection {
  readonly page_size: number
  readonly include?: 'pending' | undefined
}

export const WORKBOOK_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

interface FileForm extends Pick<SlicedResults, 'begin' | 'between' | 'end' | 'textOf'> {
  /** What stands around the bytes of the results. */
  around(results: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined>
}

const plain = (form: Pick<FileForm, 'begin' | 'textOf'>): FileForm => ({
  ...{ ...form, between: '', end: '' },
  around: async function* (results) {
    yield* results
  },
})

/** The forms of a file, each made for one file. */
const FILES = {
  'application/x-ndjson': (): FileForm => plain({ begin: '', textOf: resultLines }),
  'text/csv': (): FileForm => plain({ begin: TABLE_HEAD, textOf: resultRows }),
  [WORKBOOK_TYPE]: (): FileForm => {
    const { workbook, ...sheet } = createResultSheet()
    return { ...sheet, between: '', around: workbook }
  },
} as const
export type FileType = keyof typeof FILES

export type ResultOrder =
  /** The results of one page, separated by commas. */
  | (OrderOf<'page'> & {
      readonly query: ResultQuery
      readonly after: readonly number[] | null
      /** Reads the whole job if only that shows the page. */
      readonly wholeToo: boolean
    })
  /** All results that the query selects. */
  | (OrderOf<'file'> & { readonly query: ResultQuery; readonly type: FileType })
  /** An ended job with its results, in the order of the submission; its beginning is known. */
  | (OrderOf<'inline'> & { readonly total: number; readonly begin: string; readonly end: string })
  /** The same for a job of which nothing is known yet. */
  | (OrderOf<'document'> & { readonly resultsUrl: string })

interface OrderOf<Form extends string> {
  readonly form: Form
  readonly tenant: Tenant
  readonly jobId: string
}

export type OrderForm = ResultOrder['form']

/** What is known before the first bytes. */
export interface KnownResults {
  readonly page: {
    /** The place of the last result where another page follows. */
    readonly last: readonly number[] | null
    /** Nothing was read, because the page needs the whole job. */
    readonly needsWhole: boolean
  }
  readonly file: {
    /** So few results that they are sent at once. */
    readonly isShort: boolean
  }
  readonly inline: object
  readonly document: {
    /** Differs where the document differs. */
    readonly identity: string
  }
}

export interface BegunResults<Form extends OrderForm = OrderForm> {
  readonly kind: 'results'
  readonly known: KnownResults[Form]
  /** Read them to the end, or stop with `return`. */
  readonly chunks: LeavableChunks
}

export interface LeavableChunks extends AsyncIterator<Uint8Array, unknown, undefined> {
  return(): Promise<IteratorResult<Uint8Array, unknown>>
  [Symbol.asyncIterator](): LeavableChunks
}

export interface ResultReads {
  /** Each read of the database, and all making of text, takes place in a turn. */
  begin<Form extends OrderForm>(
    order: Extract<ResultOrder, { form: Form }>,
    turn: Turn,
  ): Promise<BegunResults<Form> | NotFound>
}

export interface ResultSources {
  readonly database: Database
  readonly log: Pick<EventLog, 'endOffset' | 'partitionFor'>
  /** How long each read model may take to catch up with the log. */
  readonly timeoutMs: number
  /** Opens the sealed texts of the account in JSON. */
  readonly openJson: PersonalData['openJson']
  readonly readDocuments: ReadDocuments
}

/** All bytes at once. */
export async function gathered(chunks: LeavableChunks): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

type Begun = (sources: ResultSources, order: never, turn: Turn) => Promise<BegunResults | NotFound>

export function openResultReads(sources: ResultSources): ResultReads {
  const forms: Readonly<Record<OrderForm, Begun>> = {
    page: beginPage,
    file: beginFile,
    inline: beginInline,
    document: beginDocument,
  }
  return {
    begin: async <Form extends OrderForm>(order: Extract<ResultOrder, { form: Form }>, turn: Turn) =>
      (await forms[order.form](sources, order as never, turn)) as BegunResults<Form> | NotFound,
  }
}

/** The form of results in a page. */
const INLINE = { textOf: resultDocuments, begin: '', between: ',', end: '' } as const

async function beginPage(
  sources: ResultSources,
  order: Extract<ResultOrder, { form: 'page' }>,
  turn: Turn,
): Promise<BegunResults<'page'> | NotFound> {
  const own = await ownPage(sources, order, turn)
  const needsWhole = own === null && !order.wholeToo
  const page = needsWhole ? NO_PAGE : (own ?? (await pageOfWhole(sources, order, turn)))
  if ('kind' in page) return page
  const chunks = made(sources, order, turn, { ...INLINE, stretches: [page.items] })
  return { kind: 'results', known: { last: page.last, needsWhole }, chunks }
}

const NO_PAGE = { items: [], last: null }

type ResultPage = ReturnType<typeof pageOf>

/** Reads only the rows of the page, also while the job runs. Null if the whole job has to be read. */
async function ownPage(
  { database, ...finding }: ResultSources,
  { tenant, jobId, query, after }: Extract<ResultOrder, { form: 'page' }>,
  turn: Turn,
): Promise<ResultPage | NotFound | null> {
  const { sort, level, status, page_size: size } = query
  if (isWholeJob(query)) {
    const from = after === null ? 0 : after[0]! + 1
    const stretch = await turn(() => readEndedResults(database, tenant, { jobId, from, size }))
    if (stretch !== null)
      return { items: stretch.items, last: from + size < stretch.total ? [from + size - 1] : null }
  }
  const pendingToo = isAskedFor(query)('pending')
  // One more item shows whether another page follows.
  const choice = { jobId, sort, level, status, pendingToo, after, size: size + 1 }
  const found = await findResults({ ...finding, database, turn }, tenant, choice)
  if (found.kind === 'chosen') return pageOf(found.items, query, { after: null, size })
  return found.kind === 'whole' ? null : found
}

async function pageOfWhole(
  sources: ResultSources,
  order: Extract<ResultOrder, { form: 'page' }>,
  turn: Turn,
): Promise<ResultPage | NotFound> {
  const { query, after } = order
  const items = await itemsOfWhole(sources, order, turn)
  return 'kind' in items ? items : pageOf(items, query, { after, size: query.page_size })
}

/** Reads the whole job. */
async function itemsOfWhole(
  sources: ResultSources,
  { tenant, jobId, query }: Extract<ResultOrder, { form: 'page' | 'file' }>,
  turn: Turn,
): Promise<readonly JobItem[] | NotFound> {
  const found = await findJob({ ...sources, turn }, tenant, jobId)
  if (found.kind !== 'job') return found
  return selectResults(
    found.job.items.filter((item) => isAskedFor(query)(item.status)),
    query,
  )
}

async function beginFile(
  sources: ResultSources,
  order: Extract<ResultOrder, { form: 'file' }>,
  turn: Turn,
): Promise<BegunResults<'file'> | NotFound> {
  const { around, ...form } = FILES[order.type]()
  const ended = isWholeJob(order.query) ? await endedOverview(sources, order) : null
  if (ended !== null) {
    const stretches = stretchesOf(sources, order, ended.total, turn)
    return {
      kind: 'results',
      known: { isShort: false },
      chunks: around(made(sources, order, turn, { ...form, stretches })),
    }
  }
  const items = await itemsOfWhole(sources, order, turn)
  if ('kind' in items) return items
  const known = { isShort: !isLarge(items.length) }
  const chunks = around(made(sources, order, turn, { ...form, stretches: [items] }))
  return { kind: 'results', known, chunks }
}

/** The overview of a large ended job, whose file is read stretch by stretch; null for any other job. */
async function endedOverview(
  sources: ResultSources,
  { tenant, jobId }: OrderOf<'file'>,
): Promise<JobOverview | null> {
  const found = await findOverview(sources, tenant, jobId)
  return found.kind === 'job' && found.job.isTerminal && isLarge(found.job.total) ? found.job : null
}

async function beginInline(
  sources: ResultSources,
  { begin, end, total, ...order }: Extract<ResultOrder, { form: 'inline' }>,
  turn: Turn,
): Promise<BegunResults<'inline'> | NotFound> {
  const form = { ...INLINE, begin, end }
  if (isLarge(total)) {
    const stretches = stretchesOf(sources, order, total, turn)
    return { kind: 'results', known: {}, chunks: made(sources, order, turn, { ...form, stretches }) }
  }
  const { tenant, jobId } = order
  const all = await turn(() => readEndedResults(sources.database, tenant, { jobId, from: 0, size: total }))
  if (all === null) return { kind: 'behind' }
  const chunks = made(sources, order, turn, { ...form, stretches: [all.items] })
  return { kind: 'results', known: {}, chunks }
}

async function beginDocument(
  sources: ResultSources,
  order: Extract<ResultOrder, { form: 'document' }>,
  turn: Turn,
): Promise<BegunResults<'document'> | NotFound> {
  const { tenant, jobId } = order
  const found = await findJob({ ...sources, turn }, tenant, jobId)
  if (found.kind !== 'job') return found
  const job = await withOpenedName(sources.openJson, tenant.accountId, found.job)
  const resultsUrl = (): string => order.resultsUrl
  const around = aroundResults(job, tenant.livemode, resultsUrl)
  // Reports never change, so their ids stand for them.
  const items = await openedItems(sources, tenant, job.items)
  const identity = jobDocument(job, tenant.livemode, resultsUrl, null) + JSON.stringify(items)
  const chunks = made(sources, order, turn, { ...INLINE, ...around, stretches: [job.items] })
  return { kind: 'results', known: { identity }, chunks }
}

const stretchesOf = (
  { database }: ResultSources,
  { tenant, jobId }: Pick<OrderOf<string>, 'tenant' | 'jobId'>,
  total: number,
  turn: Turn,
) => endedStretches(turn, (order) => readEndedResults(database, tenant, order), { jobId, total })

/** The items with the refused texts of the account opened: `erased` once its key is destroyed. */
async function openedItems(
  { openJson }: Pick<ResultSources, 'openJson'>,
  { accountId }: Tenant,
  items: readonly JobItem[],
): Promise<readonly JobItem[]> {
  const json = JSON.stringify(items)
  return maySeal(json) ? (JSON.parse(await openJson(json, accountId)) as JobItem[]) : items
}

async function* made(
  sources: ResultSources,
  { tenant }: Pick<OrderOf<string>, 'tenant'>,
  turn: Turn,
  results: Omit<SlicedResults, 'readReports' | 'open'>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder()
  const readReports = (items: readonly JobItem[]) => readItemReports(sources, tenant, items)
  const open = (items: readonly JobItem[]) => openedItems(sources, tenant, items)
  for await (const text of slicedResults(turn, { ...results, readReports, open })) yield encoder.encode(text)
}

/** Whether an ended job is shown as it was submitted, without choice or order. */
function isWholeJob({ sort, level, status }: ResultQuery): boolean {
  return sort === 'submission' && level === undefined && status === undefined
}

/** Finished items are results. Other items are shown only on request. */
function isAskedFor({ include, status }: ResultQuery): (itemStatus: JobItem['status']) => boolean {
  return (itemStatus) => itemStatus !== 'pending' || include === 'pending' || status === 'pending'
}

/** GET /v1/bulk/{job_id}/results: the outcome of each address, in pages or as a file, also while the job runs. */
import type { Caller } from '@cupel/access'
import type { JobItem, NotFound, Turn } from '@cupel/read-models'
import { riskLevels } from '@cupel/contracts'
import { z } from 'zod'
import { resultDocuments, resultLines } from '../../bulk/job-documents.js'
import type { BulkParts } from '../../bulk/open-bulk.js'
import { itemStatuses, pageOf, resultSorts, selectResults } from '../../bulk/result-order.js'
import {
  endedStretches,
  isLarge,
  slicedResults,
  wholeResults,
  type SlicedResults,
} from '../../bulk/result-slices.js'
import { resultRows, resultTable, TABLE_HEAD } from '../../bulk/result-table.js'
import { negotiate } from '../../http/accept.js'
import { jsonAnswer, keyedEndpoint, type Answer, type Endpoint } from '../../http/endpoint.js'
import type { LargeRead } from '../../http/large-reads.js'
import type { PageTokens } from '../../http/page-token.js'
import { pageSchema, pageSize, pageToken, unknownPageToken } from '../../http/paging.js'
import { refuse, type Refusal } from '../../http/problem.js'
import { reportExample } from '../reports/report-description.js'
import { bulkResult, jobPath, resultExample } from './job-description.js'
import { jobRefusal } from './job-refusals.js'

const DEFAULT_PAGE_SIZE = 50
const LIST = 'bulk-results'
const JSON_TYPE = 'application/json'
const LINES_TYPE = 'application/x-ndjson'
const TABLE_TYPE = 'text/csv'

const resultQuery = z.strictObject({
  page_size: pageSize(DEFAULT_PAGE_SIZE),
  page_token: pageToken,
  sort: z
    .enum(resultSorts)
    .default('submission')
    .meta({ override: { type: 'string', enum: resultSorts, default: 'submission' } })
    .describe(
      '`submission`: in the order of the submission. `risk`: worst first, that is red, orange and grey, failed items, green, cancelled and pending ones; within a level by score.',
    ),
  level: z.enum(riskLevels).optional().describe('Only completed items whose report has this level.'),
  status: z.enum(itemStatuses).optional().describe('Only items of this status.'),
  include: z
    .enum(['pending'])
    .optional()
    .describe('`pending`: also items that are not done yet, with that status.'),
})
type ResultQuery = z.infer<typeof resultQuery>

export function listBulkResults(
  { reader, readReports, largeReads }: BulkParts,
  tokens: PageTokens,
): Endpoint {
  return keyedEndpoint<z.infer<typeof jobPath>, ResultQuery>({
    operationId: 'listBulkResults',
    method: 'GET',
    path: '/v1/bulk/{job_id}/results',
    tag: 'Bulk jobs',
    summary: 'Get the results of a job',
    description:
      'What became of each address, in the order of the submission or worst first, also while the job runs: then of the items that are done so far, or of all with `include=pending`. In a walk through pages no item comes twice; an item that is done meanwhile may be missed, so begin again once the job has ended. `Accept` chooses the form: pages of JSON, or all that the filters select as `application/x-ndjson` (one result a line) or `text/csv` (a row a result, made so that a spreadsheet takes nothing for a formula). Pages are for JSON alone.',
    access: 'read-only',
    pathSchema: jobPath,
    querySchema: resultQuery,
    answers: RESULT_ANSWERS,
    problems: ['not_found', 'not_acceptable', 'unavailable'],
    async handle({ caller, headers }, { path, query }): Promise<Answer | Refusal> {
      const type = negotiate(headers.accept, [JSON_TYPE, LINES_TYPE, TABLE_TYPE])
      if (type === null)
        return refuse('not_acceptable', `Results are ${JSON_TYPE}, ${LINES_TYPE} or ${TABLE_TYPE}.`)
      const scope = scopeOf(caller, path.job_id, query)
      const after = query.page_token === undefined ? null : placeOf(tokens.open(scope, query.page_token))
      if (after === undefined) return unknownPageToken()
      const answerOf = async (page: ResultPage | NotFound, read: LargeRead | null) => {
        if ('kind' in page) return jobRefusal(page)
        const { items, last } = page
        const next = last === null ? null : tokens.seal(scope, last.map(String))
        const readOwn = (some: readonly JobItem[]) => readReports(caller, some)
        const documents =
          read !== null && isLarge(items.length)
            ? await wholeResults(read, { ...INLINE, stretches: [items], readReports: readOwn })
            : resultDocuments(items, await readOwn(items))
        return jsonAnswer(200, `{"items":[${documents}],"next_page_token":${JSON.stringify(next)}}`, VARY)
      }
      const readPage = (turn?: Turn) => ownPage({ reader, turn }, caller, path.job_id, query, after)
      const isPage = type === JSON_TYPE
      const small = isPage && !isLarge(query.page_size) ? await readPage() : null
      if (small !== null) return await answerOf(small, null)
      const parts = { reader, readReports, largeReads }
      return await largeReads.during(caller, async (read) => {
        const page = isPage && isLarge(query.page_size) ? await readPage(read.slice) : null
        if (page !== null) return await answerOf(page, read)
        if (!isPage && isWholeJob(query)) {
          const ended = await endedFile({ ...parts, read }, caller, { type, jobId: path.job_id })
          if (ended !== null) return ended
        }
        // The whole job is read.
        const found = await reader.find(caller, path.job_id, read.slice)
        if (found.kind !== 'job') return jobRefusal(found)
        const items = selectResults(
          found.job.items.filter((item) => isAskedFor(query)(item.status)),
          query,
        )
        if (!isPage) return await fileOf({ ...parts, read }, caller, { type, jobId: path.job_id, items })
        return await answerOf(pageOf(items, query, { after, size: query.page_size }), read)
      })
    },
  })
}

type ResultPage = ReturnType<typeof pageOf>

/** How results stand in a page. */
const INLINE = { textOf: resultDocuments, begin: '', between: ',', end: '' } as const

/** A page costs its own rows and no others, also while the job runs. Null where the whole job has to be read. */
async function ownPage(
  { reader, turn = (work) => work() }: { reader: BulkParts['reader']; turn: Turn | undefined },
  caller: Caller,
  jobId: string,
  query: ResultQuery,
  after: readonly number[] | null,
): Promise<ResultPage | NotFound | null> {
  const { sort, level, status, page_size: size } = query
  if (isWholeJob(query)) {
    const from = after === null ? 0 : after[0]! + 1
    const stretch = await turn(() => reader.findEndedResults(caller, { jobId, from, size }))
    if (stretch !== null)
      return { items: stretch.items, last: from + size < stretch.total ? [from + size - 1] : null }
  }
  const pendingToo = isAskedFor(query)('pending')
  // One more, which says whether another page follows.
  const choice = { jobId, sort, level, status, pendingToo, after, size: size + 1 }
  const found = await reader.findResults(caller, choice, turn)
  if (found.kind === 'chosen') return pageOf(found.items, query, { after: null, size })
  return found.kind === 'whole' ? null : found
}

/** Whether an ended job is shown as it was submitted, without choice or order. */
function isWholeJob({ sort, level, status }: ResultQuery): boolean {
  return sort === 'submission' && level === undefined && status === undefined
}

/** A result is that of a finished item; others are shown to who asks for them. */
function isAskedFor({ include, status }: ResultQuery): (itemStatus: JobItem['status']) => boolean {
  return (itemStatus) => itemStatus !== 'pending' || include === 'pending' || status === 'pending'
}

const VARY = { vary: 'accept' }

const EXAMPLE_ITEM: JobItem = {
  index: 0,
  address: reportExample.address,
  status: 'completed',
  reportId: reportExample.report_id,
  level: reportExample.risk.level,
  score: reportExample.risk.score,
}
const EXAMPLE_REPORTS = new Map([[reportExample.report_id, JSON.stringify(reportExample)]])

const RESULT_HEADERS = {
  Vary: { description: 'Which form is returned depends on Accept.', schema: z.string(), example: VARY.vary },
  'Content-Disposition': {
    description: 'A name for the file; not with JSON pages.',
    schema: z.string(),
    optional: true,
  },
}

const RESULT_ANSWERS = [
  {
    status: 200,
    description: 'Results.',
    contentType: JSON_TYPE,
    headers: RESULT_HEADERS,
    schema: pageSchema(bulkResult),
    example: { items: [resultExample], next_page_token: null },
  },
  {
    status: 200,
    description: 'Results.',
    contentType: LINES_TYPE,
    headers: RESULT_HEADERS,
    schema: z.string(),
    example: resultLines([EXAMPLE_ITEM], EXAMPLE_REPORTS),
  },
  {
    status: 200,
    description: 'Results.',
    contentType: TABLE_TYPE,
    headers: RESULT_HEADERS,
    schema: z.string(),
    example: resultTable([EXAMPLE_ITEM], EXAMPLE_REPORTS),
  },
]

/** The forms of a file: as a whole, and in slices behind a beginning. */
const FILES = {
  [LINES_TYPE]: { whole: resultLines, begin: '', textOf: resultLines },
  [TABLE_TYPE]: { whole: resultTable, begin: TABLE_HEAD, textOf: resultRows },
} as const

type FileParts = Pick<BulkParts, 'reader' | 'readReports' | 'largeReads'> & { readonly read: LargeRead }

interface FileOrder {
  readonly type: keyof typeof FILES
  readonly jobId: string
}

/** Made at once where it is short, else in slices. */
async function fileOf(
  parts: FileParts,
  caller: Caller,
  { items, ...file }: FileOrder & { readonly items: readonly JobItem[] },
): Promise<Answer> {
  if (isLarge(items.length)) return slicedFile(parts, caller, file, [items])
  const body = FILES[file.type].whole(items, await parts.readReports(caller, items))
  return { status: 200, ...fileHead(file.type, file.jobId), body }
}

/** The file of a large job that has ended, read stretch by stretch; null where it is none. */
async function endedFile(parts: FileParts, caller: Caller, file: FileOrder): Promise<Answer | null> {
  const { reader, read } = parts
  const found = await reader.findOverview(caller, file.jobId)
  if (found.kind !== 'job' || !found.job.isTerminal || !isLarge(found.job.total)) return null
  return slicedFile(parts, caller, file, endedStretches(read, reader, caller, found.job))
}

function slicedFile(
  { readReports, largeReads, read }: FileParts,
  caller: Caller,
  { type, jobId }: FileOrder,
  stretches: SlicedResults['stretches'],
): Answer {
  const { begin, textOf } = FILES[type]
  const chunks = slicedResults(read, {
    ...{ stretches, textOf, begin, between: '', end: '' },
    readReports: (slice) => readReports(caller, slice),
  })
  return largeReads.answer(read, fileHead(type, jobId), chunks)
}

function fileHead(type: keyof typeof FILES, jobId: string): Pick<Answer, 'contentType' | 'headers'> {
  const isTable = type === TABLE_TYPE
  return {
    contentType: isTable ? `${TABLE_TYPE}; charset=utf-8; header=present` : LINES_TYPE,
    headers: {
      ...VARY,
      'content-disposition': `attachment; filename="${jobId}.${isTable ? 'csv' : 'ndjson'}"`,
    },
  }
}

function scopeOf(caller: Caller, jobId: string, { sort, level, status, include }: ResultQuery) {
  return [LIST, caller.accountId, caller.livemode, jobId, sort, level ?? '', status ?? '', include ?? '']
}

/** Undefined where the token was not made here. */
function placeOf(position: readonly string[] | null): readonly number[] | undefined {
  return position?.map(Number)
}

/** GET /v1/bulk/{job_id}/results: the outcome of each address, in pages or as a file, also while the job runs. */
import type { Caller } from '@cupel/gate/access'
import type { JobItem } from '../read-model/index.js'
import { reportExample, riskLevels } from '@cupel/contracts'
import { z } from 'zod'
import { resultLines } from './results/job-documents.js'
import { tenantOf, type BulkParts } from './results/open-bulk.js'
import { gathered, WORKBOOK_TYPE, type FileType } from './results/read-results.js'
import { itemStatuses, resultSorts } from './results/result-order.js'
import { isLarge } from './results/result-slices.js'
import { resultTable } from './results/result-table.js'
import {
  negotiate,
  keyedEndpoint,
  type Answer,
  type Endpoint,
  type LargeRead,
  type PageTokens,
  pageSchema,
  pageSize,
  pageToken,
  unknownPageToken,
  refuse,
  type Refusal,
} from '@cupel/gate/http'
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

export function listBulkResults({ beginResults, largeReads }: BulkParts, tokens: PageTokens): Endpoint {
  return keyedEndpoint<z.infer<typeof jobPath>, ResultQuery>({
    operationId: 'listBulkResults',
    method: 'GET',
    path: '/v1/bulk/{job_id}/results',
    tag: 'Bulk jobs',
    summary: 'Get the results of a job',
    description:
      'The outcome of each address, in the order of the submission or worst first, also while the job runs: then of the items that are done so far, or of all with `include=pending`. In a walk through pages no item comes twice; an item that is done meanwhile may be missed, so begin again once the job has ended. `Accept` chooses the form: pages of JSON, or all that the filters select as `application/x-ndjson` (one result a line) or `text/csv` (a row a result, made so that a spreadsheet takes nothing for a formula), or a workbook (XLSX) with the same columns and a sheet of counts by level. Only JSON has pages.',
    access: 'read-only',
    pathSchema: jobPath,
    querySchema: resultQuery,
    answers: RESULT_ANSWERS,
    problems: ['not_found', 'not_acceptable', 'report_retired', 'unavailable'],
    async handle({ caller, headers }, { path, query }): Promise<Answer | Refusal> {
      const type = negotiate(headers.accept, [JSON_TYPE, LINES_TYPE, TABLE_TYPE, WORKBOOK_TYPE])
      if (type === null)
        return refuse(
          'not_acceptable',
          `Results are ${JSON_TYPE}, ${LINES_TYPE}, ${TABLE_TYPE} or ${WORKBOOK_TYPE}.`,
        )
      const scope = scopeOf(caller, path.job_id, query)
      const after = query.page_token === undefined ? null : placeOf(tokens.open(scope, query.page_token))
      if (after === undefined) return unknownPageToken()
      const order = { tenant: tenantOf(caller), jobId: path.job_id, query }
      if (type !== JSON_TYPE)
        return await largeReads.during(caller, async (read) => {
          const begun = await beginResults(read, { ...order, form: 'file', type })
          if (begun.kind !== 'results') return jobRefusal(begun)
          const { known, chunks } = begun
          const head = fileHead(type, path.job_id)
          if (!known.isShort) return largeReads.answer(read, head, chunks)
          return { status: 200, ...head, body: await gathered(chunks) }
        })
      const pageOf = async (read: LargeRead | null): Promise<Answer | Refusal | null> => {
        const begun = await beginResults(read, { ...order, form: 'page', after, wholeToo: read !== null })
        if (begun.kind !== 'results') return jobRefusal(begun)
        const { last, needsWhole } = begun.known
        if (needsWhole) return null
        const next = last === null ? null : tokens.seal(scope, last.map(String))
        return pageAnswer(await gathered(begun.chunks), next)
      }
      const small = isLarge(query.page_size) ? null : await pageOf(null)
      return small ?? (await largeReads.during(caller, async (read) => (await pageOf(read))!))
    },
  })
}

function pageAnswer(items: Uint8Array, next: string | null): Answer {
  const end = Buffer.from(`],"next_page_token":${JSON.stringify(next)}}`)
  const body = Buffer.concat([Buffer.from('{"items":['), items, end])
  return { status: 200, contentType: JSON_TYPE, headers: VARY, body }
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
  {
    status: 200,
    description: 'Results.',
    contentType: WORKBOOK_TYPE,
    headers: RESULT_HEADERS,
    schema: z.string().meta({ description: 'Bytes of a workbook, not text.', format: 'binary' }),
    example: 'PK …',
  },
]

const EXTENSIONS = { [LINES_TYPE]: 'ndjson', [TABLE_TYPE]: 'csv', [WORKBOOK_TYPE]: 'xlsx' } as const

function fileHead(type: FileType, jobId: string): Pick<Answer, 'contentType' | 'headers'> {
  return {
    contentType: type === TABLE_TYPE ? `${TABLE_TYPE}; charset=utf-8; header=present` : type,
    headers: {
      ...VARY,
      'content-disposition': `attachment; filename="${jobId}.${EXTENSIONS[type]}"`,
    },
  }
}

function scopeOf(caller: Caller, jobId: string, { sort, level, status, include }: ResultQuery) {
  return [LIST, caller.accountId, caller.livemode, jobId, sort, level ?? '', status ?? '', include ?? '']
}

/** Undefined if the token was not made here. */
function placeOf(position: readonly string[] | null): readonly number[] | undefined {
  return position?.map(Number)
}

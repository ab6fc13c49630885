/** GET /v1/bulk/{job_id}/results: the outcome of each address, in pages or as a file, also while the job runs. */
import type { JobItem } from '@cupel/read-models'
import { z } from 'zod'
import { resultDocument, resultLines } from '../../bulk/job-documents.js'
import type { BulkParts } from '../../bulk/open-bulk.js'
import { resultTable } from '../../bulk/result-table.js'
import { negotiate } from '../../http/accept.js'
import { jsonAnswer, keyedEndpoint, type Answer, type Endpoint } from '../../http/endpoint.js'
import type { PageTokens } from '../../http/page-token.js'
import { pageSchema, pageSize, pageToken, unknownPageToken } from '../../http/paging.js'
import { refuse, type Refusal } from '../../http/problem.js'
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
})

export function listBulkResults({ reader, readReports }: BulkParts, tokens: PageTokens): Endpoint {
  return keyedEndpoint<z.infer<typeof jobPath>, z.infer<typeof resultQuery>>({
    operationId: 'listBulkResults',
    method: 'GET',
    path: '/v1/bulk/{job_id}/results',
    tag: 'Bulk',
    summary: 'Get the results of a job',
    description:
      'What became of each address, in the order of the submission, also while the job runs: then items that are not done are `pending`. `Accept` chooses the form: pages of JSON, or the whole as `application/x-ndjson` (one result a line) or `text/csv` (a row a result, made so that a spreadsheet takes nothing for a formula). Pages are for JSON alone.',
    access: 'read-only',
    pathSchema: jobPath,
    querySchema: resultQuery,
    answers: [
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
      },
      {
        status: 200,
        description: 'Results.',
        contentType: TABLE_TYPE,
        headers: RESULT_HEADERS,
        schema: z.string(),
      },
    ],
    problems: ['not_found', 'not_acceptable', 'unavailable'],
    async handle({ caller, headers }, { path, query }): Promise<Answer | Refusal> {
      const type = negotiate(headers.accept, [JSON_TYPE, LINES_TYPE, TABLE_TYPE])
      if (type === null)
        return refuse('not_acceptable', `Results are ${JSON_TYPE}, ${LINES_TYPE} or ${TABLE_TYPE}.`)
      const scope = [LIST, caller.accountId, caller.livemode, path.job_id]
      const first = query.page_token === undefined ? 0 : firstOf(tokens.open(scope, query.page_token))
      if (first === null) return unknownPageToken()
      const found = await reader.find(caller, path.job_id)
      if (found.kind !== 'job') return jobRefusal(found)
      const { items } = found.job
      if (type !== JSON_TYPE) return fileOf(type, path.job_id, items, await readReports(caller, items))
      const page = items.slice(first, first + query.page_size)
      const reports = await readReports(caller, page)
      const after = first + page.length
      const next = after < items.length ? tokens.seal(scope, [String(after)]) : null
      const documents = page.map((item) => resultDocument(item, reports)).join(',')
      return jsonAnswer(200, `{"items":[${documents}],"next_page_token":${JSON.stringify(next)}}`, VARY)
    },
  })
}

const VARY = { vary: 'accept' }

const RESULT_HEADERS = {
  Vary: { description: 'Which form is returned depends on Accept.', schema: z.string(), example: VARY.vary },
  'Content-Disposition': {
    description: 'A name for the file; not with JSON pages.',
    schema: z.string(),
    optional: true,
  },
}

function fileOf(
  type: typeof LINES_TYPE | typeof TABLE_TYPE,
  jobId: string,
  items: readonly JobItem[],
  reports: ReadonlyMap<string, string>,
): Answer {
  const isTable = type === TABLE_TYPE
  return {
    status: 200,
    contentType: isTable ? `${TABLE_TYPE}; charset=utf-8; header=present` : LINES_TYPE,
    headers: {
      ...VARY,
      'content-disposition': `attachment; filename="${jobId}.${isTable ? 'csv' : 'ndjson'}"`,
    },
    body: isTable ? resultTable(items, reports) : resultLines(items, reports),
  }
}

/** Null where the token was not made here. */
function firstOf(position: readonly string[] | null): number | null {
  return position?.[0] === undefined ? null : Number(position[0])
}

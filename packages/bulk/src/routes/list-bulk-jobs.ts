/** GET /v1/bulk: the jobs of the account, newest first. */
import type { Caller } from '@cupel/gate/access'
import { z } from 'zod'
import { summaryDocument } from './results/job-documents.js'
import type { BulkParts } from './results/open-bulk.js'
import {
  jsonAnswer,
  keyedEndpoint,
  type Answer,
  type Endpoint,
  type PageTokens,
  pageSchema,
  pageSize,
  pageToken,
  unknownPageToken,
  type Refusal,
} from '@cupel/gate/http'
import { acceptedExample, bulkJobSummary } from './job-description.js'

const DEFAULT_PAGE_SIZE = 20
/** The counters of a running job are counted from its items. */
const MAX_PAGE_SIZE = 50
const LIST = 'bulk-jobs'

const jobQuery = z.strictObject({
  page_size: pageSize(DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE),
  page_token: pageToken,
})

export function listBulkJobs({ list, resultsUrl }: BulkParts, tokens: PageTokens): Endpoint {
  return keyedEndpoint<undefined, z.infer<typeof jobQuery>>({
    operationId: 'listBulkJobs',
    method: 'GET',
    path: '/v1/bulk',
    tag: 'Bulk jobs',
    summary: 'List jobs',
    description:
      'The jobs of the key’s account and environment, newest first, with their counters. New jobs do not move the pages. A job may appear a moment after its submission.',
    access: 'read-only',
    querySchema: jobQuery,
    answers: [
      {
        status: 200,
        description: 'A page of jobs.',
        contentType: 'application/json',
        schema: pageSchema(bulkJobSummary),
        example: { items: [bulkJobSummary.parse(acceptedExample)], next_page_token: null },
      },
    ],
    problems: ['unavailable'],
    async handle({ caller }, { query }): Promise<Answer | Refusal> {
      const scope = scopeOf(caller)
      const position = query.page_token === undefined ? null : tokens.open(scope, query.page_token)
      if (query.page_token !== undefined && position === null) return unknownPageToken()
      const page = await list(caller, { pageSize: query.page_size, before: position?.[0] ?? null })
      const last = page.jobs.at(-1)
      const next = page.hasMore && last !== undefined ? tokens.seal(scope, [last.jobId]) : null
      const items = page.jobs.map((job) => summaryDocument(job, caller.livemode, resultsUrl))
      return jsonAnswer(200, JSON.stringify({ items, next_page_token: next }))
    },
  })
}

function scopeOf({ accountId, livemode }: Caller): (string | boolean)[] {
  return [LIST, accountId, livemode]
}

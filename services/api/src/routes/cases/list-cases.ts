/** GET /v1/cases: the account's cases as a work list, last changed first. */
import { listCases } from '@cupel/cases'
import { caseSummarySchema, dispositions, riskLevels } from '@cupel/contracts'
import { z } from 'zod'
import { jsonAnswer, keyedEndpoint, type Endpoint } from '../../http/endpoint.js'
import { pageSchema, pageSize, pageToken, unknownPageToken } from '../../http/paging.js'
import { CASES_TAG, summaryDocument, summaryExample, type CaseParts } from './case-description.js'

const DEFAULT_PAGE_SIZE = 50
const LIST = 'cases'
const filters = [...dispositions, 'unsettled'] as const

const caseQuery = z.strictObject({
  disposition: z
    .enum(filters)
    .optional()
    .describe('Only cases with this disposition; `unsettled` for those that are open or escalated.'),
  level: z.enum(riskLevels).optional().describe('Only cases of reports of this level.'),
  page_size: pageSize(DEFAULT_PAGE_SIZE),
  page_token: pageToken,
})

export function listReportCases({ database, tokens, secondPersonLevels }: CaseParts): Endpoint {
  return keyedEndpoint<undefined, z.infer<typeof caseQuery>>({
    operationId: 'listReportCases',
    method: 'GET',
    path: '/v1/cases',
    tag: CASES_TAG,
    summary: 'List cases',
    description:
      'The cases of the key’s account and environment, the one that changed last first. A report on which nobody has worked has no case yet.',
    access: 'read-only',
    querySchema: caseQuery,
    answers: [
      {
        status: 200,
        description: 'A page of cases, without their histories.',
        contentType: 'application/json',
        schema: pageSchema(caseSummarySchema),
        example: { items: [summaryExample], next_page_token: null },
      },
    ],
    problems: ['unavailable'],
    async handle({ caller: { accountId, livemode } }, { query }) {
      const { disposition, level } = query
      const scope = [LIST, accountId, livemode, disposition ?? '', level ?? '']
      const position = query.page_token === undefined ? null : tokens.open(scope, query.page_token)
      const [changedAt, reportId] = position ?? []
      const after = changedAt === undefined || reportId === undefined ? null : { changedAt, reportId }
      if (query.page_token !== undefined && after === null) return unknownPageToken()
      const page = await listCases(database, {
        ...{ accountId, livemode, pageSize: query.page_size, after },
        filter: { dispositions: dispositionsOf(disposition), level },
      })
      const next = page.next === null ? null : tokens.seal(scope, [page.next.changedAt, page.next.reportId])
      const items = page.items.map((stored) => summaryDocument(stored, secondPersonLevels))
      return jsonAnswer(200, JSON.stringify({ items, next_page_token: next }))
    },
  })
}

function dispositionsOf(filter: (typeof filters)[number] | undefined) {
  if (filter === undefined) return undefined
  return filter === 'unsettled' ? (['open', 'escalated'] as const) : [filter]
}

/** GET /v1/cases: the account's cases as a work list, last changed first. */
import { keyHolder } from '@cupel/gate/access'
import { listCases, type CaseFilter } from '../index.js'
import { caseSummarySchema, dispositions, riskLevels } from '@cupel/contracts'
import { z } from 'zod'
import {
  jsonAnswer,
  keyedEndpoint,
  type Endpoint,
  type KeyedCall,
  pageSchema,
  pageSize,
  pageToken,
  unknownPageToken,
  text,
} from '@cupel/gate/http'
import { CASES_TAG, standingOf, summaryExample, todayOf, type CaseParts } from './case-description.js'
import { summaryDocument } from './case-document.js'

const DEFAULT_PAGE_SIZE = 50
const LIST = 'cases'
/** Longer than any id of a key. */
const MAX_KEY_ID_LENGTH = 64
const filters = [...dispositions, 'unsettled'] as const

const caseQuery = z.strictObject({
  disposition: z
    .enum(filters)
    .optional()
    .describe('Only cases with this disposition; `unsettled` for those that are open or escalated.'),
  level: z.enum(riskLevels).optional().describe('Only cases of reports of this level.'),
  assignee: text(MAX_KEY_ID_LENGTH)
    .optional()
    .describe(
      'Only cases of the caller (`me`), of nobody (`nobody`), or of the holder of the key with this id.',
    ),
  overdue: z.enum(['true']).optional().describe('Only cases that are overdue.'),
  page_size: pageSize(DEFAULT_PAGE_SIZE),
  page_token: pageToken,
})

export function listReportCases(parts: CaseParts): Endpoint {
  const { database, tokens, secondPersonLevels } = parts
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
    async handle({ caller }, { query }) {
      const { accountId, livemode } = caller
      const { disposition, level, assignee, overdue } = query
      const scope = [LIST, accountId, livemode, disposition ?? '', level ?? '', assignee ?? '', overdue ?? '']
      const position = query.page_token === undefined ? null : tokens.open(scope, query.page_token)
      const [changedAt, reportId] = position ?? []
      const after = changedAt === undefined || reportId === undefined ? null : { changedAt, reportId }
      if (query.page_token !== undefined && after === null) return unknownPageToken()
      const page = await listCases(database, {
        ...{ accountId, livemode, pageSize: query.page_size, after },
        filter: {
          ...{ dispositions: dispositionsOf(disposition), level },
          assignee: await assigneeOf(parts, caller, assignee),
          dueBefore: overdue === undefined ? undefined : todayOf(parts.now),
        },
      })
      const next = page.next === null ? null : tokens.seal(scope, [page.next.changedAt, page.next.reportId])
      const standing = await standingOf(parts, caller, page.items)
      const items = page.items.map((stored) => ({
        ...summaryDocument(stored, secondPersonLevels),
        ...standing(stored),
      }))
      return jsonAnswer(200, JSON.stringify({ items, next_page_token: next }))
    },
  })
}

function dispositionsOf(filter: (typeof filters)[number] | undefined) {
  if (filter === undefined) return undefined
  return filter === 'unsettled' ? (['open', 'escalated'] as const) : [filter]
}

async function assigneeOf(
  { database }: CaseParts,
  { keyId, session }: KeyedCall['caller'],
  asked: string | undefined,
): Promise<CaseFilter['assignee']> {
  if (asked === undefined || asked === 'nobody') return asked
  const subject = asked === 'me' ? (session?.subject ?? '') : ''
  return { holder: await keyHolder(database, asked === 'me' ? keyId : asked), subject }
}

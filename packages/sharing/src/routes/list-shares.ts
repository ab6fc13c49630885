/** GET /v1/reports/{report_id}/share-links: the links of a report, with how often each was opened. */
import { listShares } from '../index.js'
import { z } from 'zod'
import {
  jsonAnswer,
  keyedEndpoint,
  type Endpoint,
  pageSchema,
  pageSize,
  pageToken,
  unknownPageToken,
} from '@cupel/gate/http'
import { refusalOf, reportPath } from '@cupel/reports/routes'
import {
  shareComponent,
  shareDocument,
  shareExample,
  SHARING_TAG,
  type SharingParts,
} from './share-description.js'

const DEFAULT_PAGE_SIZE = 50
const LIST = 'shares'

const shareQuery = z.strictObject({ page_size: pageSize(DEFAULT_PAGE_SIZE), page_token: pageToken })

export function listReportShares({ database, reports, tokens }: SharingParts): Endpoint {
  return keyedEndpoint<z.infer<typeof reportPath>, z.infer<typeof shareQuery>>({
    operationId: 'listReportShares',
    method: 'GET',
    path: '/v1/reports/{report_id}/share-links',
    tag: SHARING_TAG,
    summary: 'List the links of a report',
    description: 'Newest first, those that expired or were revoked too. No link can be read from this list.',
    access: 'read-only',
    pathSchema: reportPath,
    querySchema: shareQuery,
    answers: [
      {
        status: 200,
        description: 'A page of links.',
        contentType: 'application/json',
        schema: pageSchema(shareComponent),
        example: { items: [shareExample], next_page_token: null },
      },
    ],
    problems: ['not_found', 'report_retired', 'screening_failed', 'screening_pending', 'unavailable'],
    async handle({ caller }, { path, query }) {
      const reportId = path.report_id
      const found = await reports.find(caller, reportId)
      if (found.kind !== 'report') return refusalOf(found.kind, reportId)
      const { accountId, livemode } = caller
      const scope = [LIST, accountId, livemode, reportId]
      const position = query.page_token === undefined ? null : tokens.open(scope, query.page_token)
      const [createdAt, shareId] = position ?? []
      const after = createdAt === undefined || shareId === undefined ? null : { createdAt, shareId }
      if (query.page_token !== undefined && after === null) return unknownPageToken()
      const page = await listShares(database, {
        ...{ accountId, livemode, reportId },
        ...{ pageSize: query.page_size, after },
      })
      const next = page.next === null ? null : tokens.seal(scope, [page.next.createdAt, page.next.shareId])
      return jsonAnswer(200, JSON.stringify({ items: page.items.map(shareDocument), next_page_token: next }))
    },
  })
}

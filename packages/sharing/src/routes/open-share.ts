/** GET /v1/shared/{token}: the one report of a share link, for anyone with the link. */
import { reportExample } from '@cupel/contracts'
import { findUsableShare, MAX_OPENS_PER_MINUTE, openShare, SHARE_TOKEN } from '../index.js'
import { z } from 'zod'
import { tokenCallOf } from '@cupel/gate/audit'
import { LEAF_HEADERS, leafHeaders, reportComponent } from '@cupel/reports/routes'
import { jsonAnswer, recorded, tokenEndpoint, type Endpoint, refuse, statuses } from '@cupel/gate/http'
import { SHARING_TAG, type SharingParts } from './share-description.js'

const tokenPath = z.object({ token: z.string().regex(SHARE_TOKEN).describe('The token of the link.') })

const READ_RETRY_SECONDS = 1
const NO_INDEX = 'noindex, nofollow'

export function openReportShare({ database, reports, personalData, readLeaf }: SharingParts): Endpoint {
  return tokenEndpoint<z.infer<typeof tokenPath>>({
    operationId: 'openReportShare',
    method: 'GET',
    path: '/v1/shared/{token}',
    tag: SHARING_TAG,
    summary: 'Read a shared report',
    description: `The report of a share link, exactly as it was made, without a key. A token that is unknown, expired or revoked is 404, and counts as a failed authentication of its client. Every opening is recorded, and a link opens at most ${MAX_OPENS_PER_MINUTE} times a minute.`,
    access: 'token',
    pathSchema: tokenPath,
    answers: [
      {
        status: statuses.ok,
        description: 'The report.',
        contentType: 'application/json',
        schema: reportComponent,
        headers: {
          ...LEAF_HEADERS,
          'X-Robots-Tag': {
            description: 'No search engine is to show it.',
            schema: z.string(),
            example: NO_INDEX,
          },
          Sunset: { description: 'From then on the link opens nothing (RFC 8594).', schema: z.string() },
        },
        example: reportExample,
      },
    ],
    problems: ['not_found', 'report_retired', 'rate_limited', 'unavailable'],
    async handle(call, { path }) {
      const share = await findUsableShare(database, path.token)
      if (share === null) return null
      const found = await reports.find(share, share.reportId)
      if (found.kind !== 'report')
        return refuse('unavailable', 'The report cannot be read right now.', {
          retryAfterSeconds: READ_RETRY_SECONDS,
        })
      const seal = await personalData.of(share.accountId)
      const clientAddress = seal.sealClientAddress(call.clientAddress)
      const opening = await openShare(database, share, tokenCallOf({ ...call, clientAddress }, statuses.ok))
      if (opening.kind === 'ended') return null
      if (opening.kind === 'too_many')
        return refuse('rate_limited', 'The link was opened too often within a minute.', {
          retryAfterSeconds: opening.retryAfterSeconds,
        })
      const sunset = new Date(share.expiresAt).toUTCString()
      const [document, leaf] = await Promise.all([
        personalData.openJson(found.document, share.accountId),
        readLeaf({ reportId: share.reportId, document: found.document }),
      ])
      return recorded(
        jsonAnswer(statuses.ok, document, {
          ...{ 'x-robots-tag': NO_INDEX, sunset },
          ...leafHeaders(leaf),
        }),
      )
    },
  })
}

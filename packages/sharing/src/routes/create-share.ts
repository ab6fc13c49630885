/** POST /v1/reports/{report_id}/share-links: makes a link under which somebody without a key can read the report. */
import {
  createShare,
  DEFAULT_EXPIRY_HOURS,
  MAX_EXPIRY_HOURS,
  MAX_LABEL_LENGTH,
  MAX_USABLE_SHARES,
} from '../index.js'
import { z } from 'zod'
import { referenceOf, refusalOf, reportPath } from '@cupel/reports/routes'
import { jsonAnswer, keyedEndpoint, recorded, type Endpoint, refuse, statuses, text } from '@cupel/gate/http'
import {
  authorOf,
  newShareComponent,
  shareDocument,
  shareExample,
  SHARING_TAG,
  type SharingParts,
} from './share-description.js'

const shareBody = z
  .strictObject({
    expires_in_hours: z
      .int()
      .min(1)
      .max(MAX_EXPIRY_HOURS)
      .optional()
      .describe(`After so many hours the link opens nothing. ${DEFAULT_EXPIRY_HOURS} where absent.`),
    label: text(MAX_LABEL_LENGTH, 0)
      .optional()
      .describe('For whom or what the link is made. Readers do not see it.'),
  })
  .meta({ id: 'NewShareRequest' })

const TOKEN_EXAMPLE = 'cupel_share_bm90IGEgdG9rZW4sIGFuIGV4YW1wbGUgb2YgYSBvbmU'

export function createReportShare({ database, reports, shareUrlOf }: SharingParts): Endpoint {
  return keyedEndpoint<z.infer<typeof reportPath>, undefined, z.infer<typeof shareBody>>({
    operationId: 'createReportShare',
    method: 'POST',
    path: '/v1/reports/{report_id}/share-links',
    tag: SHARING_TAG,
    summary: 'Share a report by a link',
    description: `Whoever has the link can read this one report, without a key, until the link expires or is revoked. Every opening is counted and is an entry of the audit log. A report has at most ${MAX_USABLE_SHARES} links that can be used at once.`,
    access: 'read-write',
    pathSchema: reportPath,
    bodySchema: shareBody,
    bodyExample: { expires_in_hours: DEFAULT_EXPIRY_HOURS, label: shareExample.label },
    answers: [
      {
        status: statuses.created,
        description: 'The link, with its token.',
        contentType: 'application/json',
        schema: newShareComponent,
        headers: { Location: { description: 'Path of the link for its owner.', schema: z.string() } },
        example: { ...shareExample, url: `https://cupel.example.com/shared/${TOKEN_EXAMPLE}` },
      },
    ],
    problems: [
      'not_found',
      'too_many_shares',
      'report_retired',
      'screening_failed',
      'screening_pending',
      'unavailable',
    ],
    async handle(call, { path, body }) {
      const found = await reports.find(call.caller, path.report_id)
      if (found.kind !== 'report') return refusalOf(found.kind, path.report_id)
      const made = await createShare(database, {
        ...authorOf(call, statuses.created),
        reportId: path.report_id,
        expiresInHours: body.expires_in_hours ?? DEFAULT_EXPIRY_HOURS,
        label: await call.seal.sealBeside(referenceOf(found.document), body.label ?? ''),
      })
      if (!made.ok)
        return refuse('too_many_shares', `A report has at most ${MAX_USABLE_SHARES} links that can be used.`)
      const document = { ...shareDocument(made.share), url: shareUrlOf(made.token) }
      const location = `/v1/reports/${path.report_id}/share-links/${made.share.shareId}`
      return recorded(jsonAnswer(statuses.created, JSON.stringify(document), { location }))
    },
  })
}

/** DELETE /v1/reports/{report_id}/share-links/{share_id}: ends a link at once. It stays in the list. */
import { revokeShare } from '../index.js'
import type { z } from 'zod'
import { keyedEndpoint, recorded, type Endpoint, refuse, statuses } from '@cupel/gate/http'
import { authorOf, sharePath, SHARING_TAG, type SharingParts } from './share-description.js'

export function revokeReportShare({ database }: SharingParts): Endpoint {
  return keyedEndpoint<z.infer<typeof sharePath>>({
    operationId: 'revokeReportShare',
    method: 'DELETE',
    path: '/v1/reports/{report_id}/share-links/{share_id}',
    tag: SHARING_TAG,
    summary: 'Revoke a link',
    description:
      'The link opens nothing from now on, and stays in the list. Revoking it again changes nothing.',
    access: 'read-write',
    pathSchema: sharePath,
    answers: [{ status: statuses.noContent, description: 'The link is revoked.' }],
    problems: ['not_found', 'unavailable'],
    async handle(call, { path }) {
      const order = {
        ...authorOf(call, statuses.noContent),
        reportId: path.report_id,
        shareId: path.share_id,
      }
      const outcome = await revokeShare(database, order)
      if (outcome === 'unknown') return refuse('not_found', 'There is no such share link.')
      const answer = { status: statuses.noContent, body: null }
      return outcome === 'revoked' ? recorded(answer) : answer
    },
  })
}

/** DELETE /v1/own-labels/{label_id}: removes a label of the account at once. It stays in the list. */
import { removeOwnLabel } from '../../index.js'
import { keyedEndpoint, recorded, type Endpoint, refuse, statuses } from '@cupel/gate/http'
import {
  authorOf,
  OWN_LABELS,
  ownLabelPath,
  type OwnLabelParts,
  type OwnLabelPath,
} from './own-label-description.js'

export function removeOwnLabelEndpoint({ database, ownLabelFollowers: followers }: OwnLabelParts): Endpoint {
  return keyedEndpoint<OwnLabelPath>({
    operationId: 'removeOwnLabel',
    method: 'DELETE',
    path: '/v1/own-labels/{label_id}',
    tag: OWN_LABELS,
    summary: 'Remove an own label',
    description:
      'The label counts no more from the next screen on, and stays in the list. Removing it again changes nothing.',
    access: 'admin',
    pathSchema: ownLabelPath,
    answers: [{ status: statuses.noContent, description: 'The label is removed.' }],
    problems: ['not_found', 'unavailable'],
    async handle(call, { path }) {
      const order = { ...authorOf(call, statuses.noContent), labelId: path.label_id, reason: '' }
      const outcome = await removeOwnLabel({ database, followers }, order)
      if (outcome === 'unknown') return refuse('not_found', 'The account has no such label.')
      const answer = { status: statuses.noContent, body: null }
      return outcome === 'removed' ? recorded(answer) : answer
    },
  })
}

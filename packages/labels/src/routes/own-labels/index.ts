/** Labels that an account states itself. */
import type { Endpoint } from '@cupel/gate/http'
import { getOwnLabelEndpoint, listOwnLabelsEndpoint } from './list-own-labels.js'
import type { OwnLabelParts } from './own-label-description.js'
import { removeOwnLabelEndpoint } from './remove-own-label.js'
import { stateOwnLabelEndpoint } from './state-own-label.js'

export const ownLabelEndpoints = (parts: OwnLabelParts): readonly Endpoint[] => [
  stateOwnLabelEndpoint(parts),
  listOwnLabelsEndpoint(parts),
  getOwnLabelEndpoint(parts),
  removeOwnLabelEndpoint(parts),
]

/** Every endpoint of proposed changes. */
import type { Endpoint } from '../../http/index.js'
import type { ProposedChangeParts } from './change-description.js'
import { decideProposedChange } from './decide-change.js'
import { proposeChangeEndpoint } from './propose-change.js'
import { getProposedChange, listProposedChanges } from './read-changes.js'

export type { ProposedChangeParts } from './change-description.js'

export const proposedChangeEndpoints = (parts: ProposedChangeParts): readonly Endpoint[] => [
  proposeChangeEndpoint(parts),
  listProposedChanges(parts),
  getProposedChange(parts),
  decideProposedChange(parts),
]

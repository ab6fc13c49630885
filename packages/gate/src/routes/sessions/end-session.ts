/** DELETE /v1/sessions/current: signs out. */
import { endSession as endStoredSession } from '../../access/index.js'
import { keyedEndpoint, type Endpoint, statuses } from '../../http/index.js'
import { type SessionParts } from './session-description.js'

export function endSession({ database }: SessionParts): Endpoint {
  return keyedEndpoint({
    operationId: 'endSession',
    method: 'DELETE',
    path: '/v1/sessions/current',
    tag: 'Sessions',
    summary: 'End the current session',
    description:
      'The token of the call stops working at once, everywhere. A read-only session may end itself. A call with a key ends nothing.',
    access: 'read-only',
    answers: [{ status: statuses.noContent, description: 'The session is over.' }],
    problems: ['unavailable'],
    async handle({ caller }) {
      if (caller.session !== null) await endStoredSession(database, caller.session.sessionId)
      return { status: statuses.noContent, body: null }
    },
  })
}

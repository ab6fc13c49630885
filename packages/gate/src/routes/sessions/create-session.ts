/** POST /v1/sessions: exchanges a key for the token of a session, which a browser can hold for some hours. */
import { beginSession } from '../../access/index.js'
import { jsonAnswer, keyedEndpoint, type Endpoint, refuse, statuses } from '../../http/index.js'
import {
  newSessionSchema,
  sessionDocument,
  sessionExample,
  type SessionParts,
} from './session-description.js'

export function createSession({ database }: SessionParts): Endpoint {
  return keyedEndpoint({
    operationId: 'createSession',
    method: 'POST',
    path: '/v1/sessions',
    tag: 'Sessions',
    summary: 'Begin a session',
    description:
      'Exchanges the API key of the call for a session token, which every endpoint takes in place of the key. A call with the token counts as a call with the key: its scope, rate limit and addresses apply, and the session ends when the key is revoked or expires. It ends after 8 hours, or when no call used it for an hour. A key has at most 500 sessions; a further one ends the oldest. The call carries a key, not a session token.',
    access: 'read-only',
    answers: [
      {
        status: statuses.created,
        description: 'The session, with its token.',
        contentType: 'application/json',
        schema: newSessionSchema,
        example: {
          session_token: 'cupel_session_…',
          ...sessionExample,
        },
      },
    ],
    problems: ['key_required', 'unavailable'],
    async handle({ caller }) {
      if (caller.session !== null)
        return refuse('key_required', 'A session cannot begin another one; send the API key.')
      const { token, sessionId, expiresAt } = await beginSession(database, { keyId: caller.keyId, actor: '' })
      const session = { sessionId, actor: '', subject: '', expiresAt }
      const document = { session_token: token, ...sessionDocument({ ...caller, session }) }
      return jsonAnswer(statuses.created, JSON.stringify(document))
    },
  })
}

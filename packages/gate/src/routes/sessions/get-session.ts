/** GET /v1/sessions/current: the identity of the caller. */
import { jsonAnswer, keyedEndpoint, type Endpoint } from '../../http/index.js'
import { sessionDocument, sessionExample, sessionSchema } from './session-description.js'

export function getSession(): Endpoint {
  return keyedEndpoint({
    operationId: 'getSession',
    method: 'GET',
    path: '/v1/sessions/current',
    tag: 'Sessions',
    summary: 'Get the current session',
    description:
      'The account, key and scope that the call counts as, and when its session ends. A call with a key is answered too; its `expires_at` is null.',
    access: 'read-only',
    usesStore: false,
    answers: [
      {
        status: 200,
        description: 'The session.',
        contentType: 'application/json',
        schema: sessionSchema,
        example: sessionExample,
      },
    ],
    problems: [],
    handle: ({ caller }) => Promise.resolve(jsonAnswer(200, JSON.stringify(sessionDocument(caller)))),
  })
}

/** POST /v1/sessions/oidc: exchanges the ID token of a person for the token of a session. */
import { z } from 'zod'
import type { SignInKey } from '../../access/index.js'
import { jsonAnswer, personEndpoint, type Endpoint, orAbsent, text, statuses } from '../../http/index.js'
import { NO_SIGN_IN_SERVICE } from './person-sign-in.js'
import {
  newSessionSchema,
  sessionDocument,
  sessionExample,
  type SessionParts,
} from './session-description.js'

const MAX_TOKEN_LENGTH = 65_536
const MIN_NONCE_LENGTH = 32
const MAX_NONCE_LENGTH = 128

const body = z
  .strictObject({
    id_token: text(MAX_TOKEN_LENGTH).describe(
      'The ID token, as the sign-in service signed it for the configured client in the last five minutes.',
    ),
    nonce: text(MAX_NONCE_LENGTH, MIN_NONCE_LENGTH).describe(
      'The secret whose SHA-256 in base64url is the `nonce` of the ID token.',
    ),
    key_id: orAbsent(text(MAX_NONCE_LENGTH)).describe(
      'The key to act with, where the groups of the person are mapped to several.',
    ),
  })
  .meta({ id: 'OidcSessionRequest' })

const choiceSchema = z
  .object({
    key_id: z.string(),
    key_name: z.string(),
    account_id: z.string(),
    account_name: z.string(),
    livemode: z.boolean(),
    scope: z.string(),
  })
  .meta({ id: 'SignInKey' })

const choicesSchema = z.object({ choices: z.array(choiceSchema) }).meta({ id: 'SignInChoice' })

const choiceExample: z.infer<typeof choicesSchema> = {
  choices: [
    {
      key_id: sessionExample.key_id,
      key_name: 'desk',
      account_id: sessionExample.account_id,
      account_name: 'Example Exchange',
      livemode: true,
      scope: 'read-write',
    },
  ],
}

export function createOidcSession({ signIn }: SessionParts): Endpoint {
  return personEndpoint<z.infer<typeof body>>({
    operationId: 'createOidcSession',
    method: 'POST',
    path: '/v1/sessions/oidc',
    tag: 'Sessions',
    summary: 'Begin a session of a person',
    description:
      'Exchanges the ID token of the configured sign-in service for a session token. The operator maps groups of people to API keys: the session acts with such a key, and the audit log names the person. Where the groups of the person are mapped to several keys, the answer lists them and no session begins; call again with a new ID token and the `key_id` that the person chose. Each ID token counts once. A refused ID token counts as a failed authentication of its client.',
    access: 'person',
    closed: signIn === null ? NO_SIGN_IN_SERVICE : null,
    bodySchema: body,
    bodyExample: {
      id_token: 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIyNDgyODk3NjEwMDEifQ.c2lnbmF0dXJl',
      nonce: 'NzMyMDM0ZWQtZTQ0OC00NmEyLWI1NTgtNjA5YTM0',
    },
    answers: [
      {
        status: statuses.created,
        description: 'The session, with its token.',
        contentType: 'application/json',
        schema: newSessionSchema,
        example: { session_token: 'cupel_session_…', ...sessionExample, actor: 'Ann Example (248289761001)' },
      },
      {
        status: statuses.ok,
        description: 'Several keys to choose from; no session has begun.',
        contentType: 'application/json',
        schema: choicesSchema,
        example: choiceExample,
      },
    ],
    problems: [],
    async handle({ clientAddress }, { body: given }) {
      const { id_token: idToken, nonce: nonceSecret, key_id: keyId = null } = given
      const result = await signIn!({ idToken, nonceSecret, keyId, clientAddress })
      if (result.kind === 'refused') return result.refused
      if (result.kind === 'choice') {
        const document = JSON.stringify({ choices: result.choices.map(choiceOf) })
        const answer = jsonAnswer(statuses.ok, document)
        return { result: answer, caller: null, actor: result.actor, refusedBecause: null }
      }
      const { caller, session } = result
      const document = { session_token: session.token, ...sessionDocument(caller) }
      const answer = jsonAnswer(statuses.created, JSON.stringify(document))
      return { result: answer, caller, actor: '', refusedBecause: null }
    },
  })
}

const choiceOf = (key: SignInKey): z.infer<typeof choiceSchema> => ({
  key_id: key.keyId,
  key_name: key.keyName,
  account_id: key.accountId,
  account_name: key.accountName,
  livemode: key.environment === 'live',
  scope: key.scope,
})

/** POST /v1/keys: issues an API key, which only the answer shows. */
import { issueKey, MAX_ISSUED_KEYS, MAX_WORKING_KEYS } from '../../access/index.js'
import { z } from 'zod'
import { jsonAnswer, keyedEndpoint, type Endpoint, statuses, orAbsent, text } from '../../http/index.js'
import {
  expiryField,
  keyAuthor,
  keyRefusal,
  KEYS_TAG,
  keyText,
  namedTenant,
  nameField,
  needsSecondPerson,
  newKeyComponent,
  newKeyExample,
  ownKey,
  planField,
  rangesField,
  reasonField,
  scopeField,
  webhookAdminField,
  type KeyParts,
} from './key-description.js'

const MAX_ACCOUNT_ID_LENGTH = 64

/** What is asked of a new key. */
export const newKeyFields = {
  scope: scopeField,
  plan: orAbsent(planField).describe('That of the calling key where absent.'),
  name: nameField,
  allowed_ips: orAbsent(rangesField).describe(
    'Addresses and CIDR ranges from which the key may be used. Absent: those of the calling key.',
  ),
  webhook_admin: orAbsent(webhookAdminField).describe(
    'True if the key may change webhook endpoints; false where absent.',
  ),
  expires_at: orAbsent(expiryField).describe(
    'When the key expires. Absent: when the calling key does, if it does.',
  ),
  account_id: orAbsent(text(MAX_ACCOUNT_ID_LENGTH)).describe('For operators: the account of the key.'),
  livemode: orAbsent(z.boolean()).describe('For operators: false for a key of the sandbox.'),
}

const newKeyBody = z
  .strictObject({ ...newKeyFields, reason: reasonField.describe('Why, for the audit log.') })
  .meta({ id: 'NewApiKeyRequest' })
export type NewKeyBody = z.infer<typeof newKeyBody>

export function createApiKey(parts: KeyParts): Endpoint {
  const { database, personalData } = parts
  return keyedEndpoint<undefined, undefined, NewKeyBody>({
    operationId: 'createApiKey',
    method: 'POST',
    path: '/v1/keys',
    tag: KEYS_TAG,
    summary: 'Issue an API key',
    description: `The answer shows the key once; only its hash is stored. The new key has no right that the calling key lacks: no greater scope or plan, no later end, no further addresses. An operator’s key issues keys for any account, as many as it wants; an admin issues none where the account has ${MAX_WORKING_KEYS} that work, or issued ${MAX_ISSUED_KEYS.toLocaleString('en')} in 30 days, in its environment. No call gives the scope operator.`,
    access: 'admin',
    bodySchema: newKeyBody,
    bodyExample: {
      scope: 'read-write',
      name: 'screening',
      allowed_ips: ['203.0.113.0/24'],
      reason: 'the new payment service',
    },
    answers: [
      {
        status: statuses.created,
        description: 'The key, shown once.',
        contentType: 'application/json',
        schema: newKeyComponent,
        headers: { Location: { description: 'Path of the key.', schema: z.string() } },
        example: newKeyExample,
      },
    ],
    problems: ['not_found', 'scope_required', 'second_person_required', 'unavailable'],
    async handle(call, { body }) {
      if (parts.needsSecondPerson) return needsSecondPerson()
      const tenant = namedTenant(call.caller, body)
      if ('code' in tenant) return tenant
      try {
        const own = await ownKey(parts, call.caller)
        const made = await issueKey(database, {
          ...{ ...tenant, ...keyAuthor(call), sealing: personalData },
          ...{ scope: body.scope, plan: body.plan ?? own.plan, webhookAdmin: body.webhook_admin ?? false },
          allowedIps: body.allowed_ips ?? own.allowedIps,
          expiresAt: body.expires_at ?? own.expiresAt,
          reason: body.reason ?? '',
          ...(body.name === undefined ? {} : { name: body.name }),
        })
        const location = `/v1/keys/${made.keyId}`
        return jsonAnswer(statuses.created, await keyText(parts, made, { key: made.key }), { location })
      } catch (error) {
        return keyRefusal(error)
      }
    },
  })
}

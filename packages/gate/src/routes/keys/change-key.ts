/** PATCH /v1/keys/{key_id}: other rights or another name for an API key, which stays the same key. */
import { changeKey, type KeyChange } from '../../access/index.js'
import { z } from 'zod'
import { jsonAnswer, keyedEndpoint, type Endpoint, statuses, orAbsent } from '../../http/index.js'
import {
  expiryField,
  keyAuthor,
  keyComponent,
  keyExample,
  keyPath,
  keyRefusal,
  KEYS_TAG,
  keyText,
  nameField,
  needsSecondPerson,
  planField,
  rangesField,
  reasonField,
  scopeField,
  webhookAdminField,
  type KeyParts,
  type KeyPath,
} from './key-description.js'

/** What may be changed of a key. */
export const changeFields = {
  scope: orAbsent(scopeField),
  plan: orAbsent(planField),
  name: nameField,
  allowed_ips: orAbsent(rangesField),
  webhook_admin: orAbsent(webhookAdminField),
  expires_at: expiryField.nullable().optional().describe('When the key expires; null for never.'),
}

const changeBody = z
  .strictObject({ ...changeFields, reason: reasonField.describe('Why, for the audit log.') })
  .refine((body) => Object.keys(changeOf(body)).length > 0, { error: 'Nothing to change is given' })
  .meta({ id: 'ApiKeyChange', minProperties: 1 })

export interface ChangeBody {
  readonly scope?: KeyChange['scope'] | undefined
  readonly plan?: KeyChange['plan'] | undefined
  readonly name?: string | undefined
  readonly allowed_ips?: readonly string[] | undefined
  readonly webhook_admin?: boolean | undefined
  readonly expires_at?: string | null | undefined
}

export function changeOf(body: ChangeBody): KeyChange {
  const change = {
    ...{ scope: body.scope, plan: body.plan, name: body.name, allowedIps: body.allowed_ips },
    ...{ webhookAdmin: body.webhook_admin, expiresAt: body.expires_at },
  }
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}

export function changeApiKey(parts: KeyParts): Endpoint {
  return keyedEndpoint<KeyPath, undefined, z.infer<typeof changeBody>>({
    operationId: 'changeApiKey',
    method: 'PATCH',
    path: '/v1/keys/{key_id}',
    tag: KEYS_TAG,
    summary: 'Change an API key',
    description:
      'Changes the given fields from the next call on; whoever holds the key goes on with it. It gains no right if it then has any that the calling key lacks. A key does not change itself, so that an account keeps the key that administers it.',
    access: 'admin',
    pathSchema: keyPath,
    bodySchema: changeBody,
    bodyExample: { allowed_ips: ['203.0.113.0/24'], reason: 'the office moved' },
    answers: [
      {
        status: statuses.ok,
        description: 'The key as it is now.',
        contentType: 'application/json',
        schema: keyComponent,
        example: keyExample,
      },
    ],
    problems: ['not_found', 'scope_required', 'key_conflict', 'second_person_required', 'unavailable'],
    async handle(call, { path, body }) {
      if (parts.needsSecondPerson) return needsSecondPerson()
      const order = { keyId: path.key_id, change: changeOf(body), reason: body.reason ?? '' }
      try {
        const sealing = parts.personalData
        const key = await changeKey(parts.database, { ...order, ...keyAuthor(call), sealing })
        return jsonAnswer(statuses.ok, await keyText(parts, key))
      } catch (error) {
        return keyRefusal(error)
      }
    },
  })
}

/** POST /v1/keys/{key_id}/rotate and /revoke: a successor for an API key, or its end. */
import { revokeKey, ROTATION_OVERLAP_MS, rotateKey } from '../../access/index.js'
import { z } from 'zod'
import { jsonAnswer, keyedEndpoint, type Endpoint, statuses, orAbsent } from '../../http/index.js'
import {
  keyAuthor,
  keyComponent,
  keyExample,
  keyPath,
  keyRefusal,
  KEYS_TAG,
  needsSecondPerson,
  keyText,
  newKeyComponent,
  newKeyExample,
  reasonField,
  type KeyParts,
  type KeyPath,
} from './key-description.js'

const HOUR_MS = 3_600_000
const MAX_OVERLAP_HOURS = 720
const OVERLAP_HOURS = ROTATION_OVERLAP_MS / HOUR_MS

export const overlapField = orAbsent(z.number().min(0).max(MAX_OVERLAP_HOURS)).describe(
  `For so long the old key works as well; 0 ends it at once. ${OVERLAP_HOURS} where absent.`,
)

const rotateBody = z
  .strictObject({ overlap_hours: overlapField, reason: reasonField.describe('Why, for the audit log.') })
  .meta({ id: 'ApiKeyRotationRequest' })

export function rotateApiKey(parts: KeyParts): Endpoint {
  return keyedEndpoint<KeyPath, undefined, z.infer<typeof rotateBody>>({
    operationId: 'rotateApiKey',
    method: 'POST',
    path: '/v1/keys/{key_id}/rotate',
    tag: KEYS_TAG,
    summary: 'Rotate an API key',
    description:
      'Issues a successor with the same rights, which only the answer shows. A key may rotate itself; another one only if it has all of its rights.',
    access: 'admin',
    pathSchema: keyPath,
    bodySchema: rotateBody,
    bodyExample: { overlap_hours: OVERLAP_HOURS, reason: 'one year old' },
    answers: [
      {
        status: statuses.created,
        description: 'The successor, shown once.',
        contentType: 'application/json',
        schema: newKeyComponent,
        headers: { Location: { description: 'Path of the successor.', schema: z.string() } },
        example: { ...newKeyExample, key_id: '3c9d2e1f', rotated_from: keyExample.key_id },
      },
    ],
    problems: ['not_found', 'scope_required', 'key_conflict', 'second_person_required', 'unavailable'],
    async handle(call, { path, body }) {
      // Its own successor gives nobody a key who had none, unless a session stands for the key: its person may never have seen it.
      const hasKey = path.key_id === call.caller.keyId && call.caller.session === null
      if (parts.needsSecondPerson && !hasKey) return needsSecondPerson()
      const overlapMs = (body.overlap_hours ?? OVERLAP_HOURS) * HOUR_MS
      const order = { keyId: path.key_id, overlapMs, reason: body.reason ?? '', sealing: parts.personalData }
      try {
        const made = await rotateKey(parts.database, { ...order, ...keyAuthor(call) })
        const location = `/v1/keys/${made.keyId}`
        return jsonAnswer(statuses.created, await keyText(parts, made, { key: made.key }), { location })
      } catch (error) {
        return keyRefusal(error)
      }
    },
  })
}

const revokeBody = z
  .strictObject({ reason: reasonField.describe('Why, for the audit log.') })
  .meta({ id: 'ApiKeyRevocationRequest' })

export function revokeApiKey(parts: KeyParts): Endpoint {
  return keyedEndpoint<KeyPath, undefined, z.infer<typeof revokeBody>>({
    operationId: 'revokeApiKey',
    method: 'POST',
    path: '/v1/keys/{key_id}/revoke',
    tag: KEYS_TAG,
    summary: 'Revoke an API key',
    description:
      'The key and its sessions are refused from the next call on, everywhere. Revoking it twice changes nothing. A key does not revoke itself.',
    access: 'admin',
    pathSchema: keyPath,
    bodySchema: revokeBody,
    bodyExample: { reason: 'it was printed' },
    answers: [
      {
        status: statuses.ok,
        description: 'The key as it ended.',
        contentType: 'application/json',
        schema: keyComponent,
        example: { ...keyExample, status: 'revoked', revoked_at: '2026-11-22T09:00:00.000Z' },
      },
    ],
    problems: ['not_found', 'scope_required', 'key_conflict', 'unavailable'],
    async handle(call, { path, body }) {
      const order = { keyId: path.key_id, reason: body.reason ?? 'revoked', sealing: parts.personalData }
      try {
        const key = await revokeKey(parts.database, { ...order, ...keyAuthor(call) })
        return jsonAnswer(statuses.ok, await keyText(parts, key))
      } catch (error) {
        return keyRefusal(error)
      }
    },
  })
}

/** GET /v1/keys/{key_id}: one API key, without the key itself. */
import { findKey } from '../../access/index.js'
import { jsonAnswer, keyedEndpoint, type Endpoint } from '../../http/index.js'
import {
  isVisible,
  keyComponent,
  keyExample,
  keyPath,
  KEYS_TAG,
  keyText,
  unknownKey,
  type KeyParts,
  type KeyPath,
} from './key-description.js'

export function getApiKey(parts: KeyParts): Endpoint {
  return keyedEndpoint<KeyPath>({
    operationId: 'getApiKey',
    method: 'GET',
    path: '/v1/keys/{key_id}',
    tag: KEYS_TAG,
    summary: 'Get an API key',
    description: 'The key as it is now, without the key itself.',
    access: 'admin',
    pathSchema: keyPath,
    answers: [
      {
        status: 200,
        description: 'The key.',
        contentType: 'application/json',
        schema: keyComponent,
        example: keyExample,
      },
    ],
    problems: ['not_found', 'unavailable'],
    async handle({ caller }, { path }) {
      const key = await findKey(parts.database, path.key_id)
      return key === null || !isVisible(caller, key)
        ? unknownKey()
        : jsonAnswer(200, await keyText(parts, key))
    },
  })
}

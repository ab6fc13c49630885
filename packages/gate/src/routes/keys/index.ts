/** Every endpoint of API keys. */
import type { Endpoint } from '../../http/index.js'
import { changeApiKey } from './change-key.js'
import { createApiKey } from './create-key.js'
import { revokeApiKey, rotateApiKey } from './end-key.js'
import { getApiKey } from './get-key.js'
import type { KeyParts } from './key-description.js'
import { listApiKeys } from './list-keys.js'

export function keyEndpoints(parts: KeyParts): readonly Endpoint[] {
  return [
    listApiKeys(parts),
    createApiKey(parts),
    getApiKey(parts),
    changeApiKey(parts),
    rotateApiKey(parts),
    revokeApiKey(parts),
  ]
}

/** Every endpoint of keys, accounts and sessions. */
import type { Endpoint } from '@cupel/gate/http'
import { accountEndpoints } from './accounts/index.js'
import { keyEndpoints } from './keys/index.js'
import type { KeyParts } from './keys/key-description.js'
import { sessionEndpoints } from './sessions/index.js'
import type { SessionParts } from './sessions/session-description.js'

interface Parts {
  readonly keys: KeyParts
  readonly sessions: SessionParts
}

export const accountsFeature = ({ keys, sessions }: Parts): readonly Endpoint[] => [
  ...keyEndpoints(keys),
  ...accountEndpoints(keys),
  ...sessionEndpoints(sessions),
]

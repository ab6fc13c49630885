/** Every endpoint of watches and of the inbox. */
import type { Endpoint } from '@cupel/gate/http'
import { inboxEndpoints } from './inbox/index.js'
import { watchEndpoints, type WatchParts } from './watches/index.js'

export const watchesFeature = (parts: WatchParts): readonly Endpoint[] => [
  ...watchEndpoints(parts),
  ...inboxEndpoints(parts),
]

/** Every endpoint of watches. */
import type { Endpoint } from '@cupel/gate/http'
import { createWatchesEndpoint } from './create-watches.js'
import { getWatchEndpoint } from './get-watch.js'
import { listWatchesEndpoint } from './list-watches.js'
import { removeWatchEndpoint } from './remove-watch.js'
import type { WatchParts } from './watch-description.js'

export type { WatchParts } from './watch-description.js'

export function watchEndpoints(parts: WatchParts): readonly Endpoint[] {
  return [
    createWatchesEndpoint(parts),
    listWatchesEndpoint(parts),
    getWatchEndpoint(parts),
    removeWatchEndpoint(parts),
  ]
}

/** DELETE /v1/watches/{watch_id}: ends a watch at once, and for good. */
import { removeWatch } from '../../index.js'
import { keyedEndpoint, recorded, type Endpoint, refuse, statuses } from '@cupel/gate/http'
import { authorOf, watchPath, type WatchParts, type WatchPath } from './watch-description.js'

export function removeWatchEndpoint({ database }: WatchParts): Endpoint {
  return keyedEndpoint<WatchPath>({
    operationId: 'removeWatch',
    method: 'DELETE',
    path: '/v1/watches/{watch_id}',
    tag: 'Watches',
    summary: 'Remove a watch',
    description: 'The address is not decided again. Its reports stay.',
    access: 'read-write',
    pathSchema: watchPath,
    answers: [{ status: statuses.noContent, description: 'The watch is removed.' }],
    problems: ['not_found', 'unavailable'],
    async handle(call, { path }) {
      const order = { ...authorOf(call, statuses.noContent), watchId: path.watch_id }
      const isRemoved = await removeWatch(database, order)
      if (!isRemoved) return refuse('not_found', 'There is no such watch.')
      return recorded({ status: statuses.noContent, body: null })
    },
  })
}

/** GET /v1/watches/{watch_id}: one watch, with the last report of its address. */
import { getWatch } from '../../index.js'
import { jsonAnswer, keyedEndpoint, type Endpoint, refuse } from '@cupel/gate/http'
import {
  listReasons,
  ownerOf,
  watchComponent,
  watchDocument,
  watchExample,
  watchPath,
  type WatchParts,
  type WatchPath,
} from './watch-description.js'

export function getWatchEndpoint({ database }: WatchParts): Endpoint {
  return keyedEndpoint<WatchPath>({
    operationId: 'getWatch',
    method: 'GET',
    path: '/v1/watches/{watch_id}',
    tag: 'Watches',
    summary: 'Read a watch',
    description: 'With the last report of its address, once that was decided, and the state of the lists.',
    access: 'read-only',
    pathSchema: watchPath,
    answers: [
      {
        status: 200,
        description: 'The watch.',
        contentType: 'application/json',
        schema: watchComponent,
        example: watchExample,
      },
    ],
    problems: ['not_found', 'unavailable'],
    async handle(call, { path }) {
      const owner = ownerOf(call)
      const watch = await getWatch(database, owner, path.watch_id)
      if (watch === null) return refuse('not_found', 'There is no such watch.')
      return jsonAnswer(200, JSON.stringify(watchDocument(watch, await listReasons(database, owner))))
    },
  })
}

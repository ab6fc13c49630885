/** GET /postman.json: the API as a collection of Postman. */
import { z } from 'zod'
import { PUBLIC_FOR_MINUTES, jsonAnswer, openEndpoint, type Endpoint } from '../../http/index.js'

/** `collection` is called per request: the collection contains this endpoint too. */
export function getPostmanCollection(collection: () => Uint8Array): Endpoint {
  return openEndpoint({
    operationId: 'getPostmanCollection',
    method: 'GET',
    path: '/postman.json',
    tag: 'Documentation',
    summary: 'A Postman collection of this API',
    description: 'Collection format 2.1: set `base_url` and `api_key`. Needs no key.',
    access: 'open',
    usesStore: false,
    answers: [
      {
        status: 200,
        description: 'The collection.',
        contentType: 'application/json',
        headers: { 'Cache-Control': PUBLIC_FOR_MINUTES },
        schema: z.record(z.string(), z.unknown()),
        example: { info: { name: 'Cupel API' } },
      },
    ],
    problems: [],
    handle: () => jsonAnswer(200, collection(), { 'cache-control': PUBLIC_FOR_MINUTES.example }),
  })
}

/** GET /openapi.json: the description of everything served here. */
import { z } from 'zod'
import { PUBLIC_FOR_MINUTES, jsonAnswer, openEndpoint, type Endpoint } from '../../http/index.js'

/** `document` is called per request: the description contains this endpoint too. */
export function getOpenapi(document: () => Uint8Array): Endpoint {
  return openEndpoint({
    operationId: 'getOpenapi',
    method: 'GET',
    path: '/openapi.json',
    tag: 'Documentation',
    summary: 'The description of this API',
    description: 'OpenAPI 3.1. Needs no key.',
    access: 'open',
    usesStore: false,
    answers: [
      {
        status: 200,
        description: 'The description.',
        contentType: 'application/json',
        headers: { 'Cache-Control': PUBLIC_FOR_MINUTES },
        schema: z.record(z.string(), z.unknown()),
        example: { openapi: '3.1.1' },
      },
    ],
    problems: [],
    handle: () => jsonAnswer(200, document(), { 'cache-control': PUBLIC_FOR_MINUTES.example }),
  })
}

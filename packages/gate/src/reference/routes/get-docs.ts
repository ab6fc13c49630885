/** GET /docs: the description of the API, for people. */
import { z } from 'zod'
import { PUBLIC_FOR_MINUTES, openEndpoint, type Endpoint, text, scriptedPolicy } from '../../http/index.js'
import { runScript } from '../run-script.js'

const docsQuery = z.strictObject({
  q: text(100, 0).optional().describe('Words to search for: the answer lists what has all of them.'),
})

/** `page` is called per request: the page shows this endpoint too. */
export function getDocs(page: (words: string) => string | Uint8Array): Endpoint {
  return openEndpoint<undefined, z.infer<typeof docsQuery>>({
    operationId: 'getDocs',
    method: 'GET',
    path: '/docs',
    tag: 'Documentation',
    summary: 'This API for people',
    description:
      'The description as a page, with samples for curl, TypeScript and Python. Its one script runs operations with a sandbox key that the reader types; it loads nothing. Needs no key.',
    querySchema: docsQuery,
    access: 'open',
    usesStore: false,
    answers: [
      {
        status: 200,
        description: 'The page.',
        contentType: 'text/html; charset=utf-8',
        headers: {
          'Cache-Control': PUBLIC_FOR_MINUTES,
          'Content-Security-Policy': {
            description:
              'The page loads nothing; its one style sheet and its one script are allowed by their hashes, and the script may call this origin.',
            schema: z.string(),
            example: scriptedPolicy(''),
          },
        },
        schema: z.string(),
        example: '<!doctype html>',
      },
    ],
    problems: [],
    handle: (_, { query }) => ({
      status: 200,
      contentType: 'text/html; charset=utf-8',
      headers: {
        'cache-control': PUBLIC_FOR_MINUTES.example,
        'content-security-policy': scriptedPolicy(runScript()),
      },
      body: page(query.q?.trim() ?? ''),
    }),
  })
}

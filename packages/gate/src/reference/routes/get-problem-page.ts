/** GET /problems/{code}: the page behind the type of a problem. */
import type { ProblemCode } from '@cupel/contracts'
import { z } from 'zod'
import {
  PUBLIC_FOR_MINUTES,
  openEndpoint,
  type Endpoint,
  refuse,
  contentSecurityPolicy,
} from '../../http/index.js'
import { isProblemCode } from '../problem-page.js'

const problemPath = z.object({
  code: z
    .string()
    .regex(/^[a-z_]{1,64}$/)
    .describe('The `code` of the problem.'),
})

export function getProblemPage(page: (code: ProblemCode) => Uint8Array): Endpoint {
  return openEndpoint<z.infer<typeof problemPath>>({
    operationId: 'getProblemPage',
    method: 'GET',
    path: '/problems/{code}',
    tag: 'Documentation',
    summary: 'The meaning of a problem',
    description:
      'The page that the `type` of a problem leads to: what it means, whether a repeat makes sense, and which operations answer with it. Needs no key.',
    access: 'open',
    usesStore: false,
    pathSchema: problemPath,
    answers: [
      {
        status: 200,
        description: 'The page.',
        contentType: 'text/html; charset=utf-8',
        headers: {
          'Cache-Control': PUBLIC_FOR_MINUTES,
          'Content-Security-Policy': {
            description: 'The page loads and runs nothing.',
            schema: z.string(),
            example: contentSecurityPolicy,
          },
        },
        schema: z.string(),
        example: '<!doctype html>',
      },
    ],
    problems: ['not_found'],
    handle: (_, { path }) =>
      isProblemCode(path.code)
        ? {
            status: 200,
            contentType: 'text/html; charset=utf-8',
            headers: {
              'cache-control': PUBLIC_FOR_MINUTES.example,
              'content-security-policy': contentSecurityPolicy,
            },
            body: page(path.code),
          }
        : refuse('not_found', 'There is no problem with this code.'),
  })
}

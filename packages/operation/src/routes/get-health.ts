/** GET /healthz: the process runs. It checks no dependency, because a restart would not repair one. */
import { z } from 'zod'
import { jsonAnswer, openEndpoint, type Endpoint } from '@cupel/gate/http'

export function getHealth(): Endpoint {
  return openEndpoint({
    operationId: 'getHealth',
    method: 'GET',
    path: '/healthz',
    tag: 'Health',
    summary: 'Check that the process runs',
    description: 'For liveness probes.',
    access: 'open',
    usesStore: false,
    answers: [
      {
        status: 200,
        description: 'It runs.',
        contentType: 'application/json',
        schema: z.object({ status: z.string() }).meta({ id: 'Health' }),
        example: { status: 'ok' },
      },
    ],
    problems: [],
    handle: () => jsonAnswer(200, '{"status":"ok"}'),
  })
}

/** GET /readyz: whether this instance would serve calls now. */
import { z } from 'zod'
import { jsonAnswer, openEndpoint, type Endpoint, refuse } from '@cupel/gate/http'

export function getReadiness(failing: () => readonly string[]): Endpoint {
  return openEndpoint({
    operationId: 'getReadiness',
    method: 'GET',
    path: '/readyz',
    tag: 'Health',
    summary: 'Check that calls would be served',
    description: 'For load balancers and readiness probes.',
    access: 'open',
    usesStore: false,
    answers: [
      {
        status: 200,
        description: 'Ready.',
        contentType: 'application/json',
        schema: z.object({ status: z.string() }).meta({ id: 'Readiness' }),
        example: { status: 'ready' },
      },
    ],
    problems: ['unavailable'],
    handle() {
      const names = failing()
      if (names.length === 0) return jsonAnswer(200, '{"status":"ready"}')
      return refuse('unavailable', `Not ready: ${names.join(', ')}.`, { retryAfterSeconds: 1 })
    },
  })
}

/** GET /v1/log/checkpoint: the last signed checkpoint of the transparency log. */
import { z } from 'zod'
import { keyedEndpoint, type Endpoint, refuse } from '@cupel/gate/http'

/** Null if nothing was signed yet. */
export type ReadLogCheckpoint = () => Promise<string | null>

/** The first checkpoint of an installation comes a few seconds after its start. */
const NO_CHECKPOINT_RETRY_SECONDS = 5

export function getLogCheckpoint(readCheckpoint: ReadLogCheckpoint): Endpoint {
  return keyedEndpoint({
    operationId: 'getLogCheckpoint',
    method: 'GET',
    path: '/v1/log/checkpoint',
    tag: 'Transparency log',
    summary: 'Get the checkpoint of the transparency log',
    description:
      'The last checkpoint of C2SP (tlog-checkpoint): name of the log, number of leaves, root of their hash tree, the signature of the installation, and lines of witnesses that cosigned it by now. Keep checkpoints: a later one that does not extend them shows that the history was changed. Where nothing was signed yet, and where the installation has no signing keys, the answer is 503 `unavailable` with `Retry-After`.',
    access: 'read-only',
    answers: [
      {
        status: 200,
        description: 'The checkpoint.',
        contentType: 'text/plain; charset=utf-8',
        schema: z.string().describe('A signed note of C2SP, to be kept byte for byte.'),
        example: EXAMPLE,
      },
    ],
    problems: ['unavailable'],
    async handle() {
      const checkpoint = await readCheckpoint()
      return checkpoint === null
        ? refuse('unavailable', 'The transparency log has no checkpoint yet.', {
            retryAfterSeconds: NO_CHECKPOINT_RETRY_SECONDS,
          })
        : { status: 200, contentType: 'text/plain; charset=utf-8', isOnlyCounted: true, body: checkpoint }
    },
  })
}

const EXAMPLE = `cupel/0b7a2c41d9e3/transparency/6f1d
2
3Xt6Qo4mYyM7Iq2lY0nF0d1yYyTq8w1vGk7VtQm9q4E=

— cupel/0b7a2c41d9e3 xk2PZ3p0c2lnbmF0dXJlIG9mIHRoZSBpbnN0YWxsYXRpb24=
`

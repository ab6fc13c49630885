/** The cost that callers without a key may cause. */
import type { Attack } from './attack.js'
import { requestOf, sendRaw } from './raw-http.js'

const BODY_BYTES = 1_048_576
const STRANGERS = 50

/** Only the head is judged: the API does not wait for a stranger's body. */
export const strangers: readonly Attack[] = [
  {
    name: `${STRANGERS} strangers announce 1 MiB and send none of it`,
    threat: 'cost',
    async run({ baseUrl }) {
      const { host } = new URL(baseUrl)
      const headers = [
        `Content-Length: ${BODY_BYTES}`,
        'Content-Type: application/json',
        'Idempotency-Key: a',
      ]
      const bytes = requestOf('POST', '/v1/screen', { host, headers })
      const answers = await Promise.all(Array.from({ length: STRANGERS }, () => sendRaw(baseUrl, { bytes })))
      const refused = answers.filter(({ status }) => status === 401).length
      return {
        limit: '401 before any byte of a body',
        measured: `${refused} of ${STRANGERS} were 401 after 0 bytes`,
        held: refused === STRANGERS,
      }
    },
  },
]

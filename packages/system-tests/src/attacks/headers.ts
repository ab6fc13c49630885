/** Headers in which a careless reader goes back and forth: one call must not hold the process up for others. */
import type { Attack } from './attack.js'
import { LABELLED } from './forged-report.js'
import { createClient } from '../client.js'

const NAMES = [
  ...['prefer', 'accept', 'if-none-match', 'if-match', 'forwarded', 'x-forwarded-for', 'traceparent'],
  ...['tracestate', 'cookie', 'range', 'idempotency-key', 'last-event-id', 'origin', 'user-agent'],
]
const PARTS = ['; ', ', ', '"', '\\"', 'a=', ' ', 'a;q=', '=,;', '%', '0']
/** Below the limit of all headers. */
const LENGTH = 8_000
const LIMIT_MS = 5_000

export const headers: readonly Attack[] = [
  {
    name: 'headers of 8 kB that fit no pattern',
    threat: 'cost',
    async run({ baseUrl, attacker, victim }) {
      const [hostile, ordinary] = [createClient([baseUrl], attacker.key), createClient([baseUrl], victim.key)]
      let slowest = { name: '', ms: 0 }
      try {
        for (const name of NAMES)
          for (const part of PARTS) {
            const value = `a${part.repeat(Math.floor(LENGTH / part.length))}@`
            const beganAt = performance.now()
            const body = JSON.stringify({ address: LABELLED })
            await Promise.all([
              hostile.send('POST', '/v1/screen', body, { [name]: value }),
              ordinary.send('GET', '/healthz'),
            ])
            const ms = Math.round(performance.now() - beganAt)
            if (ms > slowest.ms) slowest = { name, ms }
          }
      } finally {
        await Promise.all([hostile.close(), ordinary.close()])
      }
      return {
        limit: `${LIMIT_MS} ms`,
        measured: `${slowest.ms} ms with ${slowest.name}`,
        held: slowest.ms < LIMIT_MS,
      }
    },
  },
]

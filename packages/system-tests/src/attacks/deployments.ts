/** What the files of a deployment, and the settings of the operator, leave to callers. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '../client.js'
import { checkout } from '../installation.js'
import type { Attack } from './attack.js'
import { filesOf } from './texts.js'

const LABELLED = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const TRACES = 10
/** The operator has one trace in a hundred sampled: more than two of ten is what the caller wants. */
const MAX_SAMPLED = 2

export const deployments: readonly Attack[] = [
  {
    name: `${TRACES} calls that say that they are sampled`,
    threat: 'cost',
    isLong: true,
    async run(target) {
      await target.stop()
      // Nobody listens there: records of calls show what is sampled.
      await target.start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })
      const { baseUrl, attacker, installation } = target
      const client = createClient([baseUrl], attacker.key)
      try {
        // A trace id that every ratio takes.
        const ids = Array.from(
          { length: TRACES },
          () => `${randomBytes(10).toString('hex')}${'f'.repeat(12)}`,
        )
        for (const id of ids) {
          const traceparent = `00-${id}-${randomBytes(8).toString('hex')}-01`
          await client.send('POST', '/v1/screen', JSON.stringify({ address: LABELLED }), { traceparent })
        }
        const flags = new Map<string, string>()
        for (const [, bytes] of filesOf(installation.home))
          for (const id of ids)
            for (let at = bytes.indexOf(`00-${id}-`); at >= 0; at = bytes.indexOf(`00-${id}-`, at + 1))
              flags.set(id, bytes.toString('latin1', at + FLAG_AT, at + FLAG_AT + 2))
        const sampled = [...flags.values()].filter((flag) => flag !== '00').length
        return {
          limit: `at most ${MAX_SAMPLED} of ${TRACES} sampled, as the operator says`,
          measured: `${sampled} of ${flags.size} records of calls are sampled`,
          held: sampled <= MAX_SAMPLED && flags.size === TRACES,
        }
      } finally {
        await client.close()
        await target.stop()
        await target.start()
      }
    },
  },
  {
    name: 'another container of the edge network in compose that names another client',
    threat: 'identity',
    place: 'once',
    run() {
      const compose = readFileSync(join(checkout, 'docker-compose.yml'), 'utf8')
      const trusted = [...compose.matchAll(/CUPEL_TRUSTED_PROXIES: (.+)/g)].flatMap(([, each]) =>
        each!.split(/,(?=\$)/),
      )
      const ranges = trusted.filter((each) => !each.endsWith('/32'))
      return Promise.resolve({
        limit: 'every trusted proxy is one address',
        measured: `${trusted.length} trusted, ${ranges.length} of them ranges`,
        held: trusted.length > 0 && ranges.length === 0,
      })
    },
  },
]

/** Where the flag is in a traceparent. */
const FLAG_AT = '00-'.length + 32 + 1 + 16 + 1

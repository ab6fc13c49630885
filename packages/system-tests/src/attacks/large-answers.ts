/** Answers that are large for the API to make: an account has a few under way, whatever its number of keys. */
import { randomBytes } from 'node:crypto'
import { endedJob, submitJob } from '../bulk-client.js'
import { createClient } from '../client.js'
import type { Attack } from './attack.js'
import { whileHeld } from './strangers.js'
import { issueKey } from './target.js'

const ITEMS = 900
const KEYS = 6
/** Of each key: together far more than an account may have under way. */
const READS = 8
const JOB_TIMEOUT_MS = 300_000

export const largeAnswers: readonly Attack[] = [
  {
    name: `${KEYS * READS} tables of ${ITEMS} results by ${KEYS} keys of one account`,
    threat: 'cost',
    // A proxy reads an answer ahead of its caller.
    concerns: ({ proxy }) => proxy === null,
    async run(target) {
      const { baseUrl, attacker, installation } = target
      const client = createClient([baseUrl], attacker.key)
      const reading = new AbortController()
      try {
        const addresses = Array.from({ length: ITEMS }, () => `0x${randomBytes(20).toString('hex')}`)
        const { job_id: jobId } = await submitJob(client, addresses, `large-${Date.now()}`)
        await endedJob(client, jobId, JOB_TIMEOUT_MS)
        const keys: string[] = []
        for (let n = 0; n < KEYS; n += 1)
          keys.push(await issueKey(installation.home, attacker.accountId, ['--scope', 'read-only']))
        const refused = { count: 0 }
        const reads = keys.flatMap((key) =>
          Array.from({ length: READS }, async () => {
            const headers = { accept: 'text/csv', authorization: `Bearer ${key}` }
            const answer = await fetch(`${baseUrl}/v1/bulk/${jobId}/results`, {
              ...{ headers, signal: reading.signal },
            })
            if (answer.status === 429) refused.count += 1
          }),
        )
        const ended = Promise.allSettled(reads)
        const held = await whileHeld(target, [])
        reading.abort()
        await ended
        return {
          limit: `${held.limit}; beyond 16 answers under way: 429`,
          measured: `${held.measured}; ${refused.count} of ${reads.length} were 429`,
          held: held.held && refused.count > 0,
        }
      } finally {
        reading.abort()
        await client.close()
      }
    },
  },
]

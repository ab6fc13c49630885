/** Answers that are large for the API to make: an account has a few under way, whatever its number of keys. */
import { randomBytes } from 'node:crypto'
import { endedJob, submitJob } from '../bulk-client.js'
import { createClient, type Client } from '../client.js'
import type { Attack, Outcome } from './attack.js'
import { LABELLED } from './forged-report.js'
import { whileHeld } from './strangers.js'
import { issueKey, type Target } from './target.js'

const ITEMS = 900
const KEYS = 6
/** Of each key: together far more than an account may have under way. */
const READS = 8
const JOB_TIMEOUT_MS = 300_000
const FILE_BYTES = 2_000_000

export const largeAnswers: readonly Attack[] = [
  {
    name: `${KEYS * READS} tables of ${ITEMS} results by ${KEYS} keys of one account`,
    threat: 'cost',
    run: (target) =>
      readByManyKeys(target, 'text/csv', async (client) => {
        const addresses = Array.from({ length: ITEMS }, () => `0x${randomBytes(20).toString('hex')}`)
        const { job_id: jobId } = await submitJob(client, addresses, `large-${Date.now()}`)
        await endedJob(client, jobId, JOB_TIMEOUT_MS)
        return `/v1/bulk/${jobId}/results`
      }),
  },
  {
    name: `${KEYS * READS} reads of a file of 2 MB of a case by ${KEYS} keys of one account`,
    threat: 'cost',
    run: (target) =>
      readByManyKeys(target, 'application/octet-stream', async (client) => {
        const { report_id: id } = JSON.parse((await client.screen(LABELLED)).text) as { report_id: string }
        const content = Buffer.alloc(FILE_BYTES, 'a').toString('base64')
        const files = `/v1/reports/${id}/case/files`
        const { status, text } = await client.send('POST', files, JSON.stringify({ name: 'a.txt', content }))
        if (status !== 201) throw new Error(`A file is answered ${status}: ${text.slice(0, 200)}`)
        return `${files}/1`
      }),
  },
]

/** `make`: makes what is large, and resolves to its path. */
async function readByManyKeys(
  target: Target,
  accept: string,
  make: (client: Client) => Promise<string>,
): Promise<Outcome> {
  const { baseUrl, attacker, installation } = target
  const client = createClient([baseUrl], attacker.key)
  const reading = new AbortController()
  try {
    const path = await make(client)
    const keys: string[] = []
    for (let n = 0; n < KEYS; n += 1)
      keys.push(await issueKey(installation.home, attacker.accountId, ['--scope', 'read-only']))
    const refused = { count: 0 }
    const reads = keys.flatMap((key) =>
      Array.from({ length: READS }, async () => {
        const headers = { accept, authorization: `Bearer ${key}` }
        const answer = await fetch(baseUrl + path, { headers, signal: reading.signal })
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
}

/** A bulk job on each profile, as a caller and as an operator sees it. */
import { noteSkip } from '@cupel/testkit'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endedJob, submitJob, type BulkJob } from '../src/bulk-client.js'
import { createClient, type Client } from '../src/client.js'
import { cupel, enterpriseKey } from '../src/command.js'
import { createHome, removeHome, startInstallation, type Installation } from '../src/installation.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
if (missing !== undefined) noteSkip(`bulk jobs on the Kafka profile: ${missing}`)
const LABELLED = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
/** Only a hang takes longer. */
const END_TIMEOUT_MS = 120_000
const MOST_ROUNDS = 10
const profiles = [
  { name: 'embedded', kafka: false },
  { name: 'Kafka', kafka: true },
].filter(({ kafka }) => !kafka || missing === undefined)

describe.each(profiles)('the $name profile', ({ kafka }) => {
  const home = createHome()
  let installation: Installation
  let client: Client
  let key: string

  beforeAll(async () => {
    installation = await startInstallation({ kafka, home })
    key = await enterpriseKey(home)
    client = createClient(installation.ready.base_urls, key)
  })
  afterAll(async () => {
    await client?.close()
    await installation?.stop()
    removeHome(home)
  })

  test('screens 1,000 addresses as one job, and each result is the report of its address', async () => {
    const addresses = Array.from({ length: 1_000 }, (_, n) => `0x${(n + 1).toString(16).padStart(40, '0')}`)
    addresses[500] = LABELLED
    addresses[501] = 'nonsense'
    addresses[502] = LABELLED
    const beganAt = Date.now()
    const accepted = await submitJob(client, addresses, 'a-thousand')
    const job = await endedJob(client, accepted.job_id, END_TIMEOUT_MS)
    process.stdout.write(`bulk: 1,000 addresses in ${Date.now() - beganAt} ms\n`)
    expect(job).toMatchObject({ status: 'completed_with_errors', total: 1_000, completed: 999, failed: 1 })
    const results = job.results!
    expect(results.map(({ address }) => address)).toEqual(addresses)
    expect(results[500]!.report).toEqual(results[502]!.report)
    expect(new Set(results.flatMap(({ report }) => report?.report_id ?? [])).size).toBe(998)
    const sample = results[500]!.report!
    const { text } = await client.report(sample.report_id)
    expect(JSON.parse(text)).toEqual(sample)
  })

  test('is driven from the command line: submitted, followed, fetched', async () => {
    const file = join(home, 'addresses.csv')
    writeFileSync(file, `address,note\n${LABELLED},mine\nnonsense,bad\n`)
    const environment = { CUPEL_API_KEY: key }
    const submitted = await cupel(home, ['bulk', 'submit', file, '--wait', '--json'], environment)
    // One address has no report: the exit code says so.
    expect([submitted.exitCode, submitted.stderr]).toEqual([1, expect.stringContaining('2/2, 1 failed')])
    const job = JSON.parse(submitted.stdout) as BulkJob
    expect(job).toMatchObject({ status: 'completed_with_errors', completed: 1, failed: 1 })
    const results = await cupel(home, ['bulk', 'results', job.job_id], environment)
    expect(results.stdout).toContain(`0,${LABELLED},completed,`)
    const letters = await cupel(home, ['dead-letters', 'list', '--json'])
    expect(JSON.parse(letters.stdout)).toEqual({ dead_letters: [] })
  })

  test('is cancelled, and its place is free', async () => {
    const addresses = Array.from(
      { length: 1_000 },
      (_, n) => `0x${(n + 5_000).toString(16).padStart(40, '0')}`,
    )
    // A job can end before the coordinator reads its cancellation: then the next round cancels other jobs.
    let isCancelled = false
    for (let round = 1; !isCancelled && round <= MOST_ROUNDS; round += 1) {
      const names = [1, 2, 3, 4, 5].map((n) => `cancelled-${round}-${n}`)
      const jobs = await Promise.all(names.map((name) => submitJob(client, addresses, name)))
      await Promise.all(jobs.map(({ job_id: id }) => client.send('POST', `/v1/bulk/${id}/cancel`)))
      const ended = await Promise.all(jobs.map(({ job_id: id }) => endedJob(client, id, END_TIMEOUT_MS)))
      for (const { completed, failed, cancelled, total, status } of ended) {
        expect(completed + failed + cancelled).toBe(total)
        expect(status).toBe(cancelled > 0 ? 'cancelled' : 'completed')
        isCancelled ||= cancelled > 0
      }
    }
    expect(isCancelled).toBe(true)
    const next = await submitJob(client, [LABELLED], 'after-the-cancelled')
    expect((await endedJob(client, next.job_id, END_TIMEOUT_MS)).status).toBe('completed')
  }, 600_000)
})

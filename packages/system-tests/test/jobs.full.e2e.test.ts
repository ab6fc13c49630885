/** Bulk jobs and their webhooks on each profile, as callers, customers and operators see them. */
import { drawnWithin, noteSkip } from '@cupel/testkit'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endedJob, submitJob, type BulkJob } from '../src/bulk-client.js'
import { createClient, type Client } from '../src/client.js'
import { cupel, enterpriseKey } from '../src/command.js'
import { createHome, removeHome, startInstallation, type Installation } from '../src/installation.js'
import { until } from '../src/until.js'
import {
  createEndpoint,
  endsOf,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../src/webhook-receiver.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
if (missing !== undefined) noteSkip(`bulk jobs and webhooks on the Kafka profile: ${missing}`)
const LABELLED = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const DEVELOPMENT = { CUPEL_WEBHOOK_ALLOW: '127.0.0.0/8' }
/** Only a hang takes longer. */
const END_TIMEOUT_MS = 120_000
const ARRIVAL_MS = 120_000
const MOST_ROUNDS = 10
/** `npm test` draws one of them: tests of the coordinator and the dispatcher kill and compare jobs and webhooks of both. */
const profiles = drawnWithin(
  { name: 'jobs, profiles', minimum: 1 },
  [
    { name: 'embedded', kafka: false },
    { name: 'Kafka', kafka: true },
  ].filter(({ kafka }) => !kafka || missing === undefined),
)

describe.each(profiles)('the $name profile', ({ kafka }) => {
  const home = createHome()
  let installation: Installation
  let client: Client
  let key: string
  let receiver: WebhookReceiver

  beforeAll(async () => {
    receiver = await startWebhookReceiver()
    installation = await startInstallation({ kafka, home, environment: DEVELOPMENT })
    key = await enterpriseKey(home)
    client = createClient(installation.ready.base_urls, key)
  })
  afterAll(async () => {
    await client?.close()
    await installation?.stop()
    await receiver?.close()
    removeHome(home)
  })

  test('a job screens 1,000 addresses, and each result is the report of its address', async () => {
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

  test('a job is driven from the command line: submitted, followed, fetched', async () => {
    const file = join(home, 'addresses.csv')
    writeFileSync(file, `address,note\n${LABELLED},mine\nnonsense,bad\n`)
    const environment = { CUPEL_API_KEY: key }
    const submitted = await cupel(home, ['bulk', 'submit', file, '--wait', '--json'], environment)
    // One address has no report; the exit code shows it.
    expect([submitted.exitCode, submitted.stderr]).toEqual([1, expect.stringContaining('2/2, 1 failed')])
    const job = JSON.parse(submitted.stdout) as BulkJob
    expect(job).toMatchObject({ status: 'completed_with_errors', completed: 1, failed: 1 })
    const results = await cupel(home, ['bulk', 'results', job.job_id], environment)
    expect(results.stdout).toContain(`0,${LABELLED},completed,`)
    const letters = await cupel(home, ['dead-letters', 'list', '--json'])
    expect(JSON.parse(letters.stdout)).toEqual({ dead_letters: [] })
  })

  test('a job is cancelled, and its place is free', async () => {
    const addresses = Array.from(
      { length: 1_000 },
      (_, n) => `0x${(n + 5_000).toString(16).padStart(40, '0')}`,
    )
    // A job can end before the coordinator reads its cancellation. Then the next round cancels other jobs.
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

  test('webhooks tell both kinds of endpoints of a job, signed, with the results that GET shows', async () => {
    await createEndpoint(client, receiver, '/full', 'full')
    await createEndpoint(client, receiver, '/thin', 'thin')
    const { job_id: jobId } = await submitJob(client, [LABELLED, 'nonsense', LABELLED], 'told')
    const told = await until('both webhooks', ARRIVAL_MS, async () => {
      const of = endsOf(receiver).get(jobId) ?? []
      return of.length === 2 ? of : null
    })
    const job = await endedJob(client, jobId, ARRIVAL_MS)
    const [full] = told.filter((data) => 'results' in data)
    const [thin] = told.filter((data) => !('results' in data))
    expect(full!['results']).toEqual(job.results)
    for (const data of [full!, thin!])
      expect(data).toMatchObject({
        job_id: jobId,
        status: 'completed_with_errors',
        total: 3,
        completed: 2,
        failed: 1,
        cancelled: 0,
      })
    const resultsUrl = new URL(String(thin!['results_url']))
    const results = await client.send('GET', resultsUrl.pathname)
    expect((JSON.parse(results.text) as { items: unknown }).items).toEqual(job.results)
    expect(receiver.offences).toEqual([])
  })

  test('webhooks for a paused endpoint are held through a restart, and sent when it is resumed', async () => {
    const id = await createEndpoint(client, receiver, '/paused', 'thin')
    const patch = (status: string) =>
      client.send('PATCH', `/v1/webhook-endpoints/${id}`, JSON.stringify({ status }))
    expect((await patch('disabled')).status).toBe(200)
    const { job_id: jobId } = await submitJob(client, [LABELLED], 'held')
    await until('a held delivery', ARRIVAL_MS, async () => {
      const listed = await client.send('GET', `/v1/webhook-endpoints/${id}/deliveries?status=held`)
      const { items } = JSON.parse(listed.text) as { items: { job_id: string | null }[] }
      return items.some((one) => one.job_id === jobId)
    })
    expect(await installation.stop()).toBe(0)
    installation = await startInstallation({ kafka, home, environment: DEVELOPMENT })
    await client.close()
    client = createClient(installation.ready.base_urls, key)
    expect((await patch('enabled')).status).toBe(200)
    await until(
      'the webhook that was held',
      ARRIVAL_MS,
      async () => (endsOf(receiver).get(jobId) ?? []).length === 3,
    )
    expect(receiver.offences).toEqual([])
  }, 600_000)
})

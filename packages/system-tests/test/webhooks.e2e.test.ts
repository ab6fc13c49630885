/** Webhooks on each profile as a customer sees them. */
import { noteSkip } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endedJob, submitJob } from '../src/bulk-client.js'
import { createClient, type Client } from '../src/client.js'
import { enterpriseKey } from '../src/command.js'
import { createHome, removeHome, startInstallation, type Installation } from '../src/installation.js'
import { until } from '../src/until.js'
import {
  createEndpoint,
  endsOf,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../src/webhook-receiver.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
if (missing !== undefined) noteSkip(`webhooks on the Kafka profile: ${missing}`)
const LABELLED = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const DEVELOPMENT = { CUPEL_WEBHOOK_ALLOW: '127.0.0.0/8' }
const ARRIVAL_MS = 120_000
const profiles = [
  { name: 'embedded', kafka: false },
  { name: 'Kafka', kafka: true },
].filter(({ kafka }) => !kafka || missing === undefined)

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

  test('tells both kinds of endpoints of a job, signed, with the results that GET shows', async () => {
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

  test('holds what is for a paused endpoint through a restart, and sends it when it is resumed', async () => {
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

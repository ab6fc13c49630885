/** If an API dies while it takes or cancels a job, a retry under the same key finishes the work. */
import { topicOf, type DomainEvent } from '@cupel/contracts'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADDRESS, call, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'
import { startChild } from './start-child.js'

let installation: Installation
let url: string
let key: string
beforeAll(async () => {
  installation = await startInstallation()
  url = (await installation.api()).url
  key = (await installation.key()).key
})
afterAll(() => installation.stop())

async function bulkEvents(): Promise<DomainEvent[]> {
  const topic = topicOf('BulkSubmitted')
  const events: DomainEvent[] = []
  for (let partition = 0; partition < (await installation.log.partitionCount(topic)); partition += 1) {
    const to = await installation.log.endOffset(topic, partition)
    for await (const records of installation.log.read({ topic, partition, from: 0, to }))
      events.push(...records.map((record) => installation.codec.decode(record)))
  }
  return events
}

const submit = (to: string, idempotencyKey: string): Promise<Reply> =>
  call(to, 'POST', '/v1/bulk', {
    key,
    headers: { 'idempotency-key': idempotencyKey },
    body: { addresses: [ADDRESS, 'nonsense'] },
  })

test.each(['before:api.bulk-submitted:1', 'after:api.bulk-submitted:1'])(
  'killed %s, the retry gets the one job of its key, and it can be read',
  async (failpoint) => {
    const child = await startChild(installation, failpoint)
    await submit(child.url, failpoint).catch(() => undefined)
    expect(await child.died).toBe('SIGKILL')
    // The reservation of the dead attempt expires with its lease.
    const retried = await until(async () => {
      const reply = await submit(url, failpoint)
      expect(reply.status, reply.text).toBe(202)
      return reply
    })
    const jobId = String(retried.json()['job_id'])
    const job = await call(url, 'GET', `/v1/bulk/${jobId}`, { key })
    expect(job.json()).toMatchObject({ job_id: jobId, status: 'queued', total: 2, failed: 1 })
    expect((await submit(url, failpoint)).text).toBe(retried.text)
    // If the dead attempt had appended its submission, the retry finds it and answers with it. There is only one submission.
    const submissions = (await bulkEvents()).filter(({ envelope }) => envelope.subject === jobId)
    expect(submissions).toHaveLength(1)
  },
)

test.each([
  ['before:api.bulk-cancel-requested:1', 0],
  ['after:api.bulk-cancel-requested:1', 1],
])(
  'killed %s, the request to cancel is in the log or it is not, and asking again is safe',
  async (failpoint, expected) => {
    const jobId = String((await submit(url, `to cancel ${failpoint}`.replaceAll(' ', '-'))).json()['job_id'])
    const cancel = (to: string): Promise<Reply> => call(to, 'POST', `/v1/bulk/${jobId}/cancel`, { key })
    const requests = async (): Promise<number> =>
      (await bulkEvents()).filter(
        ({ type, envelope }) => type === 'BulkCancelRequested' && envelope.subject === jobId,
      ).length
    const child = await startChild(installation, failpoint)
    await cancel(child.url).catch(() => undefined)
    expect(await child.died).toBe('SIGKILL')
    expect(await requests()).toBe(expected)
    expect((await cancel(url)).status).toBe(202)
    expect(await requests()).toBe(expected + 1)
  },
)

/**
 * If an API dies while it answers a screen, the audit log holds the call exactly if the log holds its request. If it dies while it takes or
 * cancels a job, a retry under the same key finishes the work.
 */
import { createAccount, listAccounts } from '@cupel/gate/access'
import { noMetrics, silentLogger, topicOf, type DomainEvent } from '@cupel/contracts'
import { runReadModel } from '@cupel/projections'
import { auditView } from '@cupel/audit/read-model'
import { until } from '@cupel/testkit'
import { diesAt } from '@cupel/testkit/installation'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADDRESS, call, screen, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

let installation: Installation
let url: string
let projection: ReturnType<typeof runReadModel>
beforeAll(async () => {
  installation = await startInstallation()
  url = (await installation.api()).url
  const { log, codec, database } = installation
  const deps = { log, codec, database, logger: silentLogger, metrics: noMetrics }
  projection = runReadModel({ readModel: auditView, ...deps })
})
afterAll(async () => {
  await projection.stop()
  await installation.stop()
})

test.each([
  ['before:api.screen-requested:1', []],
  ['after:api.screen-requested:1', [{ route: '/v1/screen', status: 200, code: null }]],
])('killed %s', async (failpoint, expected) => {
  const { key, accountId } = await installation.key()
  await installation.apiDies(failpoint, (to) => screen(to, key))
  const accepted = (await installation.requests()).filter((request) => request.accountId === accountId)
  expect(accepted).toHaveLength(expected.length)
  // A later call comes after all records of the dead process, in the log and in the list.
  const later = await screen(url, key)
  await until(async () => {
    const { items } = (await call(url, 'GET', '/v1/audit-log', { key })).json() as { items: object[] }
    const screens = items.filter((item) => (item as { route: string }).route === '/v1/screen')
    expect(screens).toMatchObject([{ request_id: later.headers['request-id'] }, ...expected])
  })
  const [request] = accepted
  if (request === undefined) return
  // If the dead process accepted the request, its account can read the report.
  const report = await call(url, 'GET', `/v1/reports/${request.reportId}`, { key })
  expect(report.status).toBe(200)
})

test('killed after the report, before its call is recorded by itself: the list shows the report', async () => {
  const { key } = await installation.key()
  const failpoint = 'before:api.request-audited:1'
  installation.scorer.answer = 'fail'
  await installation.apiDies(failpoint, (to) => screen(to, key))
  installation.scorer.answer = 'report'
  await until(async () => {
    const { items } = (await call(url, 'GET', '/v1/audit-log', { key })).json() as { items: object[] }
    expect(items).toContainEqual(
      expect.objectContaining({ route: '/v1/screen', status: 500, code: 'screening_failed' }),
    )
  })
})

async function bulkEvents(): Promise<DomainEvent[]> {
  const records = await installation.records(topicOf('BulkSubmitted'))
  return records.map((record) => installation.codec.decode(record))
}

const submit = (to: string, key: string, idempotencyKey: string): Promise<Reply> =>
  call(to, 'POST', '/v1/bulk', {
    key,
    headers: { 'idempotency-key': idempotencyKey },
    body: { addresses: [ADDRESS, 'nonsense'] },
  })

test.each(['before:api.bulk-submitted:1', 'after:api.bulk-submitted:1'])(
  'killed %s, the retry gets the one job of its key, and it can be read',
  async (failpoint) => {
    const { key } = await installation.key()
    await installation.apiDies(failpoint, (to) => submit(to, key, failpoint))
    // The reservation of the dead attempt expires with its lease.
    const retried = await until(async () => {
      const reply = await submit(url, key, failpoint)
      expect(reply.status, reply.text).toBe(202)
      return reply
    })
    const jobId = String(retried.json()['job_id'])
    const job = await call(url, 'GET', `/v1/bulk/${jobId}`, { key })
    expect(job.json()).toMatchObject({ job_id: jobId, status: 'queued', total: 2, failed: 1 })
    expect((await submit(url, key, failpoint)).text).toBe(retried.text)
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
    const { key } = await installation.key()
    const jobId = String(
      (await submit(url, key, `to cancel ${failpoint}`.replaceAll(' ', '-'))).json()['job_id'],
    )
    const cancel = (to: string): Promise<Reply> => call(to, 'POST', `/v1/bulk/${jobId}/cancel`, { key })
    const requests = async (): Promise<number> =>
      (await bulkEvents()).filter(
        ({ type, envelope }) => type === 'BulkCancelRequested' && envelope.subject === jobId,
      ).length
    await installation.apiDies(failpoint, cancel)
    expect(await requests()).toBe(expected)
    expect((await cancel(url)).status).toBe(202)
    expect(await requests()).toBe(expected + 1)
  },
)

test.each(['before', 'after'])(
  'an account and its event are both there or neither is, killed %s the account is stored',
  async (side) => {
    const name = `Killed ${side}`
    await diesAt(installation.connectionString, `${side}:access.change:1`, ({ database }) =>
      createAccount(database, { name, by: 'ops' }),
    )
    const accounts = (await listAccounts(installation.database)).filter((account) => account.name === name)
    const events = await installation.database.query(
      `SELECT FROM projection.outbox WHERE event -> 'data' ->> 'name' = $1`,
      [name],
    )
    expect([accounts.length, events.length]).toEqual(side === 'before' ? [0, 0] : [1, 1])
  },
)

/** If an API dies while it answers a screen, the audit log holds the call exactly if the log holds its request. */
import { noMetrics, silentLogger } from '@cupel/contracts'
import { runReadModel } from '@cupel/projections'
import { auditView } from '@cupel/read-models'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, screen } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'
import { startChild } from './start-child.js'

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
  const child = await startChild(installation, failpoint)
  await screen(child.url, key).catch(() => undefined)
  expect(await child.died).toBe('SIGKILL')
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
  const child = await startChild(installation, failpoint)
  installation.scorer.answer = 'fail'
  await screen(child.url, key).catch(() => undefined)
  expect(await child.died).toBe('SIGKILL')
  installation.scorer.answer = 'report'
  await until(async () => {
    const { items } = (await call(url, 'GET', '/v1/audit-log', { key })).json() as { items: object[] }
    expect(items).toContainEqual(
      expect.objectContaining({ route: '/v1/screen', status: 500, code: 'screening_failed' }),
    )
  })
})

/** What a dossier reads is read in the turns of its account, and each record of the log once. */
import { topicOf } from '@cupel/contracts'
import type { EventLog } from '@cupel/event-log'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADDRESS, call, screen } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

const REPORTS = 4

let installation: Installation
let url: string
let key: string
let path: string
/** Records of reports that the API read from the log. */
let records = 0
beforeAll(async () => {
  installation = await startInstallation()
  installation.prove()
  const { log } = installation
  const counted: EventLog = {
    ...log,
    read(range) {
      if (range.topic === topicOf('ReportGenerated', true)) records += range.to - range.from
      return log.read(range)
    },
  }
  ;({ url } = await installation.api({ log: counted }))
  ;({ key } = await installation.key())
  let id = ''
  for (let at = 0; at < REPORTS; at += 1)
    id = String((await screen(url, key, { address: ADDRESS })).json()['report_id'])
  await until(async () => {
    const { items } = (await call(url, 'GET', '/v1/reports', { key })).json() as { items: unknown[] }
    expect(items).toHaveLength(REPORTS)
  })
  path = `/v1/reports/${id}/case/dossier`
})
afterAll(() => installation.stop())

test('the record of a report is read once for all documents that name its leaf', async () => {
  records = 0
  expect((await call(url, 'GET', path, { key })).status).toBe(200)
  expect(records).toBe(REPORTS)
  for (const document of [path, path.replace('case/dossier', 'pdf')])
    expect((await call(url, 'GET', document, { key })).status).toBe(200)
  expect(records).toBe(REPORTS)
})

test('a key that asks for many at once is refused with 429 and Retry-After, also for a dossier that was rendered before', async () => {
  expect((await call(url, 'GET', path, { key })).status).toBe(200)
  const replies = await Promise.all(Array.from({ length: 30 }, () => call(url, 'GET', path, { key })))
  const refused = replies.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(0)
  for (const reply of refused) expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
  const served = replies.filter(({ status }) => status === 200)
  expect(served.length + refused.length).toBe(30)
  expect(new Set(served.map(({ text }) => text)).size).toBe(1)
})

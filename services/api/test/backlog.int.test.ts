/** Tests the limit of waiting work per account, and the calls that an installation short of room refuses. */
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningApi } from '../src/start-api.js'
import { createTestJobs } from './bulk-jobs.js'
import { ADDRESS, call, screen, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

const OPEN_JOBS = 5
const WAITING_ITEMS = 1_000
const LIMITS = { CUPEL_ENTERPRISE_OPEN_JOBS: OPEN_JOBS, CUPEL_ENTERPRISE_WAITING_ITEMS: WAITING_ITEMS }

let installation: Installation
let api: RunningApi
let other: RunningApi
beforeAll(async () => {
  installation = await startInstallation()
  api = await installation.api({ config: LIMITS })
  other = await installation.api({ config: { ...LIMITS, CUPEL_INSTANCE: 1 } })
})
afterAll(() => installation.stop())

function submit(
  key: string,
  { at = api, items = 1, repeat }: { at?: RunningApi; items?: number; repeat?: string } = {},
): Promise<Reply> {
  const headers = repeat === undefined ? {} : { 'idempotency-key': repeat }
  const body = { addresses: Array.from({ length: items }, () => ADDRESS) }
  return call(at.url, 'POST', '/v1/bulk', { key, headers, body })
}

const statuses = (replies: readonly Reply[]): number[] => replies.map(({ status }) => status)

test('of jobs submitted at once to two instances no more are open than the plan allows', async () => {
  const { key } = await installation.key({ plan: 'enterprise' })
  const replies = await Promise.all(
    Array.from({ length: 24 }, (_, turn) => submit(key, { at: turn % 2 === 0 ? api : other })),
  )
  expect(statuses(replies).filter((status) => status === 202)).toHaveLength(OPEN_JOBS)
  for (const { status, headers, json } of replies.filter((reply) => reply.status !== 202)) {
    expect([status, json()['code'], headers['retry-after']]).toEqual([429, 'too_many_jobs', '5'])
    expect(headers['ratelimit']).toMatch(
      /^"enterprise";.*, "enterprise-open-jobs";r=0, "enterprise-waiting-items";r=995$/,
    )
    expect(headers['ratelimit-policy']).toMatch(
      /^"enterprise";.*, "enterprise-open-jobs";q=5, "enterprise-waiting-items";q=1000$/,
    )
  }
})

test('addresses of open jobs are limited as well, and a smaller job still fits', async () => {
  const { key } = await installation.key({ plan: 'enterprise' })
  expect(statuses([await submit(key, { items: 900 }), await submit(key, { items: 101 })])).toEqual([202, 429])
  expect((await submit(key, { items: 100 })).status).toBe(202)
})

test('a job that has ended makes room, and so does none of another account or environment', async () => {
  const { key, accountId } = await installation.key({ plan: 'enterprise' })
  const jobs = createTestJobs(installation, api.url)
  const first = await jobs.submit(key)
  for (let job = 1; job < OPEN_JOBS; job += 1) expect((await submit(key)).status).toBe(202)
  expect((await submit(key)).status).toBe(429)
  const foreign = await installation.key({ plan: 'enterprise' })
  const sandbox = await installation.key({ accountId, plan: 'enterprise', environment: 'test' })
  expect(statuses([await submit(foreign.key), await submit(sandbox.key)])).toEqual([202, 202])
  await jobs.decide(first, 0, 'green')
  await jobs.end(first, 1, 1)
  await until(async () => expect((await submit(key)).status).toBe(202))
  expect((await submit(key)).status).toBe(429)
})

test('a repeat under an Idempotency-Key counts once, and is answered where no further job fits', async () => {
  const { key } = await installation.key({ plan: 'enterprise' })
  const first = await submit(key, { repeat: 'same' })
  for (let job = 1; job < OPEN_JOBS; job += 1) expect((await submit(key)).status).toBe(202)
  const repeat = await until(async () => {
    const reply = await submit(key, { repeat: 'same', at: other })
    expect(reply.status).toBe(202)
    return reply
  })
  expect(repeat.json()['job_id']).toBe(first.json()['job_id'])
  expect((await submit(key, { repeat: 'another' })).status).toBe(429)
})

test('below the watermark nothing new begins, what is there is read, and with room all goes on', async () => {
  const { key } = await installation.key({ plan: 'enterprise' })
  const short = await installation.api({ config: { CUPEL_INSTANCE: 2, CUPEL_DISK_WATERMARK: '99.9%' } })
  const { report_id: reportId } = (await screen(api.url, key)).json()
  await until(async () => expect((await screen(short.url, key)).status).toBe(503))
  for (const refused of [await screen(short.url, key), await submit(key, { at: short })]) {
    expect(refused.json()).toMatchObject({
      code: 'unavailable',
      detail: 'The installation is short of disk space and accepts no new work.',
    })
    expect(refused.headers['retry-after']).toBe('30')
  }
  expect((await call(short.url, 'GET', `/v1/reports/${String(reportId)}`, { key })).status).toBe(200)
  expect((await screen(other.url, key)).status).toBe(200)
})

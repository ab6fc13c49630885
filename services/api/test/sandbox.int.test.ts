/** Tests the sandbox from an integrator's view. A live key gets none of its behaviour. */
import { problemCodes } from '@cupel/contracts'
import { MAGIC_DELAY_MS, MAGIC_SLOW_ADDRESS, magicProblems } from '@cupel/domain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningApi } from '../src/start-api.js'
import { ADDRESS, call, screen } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

let installation: Installation
let api: RunningApi
let live: string
let sandbox: string
beforeAll(async () => {
  installation = await startInstallation()
  api = await installation.api()
  const { key, accountId } = await installation.key()
  live = key
  sandbox = (await installation.key({ accountId, environment: 'test' })).key
})
afterAll(() => installation.stop())

const LATE = [...magicProblems].find(([, code]) => code === 'screening_timeout')![0]

test.each([...magicProblems].filter(([address]) => address !== LATE))(
  '%s is answered %s in the sandbox, and screened for a live key',
  async (address, code) => {
    const reply = await screen(api.url, sandbox, { address })
    expect(reply.json()).toMatchObject({ status: problemCodes[code].status, code })
    expect(reply.status).toBe(problemCodes[code].status)
    if (reply.status === 429) expect(reply.headers['retry-after']).toBe('1')
    expect((await screen(api.url, live, { address })).status).toBe(200)
  },
)

test('a screening that is late in the sandbox can be fetched, and repeated under its key', async () => {
  const headers = { 'idempotency-key': 'late-in-the-sandbox' }
  const post = () => call(api.url, 'POST', '/v1/screen', { key: sandbox, headers, body: { address: LATE } })
  const late = await post()
  expect(late.json()).toMatchObject({ status: 503, code: 'screening_timeout' })
  const reportId = String(late.json()['report_id'])
  expect((await call(api.url, 'GET', `/v1/reports/${reportId}`, { key: sandbox })).status).toBe(200)
  const repeated = await post()
  expect(repeated.json()).toMatchObject({ report_id: reportId })
  expect(repeated.headers['idempotency-replayed']).toBe('true')
  expect((await screen(api.url, live, { address: LATE })).status).toBe(200)
})

test('the slow address is slow only in the sandbox', async () => {
  const timed = async (key: string): Promise<number> => {
    const sinceMs = performance.now()
    expect((await screen(api.url, key, { address: MAGIC_SLOW_ADDRESS })).status).toBe(200)
    return performance.now() - sinceMs
  }
  const [slowMs, usualMs] = await Promise.all([timed(sandbox), timed(live)])
  expect(slowMs).toBeGreaterThanOrEqual(MAGIC_DELAY_MS - 5)
  expect(usualMs).toBeLessThan(slowMs)
})

test('requests of the sandbox travel apart, and say that they are of the sandbox', async () => {
  const reply = await screen(api.url, sandbox, { address: ADDRESS })
  const request = (await installation.requests()).find(
    ({ reportId }) => reportId === reply.json()['report_id'],
  )
  expect(request).toMatchObject({ livemode: false })
})

/** A caller can wait for stages that are late, with the preference of RFC 7240. */
import { until } from '@cupel/testkit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { ADDRESS, call } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'
import type { RunningApi } from '../src/start-api.js'

let installation: Installation
let api: RunningApi
let key: string
beforeAll(async () => {
  installation = await startInstallation()
  api = await installation.api()
  ;({ key } = await installation.key())
})
afterEach(async () => {
  installation.scorer.answer = 'report'
  await installation.scorer.release()
})
afterAll(() => installation.stop())

const reportIdOf = (reply: { json(): Record<string, unknown> }): string => reply.json()['report_id'] as string

test('a caller that waits for late stages is answered within the time that it names, once for its key', async () => {
  installation.scorer.answer = 'hold'
  const headers = { prefer: 'wait=9', 'idempotency-key': 'waits' }
  const screenAgain = () => call(api.url, 'POST', '/v1/screen', { key, headers, body: { address: ADDRESS } })
  const answering = screenAgain()
  await until(() => expect(installation.scorer.held()).toHaveLength(1))
  const [request] = installation.scorer.held()
  const { answerByAt, stagesByAt, requestedAt } = request!
  expect(Date.parse(stagesByAt!) - Date.parse(requestedAt)).toBe(9_000)
  expect(Date.parse(answerByAt!) - Date.parse(stagesByAt!)).toBeGreaterThan(0)
  await installation.scorer.release()
  const reply = await answering
  expect([reply.status, reply.headers['preference-applied']]).toEqual([200, 'wait=9'])
  const again = await screenAgain()
  expect([again.text, again.headers['idempotency-replayed']]).toEqual([reply.text, 'true'])
})

test.each(['wait=x', 'return=minimal'])('a preference %j is ignored', async (prefer) => {
  const reply = await call(api.url, 'POST', '/v1/screen', {
    key,
    headers: { prefer },
    body: { address: ADDRESS },
  })
  expect([reply.status, reply.headers['preference-applied']]).toEqual([200, undefined])
  const requests = await installation.requests()
  expect(requests.find(({ reportId }) => reportId === reportIdOf(reply))).toMatchObject({ stagesByAt: null })
})

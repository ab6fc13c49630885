import { noMetrics, reportPartition, screenTopic, silentLogger, topicOf } from '@cupel/contracts'
import { LogUnavailableError, type EventLog } from '@cupel/event-log'
import { openDatabase } from '@cupel/postgres'
import { startOutboxRelay } from '@cupel/projections'
import { revokeKey } from '@cupel/gate/access'
import { until } from '@cupel/testkit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { ADDRESS, call, screen, type Reply } from './http-client.js'
import { reportRecords, SCREEN_DEADLINE_MS, startInstallation, type Installation } from './installation.js'
import type { RunningApi } from '../src/start-api.js'
import { reportText } from './scorer.js'

let installation: Installation
let api: RunningApi
let key: string
let accountId: string
let instances = 20
beforeAll(async () => {
  installation = await startInstallation()
  api = await installation.api()
  ;({ key, accountId } = await installation.key())
})
afterEach(async () => {
  installation.scorer.answer = 'report'
  await installation.scorer.release()
  installation.project()
})
afterAll(() => installation.stop())

/** This deadline passes during the test, but only after the log acknowledges the request. */
const HASTY_DEADLINE_MS = 1_500

const reportIdOf = (reply: { json(): Record<string, unknown> }): string => reply.json()['report_id'] as string

test('a screen is answered with the report exactly as it was recorded', async () => {
  const reply = await screen(api.url, key, { address: ADDRESS, chain: 'eth', customer_reference: 'case 7' })

  expect(reply.status).toBe(200)
  expect(reply.headers['content-type']).toBe('application/json')
  const reportId = reportIdOf(reply)
  expect(reportId).toMatch(/^[0-9a-f]{16}$/)
  expect(reply.headers['location']).toBe(`/v1/reports/${reportId}`)
  expect(reply.text).toBe(
    reportText({ reportId, address: ADDRESS, chain: 'ETH', customerReference: 'case 7' }),
  )
  const [request] = (await installation.requests()).filter((each) => each.reportId === reportId)
  expect(request).toMatchObject({
    accountId,
    livemode: true,
    address: ADDRESS,
    canonicalAddress: ADDRESS.toLowerCase(),
    chain: 'ETH',
    candidateChains: [],
    customerReference: 'case 7',
    lane: 'interactive',
    reportUrl: `${api.baseUrl}/reports/${reportId}`,
    jobId: null,
  })
  expect(Date.parse(request!.answerByAt!) - Date.parse(request!.requestedAt)).toBe(SCREEN_DEADLINE_MS)
})

test.each([30_000, -30_000])(
  'an instance whose clock is %i ms ahead asks in the time of the installation',
  async (skewMs) => {
    const skewed = await installation.api({
      config: { CUPEL_INSTANCE: (instances += 1) },
      now: () => new Date(Date.now() + skewMs),
    })
    const reportId = reportIdOf(await screen(skewed.url, key))
    const records = (
      await Promise.all([0, 1, 2, 3].map((n) => installation.records(screenTopic('interactive'), n)))
    ).flat()
    const request = installation.codec.decodeAs(
      'ScreenRequested',
      records.find((record) => record.key === reportId)!,
    )!
    // The scorer compares the first two values with its time, the coordinator compares the third.
    const { requestedAt, answerByAt } = request.data
    const idAtMs = Number.parseInt(request.envelope.id.replaceAll('-', '').slice(0, 12), 16)
    for (const atMs of [Date.parse(requestedAt), Date.parse(answerByAt!) - SCREEN_DEADLINE_MS, idAtMs])
      expect(Math.abs(atMs - Date.now())).toBeLessThan(Math.abs(skewMs) / 2)
  },
)

test('a forged report that comes while a screen waits is not an answer, then or later', async () => {
  installation.scorer.answer = 'hold'
  const answering = screen(api.url, key)
  await until(() => expect(installation.scorer.held()).toHaveLength(1))
  const [request] = installation.scorer.held()
  await installation.scorer.forge({ ...request!, reportUrl: 'https://forger.example' }, 'red')
  await installation.scorer.release()
  const made = await answering
  expect([made.status, made.text]).toEqual([200, reportText(request!)])
  const read = await call(api.url, 'GET', `/v1/reports/${request!.reportId}`, { key })
  expect([read.status, read.text]).toEqual([200, made.text])
})

test.each([
  ['account', { accountId: 'acc_other' }, undefined],
  ['environment', { livemode: false }, undefined],
  ['address', { address: `0x${'1'.repeat(40)}` }, undefined],
  ['request', {}, 'another request'],
])(
  'a report with the id of a screen but of another %s settles nothing, is counted and alarmed',
  async (_, foreign, requestId) => {
    const counted: string[] = []
    const alarms: string[] = []
    const watched = await installation.api({
      config: { CUPEL_INSTANCE: (instances += 1) },
      metrics: { ...noMetrics, counter: (name) => ({ inc: () => void counted.push(name) }) },
      logger: { ...silentLogger, error: (_fields, message) => void alarms.push(message) },
    })
    installation.scorer.answer = 'hold'
    let isAnswered = false
    const answering = screen(watched.url, key).finally(() => (isAnswered = true))
    await until(() => expect(installation.scorer.held()).toHaveLength(1))
    const [request] = installation.scorer.held()
    await installation.scorer.report({ ...request!, ...foreign }, 'green', requestId)
    await until(() => expect(counted).toContain('api_foreign_outcomes_total'))
    expect(alarms).toEqual([expect.stringContaining('ALARM')])
    expect(isAnswered).toBe(false)
    // The id belongs to the first record. No later record can be read under it, so none is an answer.
    await installation.scorer.release()
    const answer = await answering
    expect(answer.json()).toMatchObject({ status: 500, code: 'screening_failed' })
    expect(counted).not.toContain('api_reports_answered_total')
  },
)

test('a report can be read the moment it was given, on any instance', async () => {
  const other = await installation.api({ config: { CUPEL_INSTANCE: 3 } })
  for (let round = 0; round < 10; round += 1) {
    const made = await screen(api.url, key)
    const read = await call(other.url, 'GET', `/v1/reports/${reportIdOf(made)}`, { key })
    expect([read.status, read.text]).toEqual([200, made.text])
  }
})

test('while the projection does not follow, a report is neither found nor denied', async () => {
  await installation.stopProjecting()
  const made = await screen(api.url, key)
  const read = call(api.url, 'GET', `/v1/reports/${reportIdOf(made)}`, { key })
  expect((await read).json()).toMatchObject({ status: 503, code: 'unavailable' })
  expect((await read).headers['retry-after']).toBe('1')

  installation.project()
  await until(async () => {
    const again = await call(api.url, 'GET', `/v1/reports/${reportIdOf(made)}`, { key })
    expect([again.status, again.text]).toEqual([200, made.text])
  })
})

test('a screen that is late is 503 with an id under which its report is read later', async () => {
  const hasty = await installation.api({
    config: { CUPEL_INSTANCE: 1, CUPEL_SCREEN_DEADLINE_MS: HASTY_DEADLINE_MS },
  })
  installation.scorer.answer = 'hold'
  const late = await screen(hasty.url, key)

  expect(late.json()).toMatchObject({ status: 503, code: 'screening_timeout' })
  expect(late.headers['retry-after']).toBe('1')
  const path = `/v1/reports/${reportIdOf(late)}`
  expect(late.headers['location']).toBe(path)
  const early = await call(api.url, 'GET', path, { key })
  expect(early.json()).toMatchObject({ status: 503, code: 'screening_pending', report_id: reportIdOf(late) })
  const { key: stranger } = await installation.key()
  expect((await call(api.url, 'GET', path, { key: stranger })).status).toBe(404)

  await installation.scorer.release()
  await until(async () => expect((await call(api.url, 'GET', path, { key })).status).toBe(200))
  await until(async () => {
    const rows = await installation.database.query('SELECT 1 FROM access.pending_screen')
    expect(rows).toEqual([])
  })
})

test('a screening that fails is 500, then and later', async () => {
  installation.scorer.answer = 'fail'
  const failed = await screen(api.url, key)
  expect(failed.json()).toMatchObject({ status: 500, code: 'screening_failed' })
  const read = await call(api.url, 'GET', `/v1/reports/${reportIdOf(failed)}`, { key })
  expect(read.json()).toMatchObject({ status: 500, code: 'screening_failed' })
})

test('of two records with one id the first is the report, for everyone', async () => {
  installation.scorer.answer = 'twice'
  const made = await screen(api.url, key)
  const reportId = reportIdOf(made)
  expect(made.json()['risk']).toMatchObject({ level: 'green' })
  await until(async () =>
    expect(await reportRecords(installation, reportPartition(reportId), reportId)).toHaveLength(2),
  )
  const read = await call(api.url, 'GET', `/v1/reports/${reportId}`, { key })
  expect(read.text).toBe(made.text)
})

test('two instances on one partition answer their own callers and nobody else’s', async () => {
  // Partitions are taken modulo 8, so instances 2 and 10 share one.
  const [one, two] = await Promise.all(
    [2, 10].map((n) => installation.api({ config: { CUPEL_INSTANCE: n } })),
  )
  const callers = Array.from({ length: 60 }, (_, index) => ({
    url: (index % 2 === 0 ? one : two)!.url,
    reference: `caller ${index}`,
  }))
  const replies = await Promise.all(
    callers.map(({ url, reference }) =>
      screen(url, key, { address: ADDRESS, customer_reference: reference }),
    ),
  )
  const requests = new Map((await installation.requests()).map((request) => [request.reportId, request]))
  expect(new Set(replies.map(reportIdOf)).size).toBe(callers.length)
  for (const [index, reply] of replies.entries()) {
    expect(reply.status).toBe(200)
    expect(requests.get(reportIdOf(reply))?.customerReference).toBe(callers[index]!.reference)
    expect(reportPartition(reportIdOf(reply))).toBe(2)
  }
})

test('report ids stay unique when an instance ends in the middle of its block', async () => {
  const ids = new Set<string>()
  for (let generation = 0; generation < 3; generation += 1) {
    const instance = await installation.api({ config: { CUPEL_INSTANCE: 5 } })
    for (let count = 0; count < 5; count += 1) ids.add(reportIdOf(await screen(instance.url, key)))
    await instance.stop()
  }
  expect(ids.size).toBe(15)
})

test('an instance that is behind refuses before it appends anything', async () => {
  const deadlineMs = 2_000
  const slow = await installation.api({ config: { CUPEL_INSTANCE: 4, CUPEL_SCREEN_DEADLINE_MS: deadlineMs } })
  installation.scorer.answer = 'hold'
  const first = screen(slow.url, key)
  await until(() => expect(installation.scorer.held()).toHaveLength(1))
  // Half the deadline after the first screen the queue counts as too long.
  const refused: Reply[] = []
  const others: Promise<unknown>[] = []
  await until(() => {
    const other = screen(slow.url, key, { address: ADDRESS, customer_reference: `other ${others.length}` })
    const reference = `other ${others.length}`
    others.push(
      other.then((reply) => {
        if (reply.json()['code'] === 'unavailable') refused.push({ ...reply, text: reference })
      }),
    )
    expect(refused).not.toEqual([])
  }, 100)
  expect(refused[0]!.json()).not.toHaveProperty('report_id')
  expect(refused[0]!.headers['retry-after']).toBe('1')
  await installation.scorer.release()
  // The answer is a report, or a late answer with its id. In both cases the API accepted the call.
  expect(reportIdOf(await first)).toMatch(/^[0-9a-f]{16}$/)
  await Promise.all(others)
  const appended = (await installation.requests()).map((request) => request.customerReference)
  for (const { text } of refused) expect(appended).not.toContain(text)
})

test('a report of another account or environment is as unknown as none', async () => {
  const made = await screen(api.url, key)
  const path = `/v1/reports/${reportIdOf(made)}`
  const { key: stranger } = await installation.key()
  const { key: sandbox } = await installation.key({ accountId, environment: 'test' })
  const unknown = await call(api.url, 'GET', '/v1/reports/0123456789abcdef', { key })
  expect(unknown.json()).toMatchObject({ status: 404, code: 'not_found' })
  for (const outsider of [stranger, sandbox]) {
    const reply = await call(api.url, 'GET', path, { key: outsider })
    expect({ ...reply.json(), request_id: '' }).toEqual({ ...unknown.json(), request_id: '' })
  }
})

test('a screen with a test key stays in the sandbox', async () => {
  const { key: sandbox } = await installation.key({ accountId, environment: 'test' })
  const made = await screen(api.url, sandbox)
  expect(made.status).toBe(200)
  const read = await call(api.url, 'GET', `/v1/reports/${reportIdOf(made)}`, { key: sandbox })
  expect(read.text).toBe(made.text)
  const [request] = (await installation.requests()).filter((each) => each.reportId === reportIdOf(made))
  expect(request?.livemode).toBe(false)
  expect(await reportRecords(installation, 0, reportIdOf(made))).toEqual([])
})

test('a revoked key is refused with the next call, on every instance', async () => {
  const { key: doomed, keyId } = await installation.key()
  const other = await installation.api({ config: { CUPEL_INSTANCE: 6 } })
  expect((await screen(api.url, doomed)).status).toBe(200)
  await revokeKey(installation.database, { keyId, by: 'test', reason: 'test' })
  for (const { url } of [api, other])
    expect((await screen(url, doomed)).json()).toMatchObject({ status: 401, code: 'invalid_key' })
})

test('while keys cannot be checked, calls are 503 and nothing is appended', async () => {
  const broken = openDatabase({
    connectionString: installation.connectionString,
    maxConnections: 2,
    applicationName: 'api-test-broken',
  })
  const instance = await installation.api({ config: { CUPEL_INSTANCE: 7 }, database: broken })
  await broken.close()
  const before = (await installation.requests()).length
  const reply = await screen(instance.url, key)
  expect(reply.json()).toMatchObject({ status: 503, code: 'unavailable' })
  expect(reply.headers['retry-after']).toBe('1')
  expect((await installation.requests()).length).toBe(before)
})

/** A log that fails or never acknowledges appends of screens, and otherwise works. */
function logWithout(append: () => Promise<never>): EventLog {
  const { log } = installation
  return {
    ...log,
    append: (at, records) => (at === 'api.screen-requested' ? append() : log.append(at, records)),
  }
}
const refuses = async (): Promise<never> => {
  throw new LogUnavailableError('told to')
}
const hangs = (): Promise<never> => new Promise(() => undefined)

test.each([
  ['refuse', refuses, 'unavailable', 8],
  ['never acknowledge', hangs, 'screening_timeout', 11],
] as const)(
  'a screen that the log %ss is 503 with its id, and its screening goes on',
  async (_how, append, code, instance) => {
    const config = { CUPEL_INSTANCE: instance, CUPEL_SCREEN_DEADLINE_MS: HASTY_DEADLINE_MS }
    const cut = await installation.api({ config, log: logWithout(append) })
    const reply = await screen(cut.url, key)
    expect(reply.json()).toMatchObject({ status: 503, code })
    expect(reply.headers['retry-after']).toBe('1')
    const path = `/v1/reports/${reportIdOf(reply)}`
    const early = await call(cut.url, 'GET', path, { key })
    expect(early.json()).toMatchObject({ code: 'screening_pending', report_id: reportIdOf(reply) })
    const relay = startOutboxRelay({ ...installation.deps, lookIntervalMs: 20 })
    try {
      await until(async () => expect((await call(api.url, 'GET', path, { key })).status).toBe(200))
    } finally {
      await relay.stop()
    }
  },
)

test('while the log hangs, a repeat under one Idempotency-Key is answered in time, and both name one report', async () => {
  // The start of the instance reads the claims and the keys of signatures to their ends.
  const topics = [topicOf('ReportEpochClaimed'), topicOf('SigningKeyPublished')]
  const endOffset: EventLog['endOffset'] = (topic, partition) =>
    topics.includes(topic) ? installation.log.endOffset(topic, partition) : hangs()
  const log: EventLog = { ...logWithout(hangs), endOffset, partitionFor: hangs }
  const config = { CUPEL_INSTANCE: 12, CUPEL_SCREEN_DEADLINE_MS: HASTY_DEADLINE_MS }
  const cut = await installation.api({ config, log })
  const headers = { 'idempotency-key': 'hung' }
  const send = (): Promise<Reply> =>
    call(cut.url, 'POST', '/v1/screen', { key, headers, body: { address: ADDRESS } })
  const first = await send()
  expect(first.json()).toMatchObject({ status: 503, code: 'screening_timeout' })
  await until(async () => {
    const repeat = await send()
    // The first attempt holds the key until its lease ends; then the repeat continues.
    if (repeat.status === 409) expect(repeat.headers['retry-after']).toBe('1')
    expect(repeat.json()).toMatchObject({ status: 503, report_id: reportIdOf(first) })
  })
  const read = await call(cut.url, 'GET', `/v1/reports/${reportIdOf(first)}`, { key })
  expect(read.json()).toMatchObject({ status: 503, code: 'screening_pending' })
  const job = await call(cut.url, 'GET', '/v1/bulk/job_019aa5c87f0070008000000000000001', { key })
  expect([job.status, job.headers['retry-after']]).toEqual([503, '1'])
})

test('what was accepted is answered before the service stops', async () => {
  const leaving = await installation.api({ config: { CUPEL_INSTANCE: 9 } })
  installation.scorer.answer = 'hold'
  const accepted = [screen(leaving.url, key), screen(leaving.url, key)]
  await until(() => expect(installation.scorer.held()).toHaveLength(2))
  const stopped = leaving.stop()
  await until(() => expect(call(leaving.url, 'GET', '/healthz')).rejects.toThrow(/ECONNREFUSED/))
  await installation.scorer.release()
  for (const reply of await Promise.all(accepted)) {
    expect(reply.status).toBe(200)
    expect(reply.headers['connection']).toBe('close')
  }
  await stopped
})

import { topicOf } from '@cupel/contracts'
import { listDeadLetters } from '@cupel/event-log'
import { changeEndpoint, redeliver, rotateEndpointSecret, sendTest } from '@cupel/webhooks'
import { until } from '@cupel/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DISPATCHER_GROUP } from '@cupel/webhooks/worker'
import { endOf, readTestJob, startInstallation, type Installation } from './installation.js'
import { answer, isSignedWith, startReceiver, type Receiver } from './receiver.js'

let installation: Installation
let receiver: Receiver
beforeAll(async () => {
  installation = await startInstallation()
  await installation.dispatcher()
})
afterAll(() => installation.stop())
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(() => receiver.close())

let jobs = 0
const newJob = (): string => `job_${(jobs += 1)}`

describe('the end of a job', () => {
  test('reaches every endpoint of its account, signed with its secret, in its payload', async () => {
    const full = await installation.endpoint(`${receiver.url}/full`)
    const thin = await installation.endpoint(`${receiver.url}/thin`, {
      accountId: full.accountId,
      payload: 'thin',
    })
    await installation.endpoint(`${receiver.url}/other-account`)
    await installation.endpoint(`${receiver.url}/sandbox`, { accountId: full.accountId, livemode: false })
    const jobId = newJob()
    await installation.end(full, jobId)
    await until(() => expect(receiver.received).toHaveLength(2))
    const [toFull, toThin] = ['/full', '/thin'].map((path) =>
      receiver.received.find((one) => one.path === path)!,
    )
    expect(isSignedWith(toFull!, full.secret)).toBe(true)
    expect(isSignedWith(toThin!, thin.secret)).toBe(true)
    expect(isSignedWith(toFull!, thin.secret)).toBe(false)
    expect(toFull!.headers['content-type']).toBe('application/json')
    const { type, data } = JSON.parse(toFull!.body) as { type: string; data: Record<string, unknown> }
    expect(type).toBe('bulk.completed')
    expect(data).toMatchObject({
      job_id: jobId,
      status: 'completed_with_errors',
      total: 2,
      results_url: `https://cupel.example/v1/bulk/${jobId}/results`,
    })
    expect(data['results']).toMatchObject([
      { number: 1, report: { job: jobId } },
      { number: 2, error: { code: 'invalid_address' } },
    ])
    expect((JSON.parse(toThin!.body) as { data: object }).data).not.toHaveProperty('results')
    await until(async () =>
      expect(await installation.deliveries(full)).toMatchObject([{ status: 'delivered', jobId }]),
    )
  })

  test('by cancellation is told as such, in the sandbox to the sandbox', async () => {
    const endpoint = await installation.endpoint(receiver.url, { livemode: false })
    const jobId = newJob()
    await installation.end(endpoint, jobId, 'BulkCancelled')
    await until(() => expect(receiver.received).toHaveLength(1))
    expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({
      type: 'bulk.cancelled',
      data: { job_id: jobId },
    })
  })

  test('told twice in the log is sent once', async () => {
    const endpoint = await installation.endpoint(receiver.url)
    const [twice, after] = [newJob(), newJob()]
    for (const jobId of [twice, twice, after]) await installation.end(endpoint, jobId)
    await until(async () =>
      expect((await installation.deliveries(endpoint)).map(({ status }) => status)).toEqual([
        'delivered',
        'delivered',
      ]),
    )
    expect(receiver.received).toHaveLength(2)
  })

  test('is sent once its results can be read, and no sooner', async () => {
    const own = await startInstallation()
    let isReadable = false
    let asked = 0
    await own.dispatcher({
      readEndedJob: async (owner, jobId, signal) => {
        asked += 1
        return isReadable ? await readTestJob(owner, jobId, signal) : null
      },
    })
    const endpoint = await own.endpoint(receiver.url)
    await own.end(endpoint, 'job')
    await until(() => expect(asked).toBeGreaterThan(3))
    expect(await own.deliveries(endpoint)).toMatchObject([{ status: 'pending', attempts: [] }])
    expect(receiver.received).toEqual([])
    isReadable = true
    await until(() => expect(receiver.received).toHaveLength(1))
    await own.stop()
  })

  test('that another producer announced is dead-lettered, and nobody is told', async () => {
    const endpoint = await installation.endpoint(receiver.url)
    const { log, codec } = installation
    const [forged, genuine] = [newJob(), newJob()]
    const event = endOf('BulkCompleted', { ...endpoint, jobId: forged })
    await log.unchecked.append('test', [
      codec.encode(event, { topic: topicOf('BulkCompleted'), key: forged }),
    ])
    await until(async () =>
      expect((await listDeadLetters(log, DISPATCHER_GROUP)).find(({ key }) => key === forged)).toMatchObject({
        cause: 'forged_record: no-mac',
      }),
    )
    await installation.end(endpoint, genuine)
    await until(() => expect(receiver.received).toHaveLength(1))
    expect((await installation.deliveries(endpoint)).map(({ jobId }) => jobId)).toEqual([genuine])
  })

  test('that nobody can read is dead-lettered and delays no other', async () => {
    const endpoint = await installation.endpoint(receiver.url)
    const topic = topicOf('BulkCompleted')
    const [broken, sound] = [newJob(), newJob()]
    await installation.log.append('test', [
      {
        topic,
        key: broken,
        value: Buffer.from('nonsense'),
        headers: { ce_type: 'BulkCompleted', ce_id: broken },
      },
    ])
    await installation.end(endpoint, sound)
    await until(() => expect(receiver.received).toHaveLength(1))
    await until(async () =>
      expect(
        (await listDeadLetters(installation.log, DISPATCHER_GROUP)).find(({ key }) => key === broken),
      ).toMatchObject({ origin: { topic } }),
    )
  })
})

describe('a receiver that', () => {
  test.each([
    ['answers 500', answer(500, {}, 'broken'), { statusCode: 500, error: null, responseExcerpt: 'broken' }],
    ['redirects', answer(302, { location: '/elsewhere' }), { statusCode: 302, error: null }],
    [
      'resets',
      (request: { socket: { destroy(): void } }) => request.socket.destroy(),
      { statusCode: null, error: 'connection_lost' },
    ],
  ])('%s is sent the same message again, and the second answer counts', async (_what, reaction, attempt) => {
    const endpoint = await installation.endpoint(receiver.url)
    let isFirst = true
    receiver.react = (request, response) => {
      const react = isFirst ? (reaction as Receiver['react']) : answer(200)
      isFirst = false
      react(request, response)
    }
    await installation.end(endpoint, newJob())
    const failed = await until(async () => {
      const [delivery] = await installation.deliveries(endpoint)
      expect(delivery?.attempts.length).toBeGreaterThan(0)
      return delivery!
    })
    expect(failed.attempts.toSorted((a, b) => a.at.localeCompare(b.at))[0]).toMatchObject(attempt)
    if (failed.attempts.length === 1) {
      // The first wait of the schedule: five seconds, plus or minus a fifth. The next wait is minutes.
      const waitMs = Date.parse(failed.nextAttemptAt!) - Date.parse(failed.attempts[0]!.at)
      expect(failed.status).toBe('pending')
      expect(waitMs).toBeGreaterThan(3_900)
      expect(waitMs).toBeLessThan(60_000)
    }
    await installation.dueNow()
    await until(async () =>
      expect((await installation.deliveries(endpoint))[0]).toMatchObject({ status: 'delivered' }),
    )
    const [first, second] = receiver.received
    expect(receiver.received).toHaveLength(2)
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
    expect(second!.body).toBe(first!.body)
    expect(isSignedWith(second!, endpoint.secret)).toBe(true)
  })

  test('asks for more time gets it', async () => {
    const endpoint = await installation.endpoint(receiver.url)
    receiver.react = answer(429, { 'retry-after': '3600' })
    await installation.end(endpoint, newJob())
    await until(async () => expect((await installation.deliveries(endpoint))[0]?.attempts).toHaveLength(1))
    const [delivery] = await installation.deliveries(endpoint)
    expect(Date.parse(delivery!.nextAttemptAt!) - Date.now()).toBeGreaterThan(3_500_000)
  })

  test('never accepts is given up after its last attempt, and can be sent it again', async () => {
    const endpoint = await installation.endpoint(receiver.url)
    // No delivery falls due by itself meanwhile.
    receiver.react = answer(503, { 'retry-after': '3600' })
    await installation.end(endpoint, newJob())
    await until(async () => expect((await installation.deliveries(endpoint))[0]?.attempts).toHaveLength(1))
    receiver.react = answer(500)
    // This is the tenth attempt; packages/domain tests their number and their times.
    await installation.database.execute('UPDATE webhooks.delivery SET attempts = 9 WHERE endpoint_id = $1', [
      endpoint.endpointId,
    ])
    await installation.dueNow()
    await until(async () =>
      expect((await installation.deliveries(endpoint))[0]).toMatchObject({
        status: 'exhausted',
        nextAttemptAt: null,
      }),
    )
    receiver.react = answer(200)
    const [exhausted] = await installation.deliveries(endpoint)
    await redeliver(installation.database, { ...endpoint, deliveryId: exhausted!.deliveryId })
    await until(async () =>
      expect((await installation.deliveries(endpoint))[0]).toMatchObject({ status: 'delivered' }),
    )
    expect(receiver.received).toHaveLength(3)
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  })

  test('answers 410 gets nothing more until it is enabled again', async () => {
    const endpoint = await installation.endpoint(receiver.url)
    receiver.react = answer(410)
    await installation.end(endpoint, newJob())
    await until(async () =>
      expect((await installation.deliveries(endpoint))[0]).toMatchObject({ status: 'held' }),
    )
    await installation.end(endpoint, newJob())
    await until(async () =>
      expect((await installation.deliveries(endpoint)).map(({ status }) => status)).toEqual(['held', 'held']),
    )
    expect(receiver.received).toHaveLength(1)
    receiver.react = answer(200)
    await changeEndpoint(installation.store, { ...endpoint, status: 'enabled', by: 'test' })
    await until(async () =>
      expect((await installation.deliveries(endpoint)).map(({ status }) => status)).toEqual([
        'delivered',
        'delivered',
      ]),
    )
    expect(receiver.received).toHaveLength(3)
  })
})

test('a test ping is signed, delivered and listed', async () => {
  const endpoint = await installation.endpoint(receiver.url)
  expect(await sendTest(installation.database, endpoint)).toMatchObject({
    ok: true,
    delivery: { type: 'endpoint.test' },
  })
  await until(async () =>
    expect(await installation.deliveries(endpoint)).toMatchObject([{ status: 'delivered', jobId: null }]),
  )
  expect(isSignedWith(receiver.received[0]!, endpoint.secret)).toBe(true)
  expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({
    type: 'endpoint.test',
    data: { endpoint_id: endpoint.endpointId },
  })
})

test('a new endpoint is told of a job once its receiver has accepted a test message, and not before', async () => {
  receiver.react = answer(500)
  const endpoint = await installation.endpoint(receiver.url, { isProven: false })
  const jobId = newJob()
  await installation.end(endpoint, jobId)
  await until(() => expect(receiver.received).toHaveLength(1))
  await until(async () =>
    expect((await installation.deliveries(endpoint)).map(({ type, status }) => [type, status])).toEqual([
      ['bulk.completed', 'held'],
      ['endpoint.test', 'pending'],
    ]),
  )
  receiver.react = answer(204)
  await installation.dueNow()
  await until(async () =>
    expect((await installation.deliveries(endpoint)).map(({ status }) => status)).toEqual([
      'delivered',
      'delivered',
    ]),
  )
  const types = receiver.received.map(({ body }) => (JSON.parse(body) as { type: string }).type)
  expect(types.at(-1)).toBe('bulk.completed')
  expect(new Set(types.slice(0, -1))).toEqual(new Set(['endpoint.test']))
  for (const one of receiver.received) expect(isSignedWith(one, endpoint.secret)).toBe(true)
})

test('while a secret is rotated both verify what is sent', async () => {
  const endpoint = await installation.endpoint(receiver.url)
  const rotated = await rotateEndpointSecret(installation.store, { ...endpoint, by: 'test' })
  if (!rotated.ok) throw new Error(rotated.code)
  await installation.end(endpoint, newJob())
  await until(() => expect(receiver.received).toHaveLength(1))
  for (const secret of [endpoint.secret, rotated.secret])
    expect(isSignedWith(receiver.received[0]!, secret)).toBe(true)
})

test('a name that leads inside by the time of an attempt is not called', async () => {
  const endpoint = await installation.endpoint(receiver.url)
  await installation.database.execute('UPDATE webhooks.endpoint SET url = $2 WHERE endpoint_id = $1', [
    endpoint.endpointId,
    `http://10.0.0.1:80/`,
  ])
  await installation.end(endpoint, newJob())
  await until(async () =>
    expect((await installation.deliveries(endpoint))[0]).toMatchObject({
      attempts: [{ error: 'url_refused', statusCode: null }],
    }),
  )
})

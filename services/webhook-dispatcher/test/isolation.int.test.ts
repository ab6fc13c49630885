/** Receivers that hang or fail do not slow down working ones. */
import { changeEndpoint } from '@cupel/webhooks'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type Installation, type TestEndpoint } from './installation.js'
import { answer, startReceiver, type Receiver } from './receiver.js'

const HANGING = 50
const JOBS_PER_HANGING = 20
const HEALTHY = 10
const JOBS_PER_HEALTHY = 10
/** Longer than the test: no hanging receiver releases its place, so a delivery that waited for one would never be sent. */
const ATTEMPT_TIMEOUT_MS = 600_000

let installation: Installation
let hanging: Receiver
let healthy: Receiver
beforeAll(async () => {
  installation = await startInstallation()
  hanging = await startReceiver()
  hanging.react = () => undefined
  healthy = await startReceiver()
})
afterAll(async () => {
  await hanging.close()
  await healthy.close()
  await installation.stop()
})

test('fifty hanging receivers with twenty deliveries each delay no first attempt to ten that work', async () => {
  await installation.dispatcher({ attemptTimeoutMs: ATTEMPT_TIMEOUT_MS })
  const [dead, alive] = await Promise.all([endpointsOf(hanging, HANGING), endpointsOf(healthy, HEALTHY)])
  await Promise.all(
    dead.flatMap((endpoint, place) =>
      jobs(JOBS_PER_HANGING).map((job) => installation.end(endpoint, `dead_${place}_${job}`)),
    ),
  )
  await until(() => expect(hanging.received.length).toBe(HANGING))
  const startedMs = new Map<string, number>()
  for (const job of jobs(JOBS_PER_HEALTHY)) {
    await Promise.all(
      alive.map((endpoint, place) => {
        startedMs.set(`alive_${place}_${job}`, performance.now())
        return installation.end(endpoint, `alive_${place}_${job}`)
      }),
    )
  }
  await until(() => expect(healthy.received).toHaveLength(HEALTHY * JOBS_PER_HEALTHY))
  const delays = healthy.received
    .map(
      ({ atMs, body }) =>
        atMs - startedMs.get((JSON.parse(body) as { data: { job_id: string } }).data.job_id)!,
    )
    .sort((a, b) => a - b)
  process.stdout.write(
    `first attempts with ${HANGING} hanging receivers: p50 ${Math.round(delays[delays.length >> 1]!)} ms, last ${Math.round(delays.at(-1)!)} ms\n`,
  )
  // Each hanging receiver still has one attempt, however many deliveries wait for it.
  expect(hanging.received).toHaveLength(HANGING)
})

test('what was held is drained at the set rate', async () => {
  const own = await startInstallation()
  const receiver = await startReceiver()
  const perSecond = 40
  const [first, count] = [perSecond, 120]
  try {
    await own.dispatcher({ config: { CUPEL_WEBHOOK_ATTEMPTS_PER_SECOND: perSecond } })
    const endpoint = await own.endpoint(receiver.url)
    await changeEndpoint(own.store, { ...endpoint, status: 'disabled', by: 'test' })
    for (const job of jobs(count)) await own.end(endpoint, `held_${job}`)
    await until(async () => {
      const rows = await own.database.query('SELECT 1 FROM webhooks.delivery WHERE body_id IS NOT NULL')
      expect(rows).toHaveLength(count)
    })
    receiver.react = answer(204)
    await changeEndpoint(own.store, { ...endpoint, status: 'enabled', by: 'test' })
    const times = await until(async () => {
      const deliveries = await own.deliveries(endpoint)
      const sent = deliveries.flatMap(({ status, attempts }) => (status === 'delivered' ? attempts : []))
      expect(sent).toHaveLength(count)
      return sent.map(({ at }) => Date.parse(at)).sort((a, b) => a - b)
    })
    // A full bucket may go at once; the dispatcher sends the rest at most at the rate.
    const seconds = (times.at(-1)! - times[0]!) / 1_000
    expect(seconds).toBeGreaterThan(((count - first - 16) / perSecond) * 0.9)
  } finally {
    await receiver.close()
    await own.stop()
  }
})

test('many accounts with many names for one address send it what one host may be sent, and delay no other host', async () => {
  const own = await startInstallation()
  const [flooded, other] = [await startReceiver(), await startReceiver('127.0.0.2')]
  const { port } = new URL(flooded.url)
  const [perSecond, burst, names] = [1, 10, 80]
  try {
    const config = { CUPEL_WEBHOOK_HOST_ATTEMPTS_PER_SECOND: perSecond, CUPEL_WEBHOOK_HOST_BURST: burst }
    for (let dispatchers = 0; dispatchers < 2; dispatchers += 1)
      await own.dispatcher({ config, resolve: () => Promise.resolve(['127.0.0.1']) })
    const flooding = await Promise.all(jobs(names).map(() => own.endpoint(flooded.url)))
    for (const [name, { endpointId }] of flooding.entries())
      await own.database.execute('UPDATE webhooks.endpoint SET url = $2 WHERE endpoint_id = $1', [
        endpointId,
        `http://name-${name}.example:${port}/`,
      ])
    const beside = await own.endpoint(other.url)
    const sinceMs = performance.now()
    await Promise.all(flooding.map((endpoint, name) => own.end(endpoint, `flood_${name}`)))
    await until(() => expect(flooded.received.length).toBeGreaterThanOrEqual(burst))
    for (const job of jobs(burst)) await own.end(beside, `beside_${job}`)
    await until(() => expect(other.received).toHaveLength(burst))
    // All messages to the other host have arrived, and most of the flood still waits.
    const arrived = flooded.received.length
    const elapsedSeconds = (performance.now() - sinceMs) / 1_000
    expect(arrived).toBeLessThanOrEqual(burst + perSecond * elapsedSeconds)
    expect(arrived).toBeLessThan(names)
    // A waiting delivery has used no attempt; it is sent when its turn comes.
    const told = (await Promise.all(flooding.map((endpoint) => own.deliveries(endpoint)))).flat()
    expect(told.filter(({ status }) => status === 'pending').flatMap(({ attempts }) => attempts)).toEqual([])
    await until(() => expect(flooded.received.length).toBeGreaterThan(arrived))
  } finally {
    await flooded.close()
    await other.close()
    await own.stop()
  }
})

function endpointsOf(receiver: Receiver, count: number): Promise<TestEndpoint[]> {
  return Promise.all(Array.from({ length: count }, () => installation.endpoint(receiver.url)))
}

function jobs(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index)
}

/** `npm start -- --kafka`: supervised processes, with a broker and a registry of its own. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findJava, processIdentity, readRun, servingCluster } from '@cupel/local-stack'
import { noteSkip } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, cleanUp, cupel, end, openToOthers, start, type Started } from '../../test/started.js'
import type { Ready } from './ready-line.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING'] ?? (await javaMissing())
if (missing !== undefined) noteSkip(`the start of the Kafka profile: ${missing}`)

const LAZARUS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const POLL_MS = 500
const RECOVERY_MS = 120_000

describe.skipIf(missing !== undefined)('the Kafka profile', () => {
  const home = mkdtempSync(join(tmpdir(), 'cupel-start-kafka-'))
  let started: Started
  let ready: Ready

  beforeAll(async () => {
    started = start({ home }, '--kafka', '--scale', 'api=2,scorer=2')
    ready = await started.ready
  })
  afterAll(async () => {
    await cleanUp(home, [started])
  })

  test('what one instance answers can be read at the other at once', async () => {
    expect(ready.base_urls).toHaveLength(2)
    for (const [asked, other] of [ready.base_urls, [...ready.base_urls].reverse()]) {
      const screened = await call({ ...ready, base_url: asked! }, '/v1/screen', {
        body: { address: LAZARUS },
      })
      expect(screened.status).toBe(200)
      const { report_id: id } = JSON.parse(screened.text) as { report_id: string }

      expect(await call({ ...ready, base_url: other! }, `/v1/reports/${id}`)).toEqual(screened)
    }
  })

  test('the ready line and the status name every process, and all are well', async () => {
    const names = ['api-0', 'api-1', 'bulk-scorer-0', 'scorer-0', 'scorer-1', 'web-0', 'workers-0']
    expect(ready.log).toMatchObject({ kind: 'kafka', brokers: [expect.stringMatching(/^127\.0\.0\.1:\d+$/)] })
    expect(ready.metrics_urls).toHaveLength(names.length)

    const ended = await cupel({ home }, 'status', '--json')

    expect(ended).toMatchObject({ exitCode: 0 })
    const status = JSON.parse(ended.stdout) as { services: { name: string; ready: boolean }[] }
    const { client_properties: clientProperties, ...log } = { client_properties: '', ...ready.log }
    expect(clientProperties).toBe(join(home, 'kafka', 'kafka', 'client.properties'))
    expect(status).toMatchObject({ running: true, profile: 'kafka', log })
    expect(status.services.map(({ name }) => name).sort()).toEqual(names)
    expect(status.services.filter((service) => !service.ready)).toEqual([])
    for (const name of names)
      expect(statSync(join(home, 'kafka', 'logs', `${name}.log`)).size).toBeGreaterThan(0)
  })

  test('each service that shares a process is seen by itself, and none is missing', async () => {
    const { text } = await call(ready, '/v1/installation-health', { key: ready.keys.operator })
    const health = JSON.parse(text) as { missing_services: string[]; services: { name: string }[] }
    expect(health.services.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'bulk-coordinator-0',
        'label-refresher-0',
        'projector-0',
        'webhook-dispatcher-0',
      ]),
    )
    expect(health.missing_services).toEqual([])
  })

  test('only their user can read segments of the log, like all else', () => {
    expect(openToOthers(home)).toEqual([])
  })

  test('the broker takes only its password, which stands in no argument of a process, no log and no answer', async () => {
    const { brokers, kafkaSasl: sasl } = readRun(home)!
    const [broker = ''] = brokers
    const port = Number(broker.split(':')[1])
    expect(await servingCluster('127.0.0.1', port, sasl!)).toMatch(/^[\w-]{22}$/)
    expect(await servingCluster('127.0.0.1', port, { ...sasl!, password: 'guessed' })).toBeNull()
    const logs = join(home, 'kafka', 'logs')
    const status = await cupel({ home }, 'status', '--json', '--verbose')
    for (const text of [
      ...recorded().map(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, 'utf8')),
      ...readdirSync(logs).map((name) => readFileSync(join(logs, name), 'utf8')),
      ...[JSON.stringify(ready), status.stdout, status.stderr],
    ])
      expect(text).not.toContain(sasl!.password)
  })

  test.each(['api-0', 'scorer-0', 'workers-0', 'kafka', 'postgres', 'registry'])(
    'after a kill %s is started again under its old address, and screening goes on',
    async (name) => {
      const before = pidOf(name)!
      process.kill(before, 'SIGKILL')

      await expect.poll(() => pidOf(name) ?? before, { timeout: RECOVERY_MS }).not.toBe(before)
      // No faster than the demo key's plan refills: after a database crash its bucket starts empty.
      await expect.poll(screens, { timeout: RECOVERY_MS, interval: POLL_MS }).toBe(true)
    },
    3 * RECOVERY_MS,
  )

  test('a killed supervisor’s children are stopped by the next start, which finds every report', async () => {
    const screened = await call(ready, '/v1/screen', { body: { address: LAZARUS } })
    const { report_id: id } = JSON.parse(screened.text) as { report_id: string }
    const orphans = recorded().map(({ pid }) => pid)
    expect(orphans.length).toBeGreaterThanOrEqual(8)
    await end(started, 'SIGKILL')

    started = start({ home }, '--kafka')
    ready = await started.ready

    expect(orphans.filter((pid) => processIdentity(pid) !== null)).toEqual([])
    expect(await call(ready, `/v1/reports/${id}`)).toEqual(screened)
  })

  test('Ctrl-C stops everything in order, and commands still work afterwards', async () => {
    const stopped = await end(started)

    expect(stopped).toMatchObject({ exitCode: 0 })
    expect(recorded()).toEqual([])
    const status = await cupel({ home }, 'status', '--json')
    expect(status).toMatchObject({ exitCode: 1 })
    expect(JSON.parse(status.stdout)).toMatchObject({ running: false, profile: 'kafka', healthy: false })
    expect(recorded()).toEqual([])
  })

  /** Both instances answer. */
  async function screens(): Promise<boolean> {
    const statuses = await Promise.all(
      ready.base_urls.map(async (base_url) => {
        try {
          return (await call({ ...ready, base_url }, '/v1/screen', { body: { address: LAZARUS } })).status
        } catch {
          // The instance that was killed does not listen yet.
          return 0
        }
      }),
    )
    return statuses.every((status) => status === 200)
  }

  function pidOf(name: string): number | undefined {
    return recorded().find((child) => child.name === name)?.pid
  }

  function recorded(): { name: string; pid: number }[] {
    const folder = join(home, 'processes')
    if (!existsSync(folder)) return []
    return readdirSync(folder)
      .flatMap((file) => readRecord(join(folder, file)))
      .filter(({ pid }) => processIdentity(pid) !== null)
  }
})

function readRecord(file: string): { name: string; pid: number }[] {
  try {
    return [JSON.parse(readFileSync(file, 'utf8')) as { name: string; pid: number }]
  } catch {
    // The child ended between the listing and the reading.
    return []
  }
}

/** The tests' broker may run elsewhere; this one is started here. */
async function javaMissing(): Promise<string | undefined> {
  try {
    await findJava()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

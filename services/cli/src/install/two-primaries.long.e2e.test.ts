/**
 * Two installations on the same brokers and the same registry, each with its own primary, as docs/capacity.md describes growth beyond one
 * Postgres. Each serves its own accounts. The primary of one is killed under load: its accounts get 503, and the other installation does
 * not fail a screen.
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_REPORT_PARTITIONS, useReportPartitions } from '@cupel/contracts'
import { freePort, startPostgres, type RunningPostgres } from '@cupel/local-stack'
import { noteSkip, testKafka, until } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callCupel } from '../../test/command-line.js'
import { kafkaSettings } from '../../test/kafka-settings.js'
import { serviceProcesses, type ServiceProcesses } from '../../test/service-processes.js'
import { startSteadyScreens, type SteadyScreens } from '../../test/steady-screens.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
if (missing !== undefined) noteSkip(`two installations on the same brokers: ${missing}`)

const CALLERS = 2
/** Screens of each installation before, during and after the outage. */
const SCREENS = 20
const BULK_ITEMS = 10
/** Only a hang takes longer. */
const LIMIT_MS = 900_000
/** The limit is generous, because the test does not measure a slow machine. */
const DEADLINE_MS = 60_000

const addresses = Array.from({ length: BULK_ITEMS }, (_, index) => `0x${String(index).repeat(40)}`)

describe.skipIf(missing !== undefined)('two installations on the same brokers', { timeout: LIMIT_MS }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-primaries-'))
  const run = randomBytes(4).toString('hex')
  const installations: Half[] = []

  beforeAll(async () => {
    for (const name of ['east', 'west'])
      installations.push(await openHalf(join(folder, name), `${name}-${run}.`))
  }, LIMIT_MS)
  afterAll(async () => {
    useReportPartitions(DEFAULT_REPORT_PARTITIONS)
    for (const each of installations) await each.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('each is installed, and a second installation changes nothing of the first', async () => {
    const [east, west] = both()
    expect(await east.json('install')).toMatchObject({ changed: true })
    expect(await west.json('install')).toMatchObject({ changed: true })
    expect(await east.json('upgrade')).toMatchObject({ changed: false })
    for (const each of both()) await each.begin()
  })

  test('keys and reports of one are unknown to the other', async () => {
    for (const [one, other] of [both(), both().toReversed()] as [Half, Half][]) {
      const { status, text } = await one.call('/v1/screen', { address: addresses[0] })
      expect(status, text).toBe(200)
      const path = `/v1/reports/${(JSON.parse(text) as { report_id: string }).report_id}`
      expect((await one.call(path)).status).toBe(200)
      expect((await other.call(path)).status).toBe(404)
      expect((await other.call(path, undefined, one.key())).status).toBe(401)
    }
  })

  test('a primary is killed: its accounts get 503, the others get reports, and it serves again when it is back', async () => {
    const [east, west] = both()
    const loads = both().map((each) => each.load())
    const [ofEast, ofWest] = loads as [SteadyScreens, SteadyScreens]
    try {
      await Promise.all(loads.map((load) => load.answeredMore(SCREENS)))
      await east.kill()
      await until(() => expect(ofEast.failures).not.toEqual([]))
      const failedBefore = ofEast.failures.length
      await ofWest.answeredMore(SCREENS)
      await until(() => expect(ofEast.failures.length).toBeGreaterThan(failedBefore))
      await job(west)
      await east.restart()
      const answered = ofEast.reports.size
      await until(() => expect(ofEast.reports.size).toBeGreaterThan(answered + SCREENS))
    } finally {
      await Promise.all(loads.map((load) => load.stop()))
    }
    expect(ofWest.failures).toEqual([])
    for (const failure of ofEast.failures) expect(failure).toMatch(/: 503 /)
    await job(east)
    const ids = [...ofEast.reports.keys(), ...ofWest.reports.keys()]
    expect(new Set(ids).size).toBe(ids.length)
    for (const [each, load] of [[east, ofEast] as const, [west, ofWest] as const])
      for (const [id, text] of load.reports)
        await until(async () => expect(await each.call(`/v1/reports/${id}`)).toEqual({ status: 200, text }))
  })

  test('the log of each is complete and is its own', async () => {
    for (const each of both()) {
      await each.json('audit', 'verify')
      expect(await each.json('audit', 'recompute')).toMatchObject({ is_proven: true })
    }
  })

  const both = (): [Half, Half] => installations as [Half, Half]
})

interface Half {
  key(): string
  /** Runs an operator command that must succeed. */
  json(...args: string[]): Promise<Record<string, unknown>>
  /** Starts the services, and creates an account and its key. */
  begin(): Promise<void>
  call(path: string, body?: object, as?: string): Promise<{ status: number; text: string }>
  load(): SteadyScreens
  /** SIGKILL: the primary flushes nothing and notifies no client. */
  kill(): Promise<void>
  restart(): Promise<void>
  close(): Promise<void>
}

async function openHalf(folder: string, topicPrefix: string): Promise<Half> {
  mkdirSync(folder, { mode: 0o711 })
  const port = await freePort()
  const places = { logFile: join(folder, 'postgres.log'), recordFolder: join(folder, 'processes') }
  const startPrimary = (): Promise<RunningPostgres> =>
    startPostgres({ folder: join(folder, 'postgres'), port, ...places })
  let primary = await startPrimary()
  const databaseUrl = await primary.ensureDatabase('cupel')
  const settings = serviceSettings(folder, databaseUrl, topicPrefix)
  const processes: ServiceProcesses = serviceProcesses(folder, () => settings)
  let key = ''

  const json: Half['json'] = async (...args) => {
    const operator = {
      ...settings,
      CUPEL_DATABASE_ADMIN_URL: databaseUrl,
      CUPEL_REGISTRY_URL: process.env['CUPEL_TEST_REGISTRY_URL']!,
    }
    const { out, error } = await callCupel(operator, [...args, '--json'])
    expect(error).toBeNull()
    return JSON.parse(out) as Record<string, unknown>
  }
  return {
    ...{ json, key: () => key },
    async begin() {
      await processes.startAll()
      const { account_id: account } = await json('accounts', 'create', topicPrefix)
      const rights = ['--scope', 'read-write', '--plan', 'enterprise']
      key = String((await json('keys', 'create', '--account', String(account), ...rights))['key'])
    },
    async call(path, body, as = key) {
      const response = await fetch(processes.apiUrl() + path, {
        headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      })
      return { status: response.status, text: await response.text() }
    },
    load() {
      const load = startSteadyScreens({ key, callers: CALLERS, addresses })
      load.join(processes.apiUrl())
      return load
    },
    async kill() {
      process.kill(primary.child.pid, 'SIGKILL')
      await primary.child.exited
    },
    async restart() {
      primary = await startPrimary()
    },
    async close() {
      await processes.stopAll()
      await primary.stop()
    },
  }
}

function serviceSettings(folder: string, databaseUrl: string, topicPrefix: string): Record<string, string> {
  const services = new URL(databaseUrl)
  services.username = 'cupel_services'
  services.password = 'only-for-this-test'
  return {
    PATH: process.env['PATH']!,
    CUPEL_HOME: folder,
    ...kafkaSettings(testKafka()),
    CUPEL_DATABASE_URL: services.toString(),
    CUPEL_DATABASE_CONNECTIONS: '4',
    CUPEL_TOPIC_PREFIX: topicPrefix,
    CUPEL_SCREEN_DEADLINE_MS: String(DEADLINE_MS),
  }
}

/** Runs a bulk job to its end. */
async function job(half: Half): Promise<void> {
  const { status, text } = await half.call('/v1/bulk', { addresses })
  expect(status, text).toBe(202)
  const { job_id: id } = JSON.parse(text) as { job_id: string }
  await until(async () =>
    expect(JSON.parse((await half.call(`/v1/bulk/${id}`)).text)).toMatchObject({ status: 'completed' }),
  )
}

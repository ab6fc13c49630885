/**
 * Runs the previous release and this version on one Postgres and one Kafka, under load. Services are upgraded one by one, get other keys
 * and another password, and are rolled back one by one. No screen fails, no answer is lost or changed, and either version decides the
 * reports of both again without a difference. The release is built from its commit in the history.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort, startChild, type Child } from '@cupel/local-stack'
import { createTestDatabase, executeAt, noteSkip, testKafka, until, type TestDatabase } from '@cupel/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFailed, test } from 'vitest'
import { kafkaSettings } from '../kafka-settings.js'
import { startSteadyScreens, type SteadyScreens } from '../steady-screens.js'
import { checkout } from '../started.js'

interface Scripts {
  hasHistory(version: string): Promise<boolean>
  checkOutRelease(version: string, folder: string): Promise<void>
  commandsBelow(page: string, section: string): readonly string[]
}
const imported = async (file: string): Promise<object> =>
  (await import(new URL(`../../../../scripts/${file}`, import.meta.url).href)) as object
const scripts = {
  ...(await imported('released-checkout.mjs')),
  ...(await imported('containers/page.mjs')),
} as Scripts
const PAGE = 'docs/runbooks/upgrade-and-roll-back.md'
const ROTATE = 'docs/runbooks/rotate-credentials.md'
const RELEASE =
  Object.keys(
    JSON.parse(readFileSync(join(checkout, 'releases.json'), 'utf8')) as Record<string, unknown>,
  ).at(-1) ?? ''
const isHistoryHere = RELEASE !== '' && (await scripts.hasHistory(RELEASE))
const missing =
  process.env['CUPEL_TEST_KAFKA_MISSING'] ??
  (isHistoryHere ? undefined : `the history of this checkout lacks release ${RELEASE}`)
if (RELEASE !== '' && missing !== undefined) noteSkip(`two releases side by side: ${missing}`)

/** The order of the runbook: readers come before writers. A rollback goes the other way. */
const SERVICES = ['projector', 'scorer', 'bulk-coordinator', 'webhook-dispatcher', 'api'] as const
type Service = (typeof SERVICES)[number]
type Version = 'release' | 'this'

const STARTER_LABELS = join(checkout, 'data', 'starter-labels.csv')
const CALLERS = 3
const ADDRESSES = 12
/** After each replacement, each address is screened once. */
const SCREENS_BETWEEN = ADDRESSES
const BULK_ITEMS = 10
const CONNECTIONS = '4'
/** Only a hang takes longer. */
const LIMIT_MS = 900_000
/** The limit is generous, because the test does not measure a slow machine. */
const DEADLINE_MS = 60_000
const STOP_MS = 120_000

interface Running {
  readonly child: Child
  readonly baseUrl: string
}

// Until the first release the synthetic next version of scripts/test/next-version.full.int.test.mjs is the only upgrade that is tried.
if (RELEASE === '')
  test('no version was released yet, so that no release runs side by side with this one', () =>
    console.warn('No upgrade of a release was tried: releases.json names none.'))

const describeReleases = RELEASE === '' ? () => undefined : describe.skipIf(missing !== undefined)
describeReleases(`release ${RELEASE} and this version side by side`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-releases-'))
  const folders: Record<Version, string> = { release: join(folder, RELEASE), this: checkout }
  const prefix = `side-${randomBytes(4).toString('hex')}.`
  const running = new Map<Service, Running>()
  const children: Child[] = []
  let database: TestDatabase
  let screens: SteadyScreens
  let key: string
  let started = 0
  const jobs: string[] = []

  beforeAll(async () => {
    mkdirSync(folders.release)
    await scripts.checkOutRelease(RELEASE, folders.release)
    database = await createTestDatabase()
    takePassword('the-first-one')
    await cupel('release', 'install')
  }, LIMIT_MS)
  afterAll(async () => {
    await (screens as SteadyScreens | undefined)?.stop()
    await Promise.all(children.map((child) => child.stop()))
    await (database as TestDatabase | undefined)?.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  // Each test continues from the end of the one before.
  let hasFailed = false
  beforeEach(() => {
    expect(hasFailed, 'an earlier step failed').toBe(false)
    onTestFailed(() => void (hasFailed = true))
  })

  /** Settings of both versions. */
  function settings(): Record<string, string> {
    return {
      PATH: process.env['PATH']!,
      CUPEL_HOME: folder,
      ...kafkaSettings(testKafka()),
      CUPEL_DATABASE_CONNECTIONS: CONNECTIONS,
      CUPEL_TOPIC_PREFIX: prefix,
      CUPEL_SCREEN_DEADLINE_MS: String(DEADLINE_MS),
      CUPEL_SHUTDOWN_TIMEOUT_MS: String(STOP_MS),
      CUPEL_DATABASE_URL_FILE: join(folder, 'database-url'),
      CUPEL_DATABASE_ADMIN_URL: database.connectionString,
      CUPEL_REGISTRY_URL: process.env['CUPEL_TEST_REGISTRY_URL']!,
      CUPEL_RECORD_KEYS_FILE: join(folder, 'record-keys.json'),
      CUPEL_SIGNING_KEYS_FILE: join(folder, 'signing-keys.json'),
      CUPEL_CHECKPOINT_FOLDER: join(folder, 'checkpoints'),
    }
  }

  /** Writes the connection string of the services of this version, and returns it. */
  function takePassword(password: string): string {
    const role = new URL(database.connectionString)
    role.username = `role_${prefix.slice('side-'.length, -1)}`
    role.password = password
    writeFileSync(join(folder, 'database-url'), role.toString(), { mode: 0o600 })
    return role.toString()
  }

  /** Runs the command of a version; rejects if its exit code is not 0. */
  async function cupel(version: Version, ...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(folders[version], 'services', 'cli', 'dist', 'main.js'), ...args],
      { cwd: folders[version], env: settings() },
    )
    return stdout
  }
  /** Runs a command of the page, which must succeed. */
  const follow = (version: Version, command: string): Promise<string> =>
    cupel(version, ...command.split(' ').slice(1))

  async function start(service: Service, version: Version): Promise<Running> {
    const [port, metricsPort] = [await freePort(), await freePort()]
    const instance = String((started += 1) % 2)
    const child = startChild({
      name: `${service}-${version}-${started}`,
      command: process.execPath,
      args: [join(folders[version], 'dist', `${service}.js`)],
      cwd: folders[version],
      env: {
        ...settings(),
        CUPEL_INSTANCE: instance,
        CUPEL_PORT: String(port - Number(instance)),
        CUPEL_METRICS_PORT: String(metricsPort),
      },
      logFile: join(folder, `${service}.log`),
      recordFolder: join(folder, 'processes'),
      stage: 'service',
      stopSignal: 'SIGTERM',
      stopTimeoutMs: STOP_MS,
    })
    children.push(child)
    const healthUrl = `http://127.0.0.1:${metricsPort}`
    await until(async () => {
      if (child.exit() !== null) return
      const { status } = await fetch(`${healthUrl}/readyz`)
      expect(status, child.output()).toBe(200)
    })
    expect(child.exit(), child.output()).toBeNull()
    return { child, baseUrl: `http://127.0.0.1:${port}` }
  }

  /** Starts a process of the other version before it stops the one in service, which must end in good order. */
  async function replace(service: Service, version: Version): Promise<void> {
    const [before, after] = [running.get(service), await start(service, version)]
    running.set(service, after)
    if (service === 'api') screens.join(after.baseUrl)
    if (before === undefined) return
    if (service === 'api') await screens.leave(before.baseUrl)
    expect(await before.child.stop()).toMatchObject({ code: 0 })
    await screens.answeredMore(SCREENS_BETWEEN)
    expect(screens.failures.slice(0, 3), before.child.output()).toEqual([])
  }

  async function call(path: string, body?: object): Promise<{ status: number; text: string }> {
    const response = await fetch(running.get('api')!.baseUrl + path, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    return { status: response.status, text: await response.text() }
  }

  /** Submits a job that ends after the next replacements. */
  async function submitJob(): Promise<void> {
    const { status, text } = await call('/v1/bulk', { addresses: addresses.slice(0, BULK_ITEMS) })
    expect(status, text).toBe(202)
    jobs.push((JSON.parse(text) as { job_id: string }).job_id)
  }

  const addresses = readFileSync(STARTER_LABELS, 'utf8')
    .split('\n')
    .slice(1, 1 + ADDRESSES)
    .map((line) => line.split(',')[0]!)

  test('the release serves', async () => {
    screens = startSteadyScreens({ key: '', callers: 0, addresses })
    for (const service of SERVICES) await replace(service, 'release')
    await cupel('release', 'labels', 'import', STARTER_LABELS, '--format', 'csv')
    const account = /acc_[0-9a-f]+/.exec(await cupel('release', 'accounts', 'create', 'A customer'))![0]
    const scope = ['--scope', 'read-write', '--plan', 'enterprise']
    key = /cpl_live_\w+/.exec(await cupel('release', 'keys', 'create', '--account', account, ...scope))![0]
    await until(async () =>
      expect(await call('/v1/screen', { address: addresses[0] })).toMatchObject({ status: 200 }),
    )
    screens = startSteadyScreens({ key, callers: CALLERS, addresses })
    screens.join(running.get('api')!.baseUrl)
    await screens.answeredMore(SCREENS_BETWEEN)
    expect(screens.failures.slice(0, 3)).toEqual([])
  })

  test('it is upgraded service by service, word for word, without a failed screen', async () => {
    const [plan, upgrade, doctor, verify] = scripts.commandsBelow(PAGE, 'Upgrade')
    await submitJob()
    for (const args of [['add-key'], ['rotate-signing-key']]) await cupel('this', 'log', ...args)
    const planned = await follow('this', plan!)
    expect(planned).toContain('Apply the migration')
    // The running services of the release write neither.
    expect(planned).not.toMatch(/Require a (MAC|signature)/)
    await follow('this', upgrade!)
    await screens.answeredMore(SCREENS_BETWEEN)
    expect(screens.failures.slice(0, 3)).toEqual([])
    for (const service of SERVICES) await replace(service, 'this')
    await until(() => follow('this', doctor!))
    await follow('this', verify!)
    await submitJob()
  })

  test('its password and its signing keys are rotated, word for word, without a failed screen', async () => {
    const [install] = scripts.commandsBelow(ROTATE, 'The password of the database')
    const [before, after] = ['the-first-one', 'the-second-one'].map(takePassword)
    expect(await follow('this', install!)).toContain('the password of CUPEL_DATABASE_URL')
    await expect(executeAt(before!, 'SELECT 1', [])).rejects.toThrow(/password/)
    await executeAt(after!, 'SELECT 1', [])
    const [ofCheckpoints, ofReports, list, verify] = scripts.commandsBelow(ROTATE, 'Signing keys')
    await follow('this', ofCheckpoints!)
    await replace('projector', 'this')
    await follow('this', ofReports!)
    await replace('scorer', 'this')
    const { keys } = JSON.parse(await follow('this', `${list!} --json`)) as { keys: { is_active: boolean }[] }
    expect(keys.map(({ is_active: isActive }) => isActive).sort()).toEqual([false, false, true, true])
    await follow('this', verify!)
  })

  test('it is rolled back service by service without a failed screen', async () => {
    for (const service of SERVICES.toReversed()) await replace(service, 'release')
    await submitJob()
    await screens.answeredMore(SCREENS_BETWEEN)
    await screens.stop()
    expect(screens.failures.slice(0, 3)).toEqual([])
  })

  test('nothing that was answered is lost or changed, and an address has one decision in both versions', async () => {
    const decisions = new Map<string, Set<string>>()
    for (const [id, text] of screens.reports) {
      await until(async () => expect(await call(`/v1/reports/${id}`)).toEqual({ status: 200, text }))
      const { address, decision } = decisionOf(text)
      decisions.set(address, (decisions.get(address) ?? new Set()).add(decision))
    }
    expect([...decisions.keys()].sort()).toEqual([...addresses].sort())
    for (const different of decisions.values()) expect([...different]).toHaveLength(1)
    for (const job of jobs)
      await until(async () =>
        expect(JSON.parse((await call(`/v1/bulk/${job}`)).text)).toMatchObject({ status: 'completed' }),
      )
  })

  test('either version decides the reports of both again without a difference', async () => {
    const [recompute] = scripts.commandsBelow(PAGE, 'Roll back')
    const found = screens.reports.size + jobs.length * BULK_ITEMS
    for (const version of ['release', 'this'] as const) {
      const said = JSON.parse(await follow(version, `${recompute!} --json`)) as Recomputed
      expect(said.reports).toBeGreaterThanOrEqual(found)
      for (const level of ['A', 'B'] as const)
        expect(said.levels[level]).toMatchObject({ same: said.reports, differs: 0, failed: 0 })
    }
    process.stdout.write(`${found} reports of two releases side by side\n`)
  })
})

interface Recomputed {
  readonly reports: number
  readonly levels: Readonly<Record<'A' | 'B', { same: number; differs: number; failed: number }>>
}

/** Returns the content of a report without the fields of the call and its time. */
function decisionOf(text: string): { address: string; decision: string } {
  const { report_id, report_url, generated_at, ...decision } = JSON.parse(text) as Record<string, unknown>
  expect([report_id, report_url, generated_at]).not.toContain(undefined)
  return { address: String(decision['address']), decision: JSON.stringify(decision) }
}

/**
 * An installation on a Postgres, a broker and a registry that nobody of ours started, secured by TLS, passwords and ACLs: installed by one
 * command, served by processes that each sign in as themselves, examined, and found at fault where somebody changed a topic.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordedReportPartitions } from '@cupel/access'
import type { EventLog } from '@cupel/event-log'
import { createAcls, openKafkaLog, type KafkaAcl } from '@cupel/event-log/kafka'
import { ensureKafkaJars, freePort, startChild, type Child } from '@cupel/local-stack'
import { DEFAULT_REPORT_PARTITIONS, silentLogger, topicSpecs, useReportPartitions } from '@cupel/contracts'
import { openDatabase } from '@cupel/postgres'
import { logServices, type LogService } from '@cupel/service-connections'
import { noteSkip, until } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { archiveDrill } from '../../test/archive-drill.js'
import { callCupel, type Said } from '../../test/command-line.js'
import { commandsBelow, follow as followPage } from '../../test/follow-page.js'
import { forgottenCustomers, MARKERS } from '../../test/forgotten-customers.js'
import { PASSWORD, startSecuredCluster, type SecuredCluster } from '../../test/secured-cluster.js'
import { checkout } from '../../test/started.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
if (missing !== undefined) noteSkip(`an installation on a cluster of its own: ${missing}`)
const LAZARUS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const REPORTS = 'screening.report.events.v1'
const users = [...logServices, 'operator'].map((service) => `cupel-${service}`)

describe.skipIf(missing !== undefined)('an installation on a secured cluster', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-install-'))
  const running: Child[] = []
  let cluster: SecuredCluster
  let common: Record<string, string>
  let apiPort: number
  let key: string
  let account: string
  /** With every right, and without MACs. */
  let bare: EventLog
  const open = (): EventLog =>
    openKafkaLog({ ...cluster.kafka.access, clientId: 'test', topicPrefix: 'north.' })

  beforeAll(async () => {
    cluster = await startSecuredCluster(folder, await ensureKafkaJars({}), users)
    apiPort = await freePort()
    const services = new URL(cluster.databaseUrl)
    services.username = 'cupel_services'
    services.password = PASSWORD
    common = {
      CUPEL_LOG: 'kafka',
      CUPEL_DATABASE_URL: services.toString(),
      CUPEL_KAFKA_BROKERS: cluster.brokers,
      CUPEL_KAFKA_TLS: 'true',
      CUPEL_KAFKA_TLS_CA_FILE: cluster.caFile,
      CUPEL_KAFKA_PASSWORD_FILE: cluster.passwordFile,
      CUPEL_TOPIC_PREFIX: 'north.',
      CUPEL_PERSONAL_DATA_KEYS_FILE: join(folder, 'personal-data-keys.json'),
      CUPEL_TRUSTED_PROXIES: '127.0.0.0/8',
    }
    const { acls } = await json<{ acls: KafkaAcl[] }>('install', '--print-acls')
    await createAcls({ ...cluster.kafka.access, clientId: 'test', logger: silentLogger }, acls)
    bare = open()
  })
  afterAll(async () => {
    useReportPartitions(DEFAULT_REPORT_PARTITIONS)
    await Promise.all(running.map((child) => child.stop()))
    await (bare as EventLog | undefined)?.close()
    await (cluster as SecuredCluster | undefined)?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const operatorSettings = (): Record<string, string> => ({
    ...common,
    CUPEL_HOME: folder,
    CUPEL_DATABASE_ADMIN_URL: cluster.databaseUrl,
    CUPEL_KAFKA_SASL_MECHANISM: 'scram-sha-512',
    CUPEL_KAFKA_USERNAME: 'cupel-operator',
    CUPEL_REGISTRY_URL: cluster.registryUrl,
    CUPEL_REGISTRY_CA_FILE: cluster.caFile,
    CUPEL_REGISTRY_USERNAME: 'registrar',
    CUPEL_REGISTRY_PASSWORD_FILE: cluster.passwordFile,
  })
  const cupel = async (...args: string[]): Promise<Said> => await callCupel(operatorSettings(), args)
  const json = async <T>(...args: string[]): Promise<T> => {
    const said = await cupel(...args, '--json')
    expect(said.error).toBeNull()
    return JSON.parse(said.out) as T
  }

  const follow = (command: string): Promise<Said> => followPage(cupel, command)

  const stopServices = async (): Promise<void> => {
    await Promise.all(running.map((child) => child.stop()))
  }

  /** As a snapshot of the volume would: one consistent state, while nothing is connected. */
  async function copyDatabase(from: string, to: string): Promise<void> {
    const url = new URL(cluster.databaseUrl)
    url.pathname = '/postgres'
    const server = openDatabase({
      ...{ connectionString: url.toString(), maxConnections: 1, applicationName: 'test' },
      onIdleError: () => undefined,
    })
    await server.execute(`DROP DATABASE IF EXISTS ${to} WITH (FORCE)`)
    await until(() => server.execute(`CREATE DATABASE ${to} TEMPLATE ${from}`))
    await server.close()
  }

  function serve(service: LogService, user: string, instance = 'auto'): Child {
    return spawn(`${service}-as-${user}`, join(checkout, 'services', service, 'dist', 'main.js'), [], {
      ...common,
      CUPEL_KAFKA_SASL_MECHANISM: 'plain',
      CUPEL_KAFKA_USERNAME: `cupel-${user}`,
      CUPEL_INSTANCE: instance,
      CUPEL_PORT: String(service === 'api' ? apiPort : 0),
      CUPEL_HOME: folder,
    })
  }

  function spawn(name: string, file: string, args: string[], settings: Record<string, string>): Child {
    const child = startChild({
      name,
      command: process.execPath,
      args: [file, ...args],
      cwd: checkout,
      env: { PATH: process.env['PATH'], ...settings },
      logFile: join(folder, `${name}.log`),
      recordFolder: join(folder, 'processes'),
      stage: 'service',
      stopSignal: 'SIGTERM',
      stopTimeoutMs: 20_000,
    })
    running.push(child)
    return child
  }

  const call = async (
    path: string,
    body?: object,
  ): Promise<{ status: number; json: Record<string, unknown> }> => {
    const response = await fetch(`http://127.0.0.1:${apiPort}${path}`, {
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'x-forwarded-for': MARKERS.client,
      },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    return { status: response.status, json: (await response.json()) as Record<string, unknown> }
  }

  test('report partitions that no id could name are refused before anything is made', async () => {
    for (const count of ['48', '1', '512'])
      expect((await cupel('install', '--report-partitions', count)).error).toMatchObject({
        message: `--report-partitions takes a power of two from 2 to 256, not ${count}.`,
      })
    expect(await bare.topicFaults(topicSpecs.slice(0, 1))).toMatchObject([
      { setting: 'topic' },
      { setting: 'topic' },
    ])
  })

  test('one command installs it, and a second one finds nothing to do', async () => {
    type Steps = { name: string; changes: string[] }[]
    const sizes = ['--report-partitions', '32']
    const planned = await json<{ steps: Steps }>('install', '--dry-run', ...sizes)
    const done = await json<{ changed: boolean; steps: Steps }>('install', ...sizes)
    expect(done.changed).toBe(true)
    const counts = (steps: { name: string; changes: string[] }[]): [string, number][] =>
      steps.map(({ name, changes }) => [name, changes.length])
    expect(counts(done.steps).filter(([name]) => name !== 'topics')).toEqual(
      counts(planned.steps).filter(([name]) => name !== 'topics'),
    )
    expect(await json('upgrade')).toMatchObject({ changed: false })
    await json('accounts', 'make-personal-data-key')
    expect(await bare.partitionCount(REPORTS)).toBe(32)
  })

  test('an installation that is killed before its number of report partitions is recorded records it in the next run', async () => {
    const database = openDatabase({
      ...{ connectionString: cluster.databaseUrl, maxConnections: 1, applicationName: 'test' },
      onIdleError: () => undefined,
    })
    onTestFinished(() => database.close())
    await database.execute('UPDATE access.report_number SET partitions = NULL')
    for (const [point, recorded] of [
      ['before', null],
      ['after', 32],
    ] as const) {
      const killed = spawn(`install-${point}`, join(checkout, 'services/cli/dist/main.js'), ['install'], {
        ...operatorSettings(),
        CUPEL_FAILPOINT: `${point}:access.report-partitions:1`,
      })
      expect((await killed.exited).signal).toBe('SIGKILL')
      expect(await recordedReportPartitions(database)).toBe(recorded)
    }
    expect(await json('install')).toMatchObject({ changed: false })
  })

  test('an installation keeps its number of report partitions', async () => {
    expect((await cupel('install', '--report-partitions', '64')).error).toMatchObject({
      message: expect.stringContaining('The reports of this installation are in 32 partitions') as string,
    })
    expect(await json('install', '--report-partitions', '32')).toMatchObject({ changed: false })
  })

  test('each service works as itself: a screen, a bulk job to its end, and a watch', async () => {
    for (const service of logServices) serve(service, service)
    ;({ account_id: account } = await json<{ account_id: string }>('accounts', 'create', MARKERS.account))
    const rights = ['--plan', 'pro', '--scope', 'read-write', '--name', MARKERS.key]
    ;({ key } = await json<{ key: string }>('keys', 'create', '--account', account, ...rights))
    await until(async () => expect((await call('/v1/screen', { address: LAZARUS })).status).toBe(200))
    const submitted = await call('/v1/bulk', { addresses: [LAZARUS] })
    expect(submitted.status).toBe(202)
    const job = `/v1/bulk/${String(submitted.json['job_id'])}`
    await until(async () => expect((await call(job)).json).toMatchObject({ status: 'completed' }))
    // No list is in force.
    expect((await call('/v1/watches', { watches: [{ address: LAZARUS }] })).status).toBe(201)
    await until(async () =>
      expect(await call('/v1/watches')).toMatchObject({
        status: 200,
        json: { items: [{ last_report: { level: 'grey' } }] },
      }),
    )
    await until(async () => {
      const { findings } = await json<{ findings: { state: string }[] }>('doctor')
      expect(findings.filter(({ state }) => state === 'fault')).toEqual([])
    })
  })

  test('status tells the processes by their heartbeats, and which services are missing', async () => {
    interface Told {
      healthy: boolean
      running: boolean
      missing_services: string[]
      services: { name: string; ready: boolean; heartbeat: { release: string; host: string } }[]
    }
    // The refresher has no plan, so that it waits for none.
    await until(async () => {
      const told = await json<Told>('status')
      expect(told).toMatchObject({ healthy: true, running: true, missing_services: [] })
      expect(told.services.map(({ name }) => name)).toEqual(
        logServices.map((service) => `${service}-0`).sort(),
      )
    })
    await running.find(({ name }) => name.startsWith('webhook-dispatcher'))!.stop()
    const said = await cupel('status', '--json')
    expect(said.exitCode).toBe(1)
    expect(JSON.parse(said.out)).toMatchObject({
      ...{ healthy: false, running: true },
      missing_services: ['webhook-dispatcher'],
    })
    expect((await cupel('status')).out).toContain('No process runs of: webhook-dispatcher.')
    serve('webhook-dispatcher', 'webhook-dispatcher')
    await until(async () => expect(await json('status')).toMatchObject({ healthy: true }))
  })

  test('a second process with the number of a running one does not start', async () => {
    const second = serve('scorer', 'scorer', '0')
    expect((await second.exited).code).toBe(1)
    expect(second.output()).toMatch(/Instance 0 of the scorer runs already, as process \d+ on /)
  })

  test('no service works as another one', async () => {
    const attempts = logServices.map((service) => ({
      service,
      child: serve(service, service === 'label-refresher' ? 'webhook-dispatcher' : 'label-refresher'),
    }))
    for (const { service, child } of attempts) {
      const { code } = await child.exited
      expect({ service, code }).not.toMatchObject({ code: 0 })
      expect({ service, said: child.output() }).toMatchObject({
        said: expect.stringMatching(/may not see it|[Nn]ot authorized/),
      })
    }
  })

  test('a topic that somebody changed is named by the doctor and by the service, and put right', async () => {
    cluster.alterTopic(`north.${REPORTS}`, 'retention.ms=1000000000')
    const sentence = `The topic north.${REPORTS} has retention.ms=1000000000 and must have -1`
    await until(async () => expect((await cupel('doctor')).out).toContain(sentence))
    expect((await cupel('doctor')).exitCode).toBe(1)
    const refused = serve('scorer', 'scorer')
    expect((await refused.exited).code).not.toBe(0)
    expect(refused.output()).toContain(sentence)
    expect(
      (await json<{ steps: { changes: string[] }[] }>('install')).steps.flatMap(({ changes }) => changes),
    ).toEqual([`Set retention.ms=-1 on the topic north.${REPORTS}.`])
    // A broker tells of a change a moment after its controller has made it.
    await until(async () => expect((await cupel('doctor')).exitCode).toBe(0))
  })

  test('partitions are added to the lanes, and the restarted services use them', async () => {
    const lanes = topicSpecs.filter(({ mayGrow }) => mayGrow)
    expect((await cupel('install', '--screen-partitions', '3')).error).toMatchObject({
      message: expect.stringContaining('from 4 to 512') as string,
    })
    const [plan, grow] = commandsBelow('docs/runbooks/add-partitions.md', 'Steps')
    expect((await follow(plan!)).out).toContain(
      `Add partitions to the topic north.${lanes[0]!.name}, up to 40.`,
    )
    const { out } = await follow(grow!)
    for (const { name } of lanes) expect(out).toContain(`Set partitions=40 on the topic north.${name}.`)
    expect((await cupel('install', '--screen-partitions', '39')).error).toMatchObject({
      message: expect.stringContaining('has 40 partitions, and none can be taken away') as string,
    })
    // In the order of the runbook: who reads a lane comes before who writes to it.
    for (const service of ['projector', 'scorer', 'bulk-coordinator', 'api'] as const) {
      await Promise.all(
        running.filter(({ name }) => name.startsWith(`${service}-as-`)).map((each) => each.stop()),
      )
      serve(service, service)
    }
    const grown = open()
    onTestFinished(() => grown.close())
    await until(async () => {
      const { status, json: report } = await call('/v1/screen', { address: LAZARUS })
      expect(status).toBe(200)
      expect((await call(`/v1/reports/${String(report['report_id'])}`)).status).toBe(200)
      const added = Array.from({ length: 36 }, (_, index) => grown.endOffset(lanes[0]!.name, 4 + index))
      expect(Math.max(...(await Promise.all(added)))).toBeGreaterThan(0)
    })
    await until(async () => expect((await cupel('doctor')).exitCode).toBe(0))
    expect((await cupel('audit', 'verify')).exitCode).toBe(0)
  })

  const answered: string[] = []
  const screen = async (): Promise<void> => {
    const { status, json: report } = await call('/v1/screen', { address: LAZARUS })
    expect(status).toBe(200)
    answered.push(String(report['report_id']))
  }
  const readAll = async (): Promise<void> => {
    for (const id of answered) expect((await call(`/v1/reports/${id}`)).status).toBe(200)
  }
  const customers = forgottenCustomers({ call, cupel, account: () => account, address: LAZARUS })

  test('two customers are erased after a backup of database and keys, and no file of the broker showed or shows them', async () => {
    await screen()
    await customers.fill()
    await stopServices()
    await copyDatabase('elsewhere', 'backup')
    copyFileSync(common['CUPEL_PERSONAL_DATA_KEYS_FILE']!, join(folder, 'backup-of-keys.json'))
    customers.expectNoneIn(join(folder, 'kafka'))
    for (const service of logServices) serve(service, service)
    await until(screen)
    await screen()
    await customers.erase()
    customers.expectNoneIn(join(folder, 'kafka'))
  })

  test('a lost day of the database comes back as the runbook of a restore says, word for word, and who was erased does not', async () => {
    const [upgrade, plan, restore, again, recompute] = commandsBelow(
      'docs/runbooks/restore-a-backup.md',
      'Restore',
    )
    // 1. Stop every service.  2. Put back what was lost.
    await stopServices()
    await copyDatabase('backup', 'elsewhere')
    copyFileSync(join(folder, 'backup-of-keys.json'), common['CUPEL_PERSONAL_DATA_KEYS_FILE']!)
    await follow(upgrade!)
    const behind = serve('api', 'api')
    expect((await behind.exited).code).not.toBe(0)
    expect(behind.output()).toContain('an older database was restored')
    expect((await follow(plan!)).out).toContain('Nothing was changed: this was a dry run.')
    const restored = (await follow(restore!)).out
    expect(restored).toContain('2 times keys of personal data that were destroyed after the backup')
    expect(restored).toContain('Done. The services may be started.')
    expect((await follow(again!)).out).toContain('Nothing to do. The services may be started.')
    for (const service of ['projector', ...logServices.filter((each) => each !== 'projector')] as const)
      serve(service, service)
    await until(readAll)
    await until(screen)
    await readAll()
    await customers.expectErased()
    customers.expectNoneIn(join(folder, 'kafka'))
    expect(new Set(answered).size).toBe(answered.length)
    await follow(recompute!)
  })

  test('a lost database and lost topics come back from an archive as its runbook says: the same reports, byte for byte', async () => {
    const grown = open()
    const screens = await grown.partitionCount(topicSpecs.find(({ mayGrow }) => mayGrow)!.name)
    await grown.close()
    const fetchText = async (path: string, as: string, body?: object) => {
      const response = await fetch(`http://127.0.0.1:${apiPort}${path}`, {
        headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      })
      return { status: response.status, text: await response.text() }
    }
    await archiveDrill({
      ...{ cluster, folder, topicPrefix: 'north.', json, follow, stopServices, fetchText, key },
      startServices: () => logServices.forEach((service) => serve(service, service)),
      sizes: { report: 32, screen: screens },
    })
  })
})

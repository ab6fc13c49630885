/**
 * An installation on a Postgres, a broker and a registry that nobody of ours started, secured by TLS, passwords and ACLs: installed by one
 * command, served by processes that each sign in as themselves, examined, and found at fault where somebody changed a topic.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAcls, type KafkaAcl } from '@cupel/event-log/kafka'
import { ensureKafkaJars, freePort, startChild, type Child } from '@cupel/local-stack'
import { silentLogger } from '@cupel/contracts'
import { logServices, type LogService } from '@cupel/service-connections'
import { noteSkip, until } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callCupel, type Said } from '../../test/command-line.js'
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
    }
    const { acls } = await json<{ acls: KafkaAcl[] }>('install', '--print-acls')
    await createAcls({ ...cluster.kafka.access, clientId: 'test', logger: silentLogger }, acls)
  })
  afterAll(async () => {
    await Promise.all(running.map((child) => child.stop()))
    await (cluster as SecuredCluster | undefined)?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const cupel = async (...args: string[]): Promise<Said> =>
    await callCupel(
      {
        ...common,
        CUPEL_HOME: folder,
        CUPEL_DATABASE_ADMIN_URL: cluster.databaseUrl,
        CUPEL_KAFKA_SASL_MECHANISM: 'scram-sha-512',
        CUPEL_KAFKA_USERNAME: 'cupel-operator',
        CUPEL_REGISTRY_URL: cluster.registryUrl,
        CUPEL_REGISTRY_CA_FILE: cluster.caFile,
        CUPEL_REGISTRY_USERNAME: 'registrar',
        CUPEL_REGISTRY_PASSWORD_FILE: cluster.passwordFile,
      },
      args,
    )
  const json = async <T>(...args: string[]): Promise<T> => {
    const said = await cupel(...args, '--json')
    expect(said.error).toBeNull()
    return JSON.parse(said.out) as T
  }

  function serve(service: LogService, user: string, instance = 'auto'): Child {
    const name = `${service}-as-${user}`
    const child = startChild({
      name,
      command: process.execPath,
      args: [join(checkout, 'services', service, 'dist', 'main.js')],
      cwd: checkout,
      env: {
        PATH: process.env['PATH'],
        ...common,
        CUPEL_KAFKA_SASL_MECHANISM: 'plain',
        CUPEL_KAFKA_USERNAME: `cupel-${user}`,
        CUPEL_INSTANCE: instance,
        CUPEL_PORT: String(service === 'api' ? apiPort : 0),
        CUPEL_HOME: folder,
      },
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
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    return { status: response.status, json: (await response.json()) as Record<string, unknown> }
  }

  test('one command installs it, and a second one finds nothing to do', async () => {
    const planned = await json<{ steps: { name: string; changes: string[] }[] }>('install', '--dry-run')
    const done = await json<{ changed: boolean; steps: { name: string; changes: string[] }[] }>('install')
    expect(done.changed).toBe(true)
    const counts = (steps: { name: string; changes: string[] }[]): [string, number][] =>
      steps.map(({ name, changes }) => [name, changes.length])
    expect(counts(done.steps).filter(([name]) => name !== 'topics')).toEqual(
      counts(planned.steps).filter(([name]) => name !== 'topics'),
    )
    expect(await json('upgrade')).toMatchObject({ changed: false })
  })

  test('each service works as itself: a screen, and a bulk job to its end', async () => {
    for (const service of logServices) serve(service, service)
    const { account_id: account } = await json<{ account_id: string }>('accounts', 'create', 'First')
    ;({ key } = await json<{ key: string }>(
      'keys',
      'create',
      '--account',
      account,
      '--plan',
      'pro',
      '--scope',
      'read-write',
    ))
    await until(async () => expect((await call('/v1/screen', { address: LAZARUS })).status).toBe(200))
    const submitted = await call('/v1/bulk', { addresses: [LAZARUS] })
    expect(submitted.status).toBe(202)
    const job = `/v1/bulk/${String(submitted.json['job_id'])}`
    await until(async () => expect((await call(job)).json).toMatchObject({ status: 'completed' }))
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
})

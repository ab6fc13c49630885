/** An installation on a secured cluster, before `cupel install`: its operator's commands, its service processes, and a customer's calls. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DEFAULT_REPORT_PARTITIONS, useReportPartitions } from '@cupel/contracts'
import type { EventLog } from '@cupel/event-log'
import { openKafkaLog } from '@cupel/event-log/kafka'
import { ensureKafkaPrograms, freePort, startChild, type Child } from '@cupel/local-stack'
import { logServices, type LogService } from '@cupel/operation/connections'
import { until } from '@cupel/testkit'
import { TEST_RECORD_KEYS_FILE } from '@cupel/testkit/installation'
import { expect } from 'vitest'
import { callCupel, type Said } from './command-line.js'
import { follow as followPage } from './follow-page.js'
import { kafkaSettings } from './kafka-settings.js'
import { MARKERS } from './forgotten-customers.js'
import { PASSWORD, startSecuredCluster, type SecuredCluster } from './secured-cluster.js'
import { checkout } from './started.js'
import { settingsFile, unitCommand } from './systemd-unit.js'

export const TOPIC_PREFIX = 'north.'
const users = [...logServices, 'operator'].map((service) => `cupel-${service}`)

export interface SecuredInstallation {
  readonly folder: string
  readonly cluster: SecuredCluster
  readonly keysFile: string
  readonly operatorSettings: Readonly<Record<string, string>>
  /** The metrics of the first process of each service. */
  readonly metricsUrls: readonly string[]
  /** All processes started so far, ended ones included. */
  readonly running: readonly Child[]
  /** Opens the log with every right, and without MACs. */
  openLog(): EventLog
  cupel(...args: string[]): Promise<Said>
  /** Runs a command that must succeed. */
  json<T>(...args: string[]): Promise<T>
  /** Runs a command of a page, which must succeed. */
  follow(command: string): Promise<Said>
  /** Starts a process of the service as its systemd unit says; it signs in as the user. */
  serve(service: LogService, user?: LogService, instance?: string): Child
  spawn(
    name: string,
    file: string,
    args: readonly string[],
    settings: Readonly<Record<string, string>>,
  ): Child
  stopServices(): Promise<void>
  /** Creates the account and the key of `call`. */
  signUp(): Promise<Customer>
  call(path: string, body?: object): Promise<{ status: number; json: Record<string, unknown> }>
  /** Calls with any key. */
  fetchText(path: string, key: string, body?: object): Promise<{ status: number; text: string }>
  close(): Promise<void>
}

export interface Customer {
  readonly account: string
  readonly key: string
}

/** With `signs`, services sign with the key that `cupel log rotate-signing-key` makes. */
export async function openSecuredInstallation({ signs = false } = {}): Promise<SecuredInstallation> {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-install-'))
  const cluster = await startSecuredCluster(folder, await ensureKafkaPrograms({}), users)
  const apiPort = await freePort()
  const metricsPorts = new Map<string, number>()
  for (const service of logServices) metricsPorts.set(service, await freePort())
  const served = new Set<string>()
  const keysFile = join(folder, 'personal-data-keys.json')
  const signing = {
    CUPEL_SIGNING_KEYS_FILE: join(folder, 'signing-keys.json'),
    CUPEL_CHECKPOINT_FOLDER: join(folder, 'checkpoints'),
  }
  const common = { ...commonSettings(cluster, keysFile), ...(signs ? signing : {}) }
  const urls = join(folder, 'database-urls')
  mkdirSync(urls)
  for (const service of logServices) writeFileSync(join(urls, service), databaseUrlOf(cluster, service))
  const operatorSettings = {
    ...{ ...common, ...settingsOfOperator(cluster, folder) },
    CUPEL_SERVICE_DATABASE_URLS: urls,
  }
  const running: Child[] = []
  let customer: Customer | null = null

  const cupel = async (...args: string[]): Promise<Said> => await callCupel(operatorSettings, args)
  const json = async <T>(...args: string[]): Promise<T> => {
    const said = await cupel(...args, '--json')
    expect(said.error).toBeNull()
    return JSON.parse(said.out) as T
  }
  const started = (
    name: string,
    command: string,
    args: readonly string[],
    settings: Readonly<Record<string, string>>,
  ): Child => {
    const child = startService(folder, name, [command, ...args], settings)
    running.push(child)
    return child
  }
  const spawn: SecuredInstallation['spawn'] = (name, file, args, settings) =>
    started(name, process.execPath, [file, ...args], settings)
  const stopServices = async (): Promise<void> => {
    await Promise.all(running.map((child) => child.stop()))
  }
  const send = async (path: string, key: string, headers: object, body?: object): Promise<Response> =>
    await fetch(`http://127.0.0.1:${apiPort}${path}`, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })

  await grantRights(cluster)
  return {
    ...{ folder, cluster, keysFile, operatorSettings, running, cupel, json, spawn, stopServices },
    metricsUrls: [...metricsPorts.values()].map((port) => `http://127.0.0.1:${port}/metrics`),
    openLog: () => openKafkaLog({ ...cluster.kafka.access, clientId: 'test', topicPrefix: TOPIC_PREFIX }),
    follow: (command) => followPage(cupel, command),
    serve(service, user = service, instance = 'auto') {
      const own = {
        CUPEL_DATABASE_URL_FILE: join(urls, service),
        CUPEL_KAFKA_USERNAME: `cupel-${user}`,
        CUPEL_PORT: String(service === 'api' ? apiPort : 0),
        CUPEL_METRICS_PORT: String(served.has(service) ? 0 : metricsPorts.get(service)),
        ...(instance === 'auto' ? {} : { CUPEL_INSTANCE: instance }),
      }
      served.add(service)
      writeFileSync(
        join(folder, 'services.env'),
        settingsFile({ ...common, CUPEL_KAFKA_SASL_MECHANISM: 'plain' }),
      )
      writeFileSync(join(folder, `${service}.env`), settingsFile(own))
      const places = { '/opt/cupel': resolve(checkout), '/etc/cupel': folder, '/var/lib/cupel': folder }
      const { command, args, environment } = unitCommand(service, places)
      return started(`${service}-as-${user}`, command, args, environment)
    },
    async signUp() {
      const { account_id: account } = await json<{ account_id: string }>(
        'accounts',
        'create',
        MARKERS.account,
      )
      const rights = ['--plan', 'pro', '--scope', 'read-write', '--name', MARKERS.key]
      const { key } = await json<{ key: string }>('keys', 'create', '--account', account, ...rights)
      return (customer = { account, key })
    },
    async call(path, body) {
      const response = await send(path, customer!.key, { 'x-forwarded-for': MARKERS.client }, body)
      return { status: response.status, json: (await response.json()) as Record<string, unknown> }
    },
    async fetchText(path, key, body) {
      const response = await send(path, key, {}, body)
      return { status: response.status, text: await response.text() }
    },
    async close() {
      useReportPartitions(DEFAULT_REPORT_PARTITIONS)
      await stopServices()
      await cluster.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** As an administrator of the brokers, with the command of the page and no setting of the installation but where its brokers are. */
async function grantRights({ kafka }: SecuredCluster): Promise<void> {
  const administrator = { ...kafkaSettings(kafka.access), CUPEL_TOPIC_PREFIX: TOPIC_PREFIX }
  const run = async (...args: string[]): Promise<{ changed: boolean; missing: number }> => {
    const said = await callCupel(administrator, ['install', '--apply-acls', ...args, '--json'])
    expect(said.error).toBeNull()
    const { changed, steps } = JSON.parse(said.out) as { changed: boolean; steps: { changes: string[] }[] }
    return { changed, missing: steps.flatMap(({ changes }) => changes).length }
  }
  const planned = await run('--dry-run')
  expect(planned.missing).toBeGreaterThan(300)
  expect(planned.changed).toBe(false)
  expect(await run()).toEqual({ changed: true, missing: planned.missing })
  // A broker learns of a right a moment after its controller.
  await until(async () => expect(await run('--dry-run')).toEqual({ changed: false, missing: 0 }))
  expect(await run()).toEqual({ changed: false, missing: 0 })
}

/** Each service has a user of its own in the database, as at the brokers. */
function databaseUrlOf(cluster: SecuredCluster, service: LogService): string {
  const url = new URL(cluster.databaseUrl)
  url.username = `cupel-${service}`
  url.password = PASSWORD
  return url.toString()
}

function commonSettings(cluster: SecuredCluster, keysFile: string): Record<string, string> {
  return {
    CUPEL_LOG: 'kafka',
    CUPEL_KAFKA_BROKERS: cluster.brokers,
    CUPEL_KAFKA_TLS: 'true',
    CUPEL_KAFKA_TLS_CA_FILE: cluster.caFile,
    CUPEL_KAFKA_PASSWORD_FILE: cluster.passwordFile,
    CUPEL_TOPIC_PREFIX: TOPIC_PREFIX,
    CUPEL_RECORD_KEYS_FILE: TEST_RECORD_KEYS_FILE,
    CUPEL_PERSONAL_DATA_KEYS_FILE: keysFile,
    CUPEL_TRUSTED_PROXIES: '127.0.0.0/8',
  }
}

function settingsOfOperator(cluster: SecuredCluster, folder: string): Record<string, string> {
  return {
    CUPEL_HOME: folder,
    CUPEL_DATABASE_ADMIN_URL: cluster.databaseUrl,
    CUPEL_KAFKA_SASL_MECHANISM: 'scram-sha-512',
    CUPEL_KAFKA_USERNAME: 'cupel-operator',
    CUPEL_REGISTRY_URL: cluster.registryUrl,
    CUPEL_REGISTRY_CA_FILE: cluster.caFile,
    CUPEL_REGISTRY_USERNAME: 'registrar',
    CUPEL_REGISTRY_PASSWORD_FILE: cluster.passwordFile,
  }
}

function startService(
  folder: string,
  name: string,
  [command, ...args]: readonly [string, ...string[]],
  settings: Readonly<Record<string, string>>,
): Child {
  return startChild({
    ...{ name, args, command, cwd: checkout },
    env: { PATH: process.env['PATH'], ...settings },
    logFile: join(folder, `${name}.log`),
    recordFolder: join(folder, 'processes'),
    stage: 'service',
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 20_000,
  })
}

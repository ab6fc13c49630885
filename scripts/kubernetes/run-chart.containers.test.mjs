// The services with exactly the settings of the chart's manifests: installed by the hook, ready by their probes, a screen answered, ended in time.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { noteSkip, until } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { standIn } from '../containers/base-images.mjs'
import { buildImage, docker } from '../containers/docker.mjs'
import { root } from '../setup.mjs'
import { addressOf, dockerArguments, probe } from './as-containers.mjs'
import { podsOf, render, toolsOrReason } from './chart.mjs'

const { tools, reason } = await toolsOrReason()
const missing = process.env.CUPEL_TEST_ENGINE_MISSING ?? reason
if (missing !== undefined) noteSkip(`the services by the chart: ${missing}`)
/** Pods of a service are equal: a second one must find a number of its own. */
const SECOND = '-second'
const TWICE = ['api', 'scorer'].map((name) => `${name}${SECOND}`)
const SERVICES = ['api', 'scorer', 'projector', 'bulk-coordinator', 'webhook-dispatcher', 'web']
const LAZARUS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const POLL_MS = 500
const PROJECT = `cupel-chart-${process.pid}`
/** Another one than that of the composition, whose tests may run beside this one. */
const EDGE_SUBNET = '10.217.1.0/24'
/** The ranges of an engine's own networks: the callers of this test come from there. */
const PRIVATE_RANGES = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']
/** Where compose makes the secrets, and how the chart names them. */
const SECRETS = {
  'cupel-database': { 'database-url': 'services/database-url' },
  'cupel-operator': { 'admin-url': 'operator/admin-url' },
  'cupel-kafka': { 'kafka-password': 'services/kafka-password' },
  'cupel-keys': {
    'record-keys.json': 'services/record-keys.json',
    'signing-keys.json': 'projector/signing-keys.json',
  },
  'cupel-web': { 'web-secret': 'web/web-secret' },
}
const VALUES = {
  image: { registry: '', repository: 'cupel-test', tag: 'test' },
  database: { insecure: true },
  kafka: {
    brokers: ['kafka:9092'],
    insecure: true,
    tls: { enabled: false, caSecret: '' },
    sasl: { mechanism: 'plain' },
  },
  registry: { url: 'http://registry:8080/apis/ccompat/v7', username: '', existingSecret: '', insecure: true },
  keys: { reportsSecret: '' },
  trustedProxies: PRIVATE_RANGES,
}

describe.skipIf(missing !== undefined)('the services by the manifests of the chart', () => {
  const secrets = mkdtempSync(join(tmpdir(), 'cupel-chart-'))
  const ids = new Map()
  let parts
  let upgrade
  let environment

  beforeAll(async () => {
    for (const target of [...SERVICES, 'cupel']) await buildImage(target)
    const podsOfRelease = async (options) => podsOf((await render(tools, VALUES, options)).manifests)
    parts = new Map((await podsOfRelease({})).map((part) => [part.name, part]))
    upgrade = (await podsOfRelease({ isUpgrade: true })).find(({ name }) => name === 'install')
    environment = {
      ...{ CUPEL_IMAGES: 'cupel-test', CUPEL_VERSION: 'test', CUPEL_EDGE_SUBNET: EDGE_SUBNET },
      KAFKA_IMAGE: await standIn('kafka', {}),
      POSTGRES_IMAGE: await standIn('postgres', {}),
      REGISTRY_IMAGE: await standIn('registry', {}),
    }
    await compose('up', '--detach', '--no-build', '--wait', 'postgres', 'kafka', 'registry')
    await copySecrets()
  })
  afterAll(async () => {
    if (ids.size > 0) await docker('rm', '--force', '--volumes', ...ids.values())
    if (environment !== undefined) await compose('down', '--volumes', '--timeout', '10')
    rmSync(secrets, { recursive: true, force: true })
  })

  const compose = async (...args) =>
    await promisify(execFile)('docker', ['compose', '--project-name', PROJECT, ...args], {
      cwd: root,
      env: { ...process.env, ...environment },
    })
  const copySecrets = async () => {
    const folders = ['operator', 'services', 'projector', 'web']
    const mounts = folders.flatMap((name) => ['--volume', `${PROJECT}_secrets-${name}:/secrets/${name}:ro`])
    for (const [secret, keys] of Object.entries(SECRETS)) {
      mkdirSync(join(secrets, secret))
      for (const [key, path] of Object.entries(keys)) {
        const read = `process.stdout.write(require('fs').readFileSync('/secrets/${path}'))`
        const content = await docker(
          'run',
          '--rm',
          ...mounts,
          '--entrypoint',
          'node',
          'cupel-test/cupel:test',
          '-e',
          read,
        )
        writeFileSync(join(secrets, secret, key), content)
      }
    }
  }
  const partOf = (name) => parts.get(name.replace(SECOND, ''))
  const argumentsOf = (name, part = partOf(name)) =>
    dockerArguments(part, {
      network: `${PROJECT}_data`,
      alias: `cupel-${name.replace(SECOND, '')}`,
      name: `${PROJECT}-${name}`,
      secrets,
      claims: { 'cupel-checkpoints': `${PROJECT}_checkpoints` },
    })
  const start = async (name) => ids.set(name, (await docker('run', '--detach', ...argumentsOf(name))).trim())
  const cupel = (...args) => docker('exec', ids.get('operator'), 'cupel', ...args)
  const stateOf = async (name) => JSON.parse(await docker('inspect', ids.get(name)))[0].State

  const hook = (part) => docker('run', '--rm', ...argumentsOf('install', part))

  test('the hook of an upgrade refuses an empty database; that of an installation fills it', async () => {
    await expect(hook(upgrade)).rejects.toThrow(/cupel install/)
    expect(await hook()).not.toContain('Nothing to do')
    expect(await hook(upgrade)).toContain('Nothing to do')
  })

  test('every service is alive and becomes ready by its probes', async () => {
    for (const name of [...SERVICES, ...TWICE, 'operator']) await start(name)
    for (const name of [...SERVICES, ...TWICE]) {
      const part = partOf(name)
      for (const each of ['startupProbe', 'livenessProbe', 'readinessProbe'])
        await until(async () => {
          const { status, text } = await probe(ids.get(name), part, part.container[each])
          expect(status, `${name} ${each}: ${text}`).toBe(200)
        }, POLL_MS)
    }
  })

  test('an operator makes a key, and a screen is answered', async () => {
    const account = /acc_[0-9a-f]+/.exec(await cupel('accounts', 'create', 'First customer'))[0]
    const key = /cpl_live_\w+/.exec(
      await cupel('keys', 'create', '--account', account, '--scope', 'read-write', '--plan', 'pro'),
    )[0]
    const address = await addressOf(ids.get('api'))
    const report = await until(async () => {
      const answer = await fetch(`http://${address}:8080/v1/screen`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ address: LAZARUS }),
      })
      const text = await answer.text()
      expect(answer.status, text).toBe(200)
      return JSON.parse(text)
    }, POLL_MS)
    expect(report.risk.level).toBe('grey')
    expect((await fetch(`http://${await addressOf(ids.get('web'))}:8081/sign-in`)).status).toBe(200)
  })

  test('every service ends by itself within the time that it is granted', async () => {
    const names = [...SERVICES, ...TWICE]
    await Promise.all(names.map((name) => docker('stop', ids.get(name))))
    for (const name of names) {
      const { ExitCode, OOMKilled } = await stateOf(name)
      expect([ExitCode, OOMKilled], `${name}\n${await docker('logs', ids.get(name))}`).toEqual([0, false])
    }
  })
})

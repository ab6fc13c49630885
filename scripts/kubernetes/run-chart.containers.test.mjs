// Follows docs/kubernetes.md word for word, with a stand-in for the cluster: the services run as containers with exactly the settings of
// the chart's manifests. The hook installs them, their probes report ready, they answer a screen, and they end in time.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { noteSkip, until } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { standIn } from '../containers/base-images.mjs'
import { freshClone } from '../containers/composition.mjs'
import { buildImage, docker } from '../containers/docker.mjs'
import { commandsBelow, follow } from '../containers/page.mjs'
import { productVersion } from '../version.mjs'
import { root } from '../setup.mjs'
import { addressOf, dockerArguments, probe } from './as-containers.mjs'
import { FIRST_REPORT, podsOf, render, toolsOrReason } from './chart.mjs'
import { endpointOf, startObjectStore } from './object-store.mjs'
import { MANIFESTS, prepareCluster, SECRETS } from './stand-in-cluster.mjs'

const { tools, reason } = await toolsOrReason()
const missing = process.env.CUPEL_TEST_ENGINE_MISSING ?? reason
if (missing !== undefined) noteSkip(`the services by the chart: ${missing}`)
/** Pods of a service are equal: a second one must find a number of its own. */
const SECOND = '-second'
const TWICE = ['api', 'scorer'].map((name) => `${name}${SECOND}`)
const SERVICES = ['api', 'scorer', 'projector', 'bulk-coordinator', 'webhook-dispatcher', 'web']
const POLL_MS = 500
const PROJECT = `cupel-chart-${process.pid}`
/** Differs from the subnet of the composition, whose tests may run beside this one. */
const EDGE_PREFIX = '10.217.1'
/** The ranges of an engine's own networks: the callers of this test come from there. */
const PRIVATE_RANGES = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']
const PAGE = 'docs/kubernetes.md'
/** Files that the page takes from elsewhere, by name: those that compose made for Postgres and Kafka, and those that these do not need. */
const FROM_VOLUMES = {
  'admin-url': 'operator/admin-url',
  'kafka-password': 'operator/kafka-password',
}
const NOT_NEEDED = ['ca.crt', 'registry-password']
const FIRST_VALUES = parse(readFileSync(FIRST_REPORT, 'utf8'))
const BUCKET = FIRST_VALUES.keys.checkpoints.slice('s3://'.length)
const STORE = 'store'
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
  trustedProxies: PRIVATE_RANGES,
  objectStore: { endpoint: endpointOf(STORE), insecure: true },
  // As on one machine.
  partitions: { screen: 4, reports: 16 },
}

describe.skipIf(missing !== undefined)('the services by the manifests of the chart', () => {
  const cluster = mkdtempSync(join(tmpdir(), 'cupel-chart-'))
  const ids = new Map()
  let store
  let clone
  let shell
  let parts
  let environment

  beforeAll(async () => {
    for (const target of [...SERVICES, 'cupel']) await buildImage(target)
    environment = {
      ...{ CUPEL_IMAGES: 'cupel-test', CUPEL_VERSION: 'test', CUPEL_EDGE_PREFIX: EDGE_PREFIX },
      KAFKA_IMAGE: await standIn('kafka', {}),
      POSTGRES_IMAGE: await standIn('postgres', {}),
      REGISTRY_IMAGE: await standIn('registry', {}),
    }
    await compose('up', '--detach', '--no-build', '--wait', 'postgres', 'kafka', 'registry')
    const { accessKeyId: writer, reader } = FIRST_VALUES.objectStore
    store = await startObjectStore({
      ...{ name: `${PROJECT}-${STORE}`, network: `${PROJECT}_data`, alias: STORE, bucket: BUCKET },
      ...{ folder: join(cluster, 'store-settings'), writer, reader: reader.accessKeyId },
    })
    clone = freshClone()
    shell = { ...process.env, ...prepareCluster(cluster, { helm: tools.helm, prefix: PROJECT }) }
    await writeFiles()
  })
  afterAll(async () => {
    const started = [...ids.values(), ...(store === undefined ? [] : [store.id])]
    if (started.length > 0) await docker('rm', '--force', '--volumes', ...started)
    if (environment !== undefined) await compose('down', '--volumes', '--timeout', '10')
    for (const folder of [cluster, clone])
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  })

  const compose = async (...args) =>
    await promisify(execFile)('docker', ['compose', '--project-name', PROJECT, ...args], {
      cwd: root,
      env: { ...process.env, ...environment },
    })
  /** Writes the files that a person provides: passwords of servers elsewhere, and the copy of the values with their own addresses. */
  const writeFiles = async () => {
    const mounts = ['operator', 'services'].flatMap((name) => [
      ...['--volume', `${PROJECT}_secrets-${name}:/secrets/${name}:ro`],
    ])
    for (const [name, path] of Object.entries(FROM_VOLUMES)) {
      const read = `process.stdout.write(require('fs').readFileSync('/secrets/${path}'))`
      const node = ['--entrypoint', 'node', 'cupel-test/cupel:test', '-e', read]
      writeFileSync(join(clone, name), await docker('run', '--rm', ...mounts, ...node))
    }
    // The page has one user for all services; compose has one for each.
    const services = new URL(readFileSync(join(clone, 'admin-url'), 'utf8'))
    Object.assign(services, { username: 'cupel_service', password: randomBytes(24).toString('hex') })
    writeFileSync(join(clone, 'database-url'), services.href)
    for (const name of NOT_NEEDED) writeFileSync(join(clone, name), 'nobody asks for it here')
    writeFileSync(join(clone, 'projectors-secret'), store.secrets.writer)
    writeFileSync(join(clone, 'operators-secret'), store.secrets.reader)
    writeFileSync(join(clone, 'values.yaml'), stringify(merged(FIRST_VALUES, VALUES)))
  }
  const partOf = (name) => parts.get(name.replace(SECOND, ''))
  const argumentsOf = (name, part = partOf(name)) =>
    dockerArguments(part, {
      network: `${PROJECT}_data`,
      alias: `cupel-${name.replace(SECOND, '')}`,
      name: `${PROJECT}-${name}`,
      secrets: join(cluster, SECRETS),
    })
  const start = async (name) => ids.set(name, (await docker('run', '--detach', ...argumentsOf(name))).trim())
  const documents = (file) =>
    parseAllDocuments(readFileSync(join(cluster, file), 'utf8'))
      .map((document) => document.toJS())
      .filter((document) => document !== null)
  const podsOfRelease = () => podsOf(documents(MANIFESTS))
  const stateOf = async (name) => JSON.parse(await docker('inspect', ids.get(name)))[0].State

  const hook = (part) => docker('run', '--rm', ...argumentsOf('install', part))

  /** Does the same with the manifests as `helm install --wait`. */
  const install = async () => {
    parts = new Map(podsOfRelease().map((part) => [part.name, part]))
    const { manifests } = await render(tools, VALUES, { isUpgrade: true })
    const tooEarly = podsOf(manifests).find(({ name }) => name === 'install')
    await expect(hook(tooEarly)).rejects.toThrow(/cupel install/)
    expect(await hook()).not.toContain('Nothing to do')
    for (const name of [...SERVICES, ...TWICE, 'operator']) await start(name)
    for (const name of [...SERVICES, ...TWICE])
      for (const each of ['startupProbe', 'livenessProbe', 'readinessProbe'])
        await until(async () => {
          const part = partOf(name)
          const { status, text } = await probe(ids.get(name), part, part.container[each])
          expect(status, `${name} ${each}: ${text}`).toBe(200)
        }, POLL_MS)
  }

  /** A shell that keeps the functions that the page defines. */
  const openShell = () => {
    let functions = ''
    return async (command) => {
      if (/^\w+\(\) \{/.test(command)) {
        functions += `${withNames(command)}\n`
        return ''
      }
      const text = functions + withNames(command)
      const { stdout } = await promisify(execFile)('bash', ['-c', text], { cwd: clone, env: shell })
      return stdout
    }
  }
  const withNames = (command) =>
    command.replaceAll(`REGISTRY/cupel/cupel:${productVersion()}`, 'cupel-test/cupel:test')

  test('the commands of the page, word for word, lead from a file of values to a first report', async () => {
    const run = openShell()
    const { outputs } = await follow(
      commandsBelow(PAGE, 'From a file of values to the first report'),
      async (command) => {
        if (command.startsWith('curl ')) {
          const url = `http://${await addressOf(ids.get('api'))}:8080`
          return await until(() => reportBy(run, command.replace('https://cupel.example', url)), POLL_MS)
        }
        const output = await run(command)
        if (command.startsWith('helm install ')) await install()
        return output
      },
    )
    expect(JSON.parse(outputs[outputs.length - 1]).risk.level).toBe('grey')
    expect((await fetch(`http://${await addressOf(ids.get('web'))}:8081/sign-in`)).status).toBe(200)
  })

  test('the bucket has the signed checkpoints, and by its key an operator proves the log by them', async () => {
    const cupel = (...args) => docker('exec', ids.get('operator'), 'cupel', ...args, '--json')
    const verified = await until(async () => {
      const said = JSON.parse(await cupel('audit', 'verify'))
      expect(said, JSON.stringify(said)).toMatchObject({ is_proven: true, problem_count: 0, reports: 1 })
      return said
    }, POLL_MS)
    expect(JSON.stringify(verified)).toContain(BUCKET)
    expect(await docker('exec', store.id, 'ls', '-R', `/data/${BUCKET}`)).toMatch(/checkpoint/)
  })

  test('the upgrade of the page finds the installation', async () => {
    await follow(commandsBelow(PAGE, 'Upgrade'), openShell())
    expect(await hook(podsOfRelease().find(({ name }) => name === 'install'))).toContain('Nothing to do')
  })

  test('without the database no API is ready and everything lives; with it each API is ready again, without a call', async () => {
    const apis = ['api', `api${SECOND}`]
    const expectStatus = async (name, each, status) => {
      const part = partOf(name)
      const answer = await probe(ids.get(name), part, part.container[each])
      expect([name, each, answer.status]).toEqual([name, each, status])
    }
    await compose('stop', 'postgres')
    for (const name of apis) await until(() => expectStatus(name, 'readinessProbe', 503), POLL_MS)
    for (const name of [...SERVICES, ...TWICE]) await expectStatus(name, 'livenessProbe', 200)
    await compose('start', 'postgres')
    for (const name of [...SERVICES, ...TWICE])
      await until(() => expectStatus(name, 'readinessProbe', 200), POLL_MS)
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

/** Rejects if the answer is not a report. */
async function reportBy(run, command) {
  const text = await run(command)
  expect(JSON.parse(text), text).toHaveProperty('risk')
  return text
}

/** Merges as helm does: members of objects one by one, everything else as a whole. */
function merged(below, above) {
  if (!isObject(below) || !isObject(above)) return above
  const names = [...new Set([...Object.keys(below), ...Object.keys(above)])]
  return Object.fromEntries(
    names.map((name) => [name, name in above ? merged(below[name], above[name]) : below[name]]),
  )
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

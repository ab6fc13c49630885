// docker-compose.yml as an operator uses it: up, a first report, a bulk job, down and up again.
import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import { noteSkip, until } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../setup.mjs'
import { standIn } from './base-images.mjs'
import { buildImage, docker } from './docker.mjs'

const missing = process.env.CUPEL_TEST_ENGINE_MISSING
if (missing !== undefined) noteSkip(`docker compose: ${missing}`)
const LAZARUS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const SERVICES = [
  'api',
  'scorer',
  'projector',
  'bulk-coordinator',
  'webhook-dispatcher',
  'label-refresher',
  'web',
]
const POLL_MS = 500
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024
const PROJECT = `cupel-test-${process.pid}`

describe.skipIf(missing !== undefined)('docker compose', () => {
  let environment
  let base
  let key
  let first

  beforeAll(async () => {
    for (const target of [...SERVICES, 'cupel']) await buildImage(target)
    const images = {
      KAFKA_IMAGE: await standIn('kafka', {}),
      POSTGRES_IMAGE: await standIn('postgres', {}),
      REGISTRY_IMAGE: await standIn('registry', {}),
    }
    // Last: until they are used, others may take them.
    const [port, webPort] = [await freePort(), await freePort()]
    base = `http://127.0.0.1:${port}`
    environment = {
      ...{ CUPEL_IMAGES: 'cupel-test', CUPEL_VERSION: 'test', ...images },
      ...{ CUPEL_PORT: String(port), CUPEL_WEB_PORT: String(webPort) },
      ...{ CUPEL_BASE_URL: base, CUPEL_WEB_URL: `http://127.0.0.1:${webPort}` },
    }
  })
  afterAll(async () => {
    if (environment !== undefined)
      await compose('--profile', 'operator', 'down', '--volumes', '--timeout', '10')
  })

  const compose = async (...args) => {
    const call = promisify(execFile)('docker', ['compose', '--project-name', PROJECT, ...args], {
      cwd: root,
      maxBuffer: MAX_OUTPUT_BYTES,
      env: { ...process.env, ...environment },
    })
    return (await call).stdout
  }
  const up = () => compose('up', '--detach', '--no-build', '--wait')
  const cupel = (...args) => compose('run', '--rm', '--no-deps', 'cupel', ...args)
  const call = async (path, body) => {
    const answer = await fetch(`${base}${path}`, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    return { status: answer.status, text: await answer.text() }
  }
  const screened = async () =>
    await until(async () => {
      const answer = await call('/v1/screen', { address: LAZARUS })
      expect(answer.status, answer.text).toBe(200)
      return answer.text
    }, POLL_MS)

  test('one command starts everything, and two more give a first report', async () => {
    await up()
    const account = /acc_[0-9a-f]+/.exec(await cupel('accounts', 'create', 'First customer'))[0]
    key = /cpl_live_\w+/.exec(
      await cupel('keys', 'create', '--account', account, '--scope', 'read-write', '--plan', 'pro'),
    )[0]
    first = await screened()
    expect(JSON.parse(first).risk.level).not.toBe('green')
    expect((await fetch(environment.CUPEL_WEB_URL)).status).toBe(200)
  })

  test('every container has limits, no right but what its image needs, and ports only where people call', async () => {
    for (const id of (await compose('ps', '--all', '--quiet')).trim().split('\n')) {
      const { Name: name, Config, HostConfig } = JSON.parse(await docker('inspect', id))[0]
      expect(HostConfig.CapDrop, name).toEqual(['ALL'])
      expect(HostConfig.SecurityOpt, name).toContain('no-new-privileges:true')
      const isOurs = Config.Image.startsWith('cupel-test/') && Config.Image.endsWith(':test')
      if (isOurs)
        expect([HostConfig.ReadonlyRootfs, HostConfig.CapAdd, Config.User], name).toEqual([
          true,
          null,
          '10001:10001',
        ])
      const addresses = Object.values(HostConfig.PortBindings ?? {})
        .flat()
        .map(({ HostIp }) => HostIp)
      expect(addresses, name).toEqual(/-(api|web)-1$/.test(name) ? ['127.0.0.1'] : [])
      const secrets = Config.Env.filter(
        (one) => /(PASSWORD|SECRET|KEY|URL)=/.test(one) && /:\/\/[^/]*:[^/]*@/.test(one),
      )
      expect(secrets, name).toEqual([])
    }
  })

  test('a bulk job ends, and its results can be read', async () => {
    const made = await call('/v1/bulk', {
      addresses: [LAZARUS, '12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h', 'not an address'],
    })
    expect(made.status, made.text).toBe(202)
    const { job_id: id } = JSON.parse(made.text)
    const job = await until(async () => {
      const { text } = await call(`/v1/bulk/${id}`)
      expect(JSON.parse(text).completed_at, text).not.toBeNull()
      return JSON.parse(text)
    }, POLL_MS)
    expect(job).toMatchObject({ total: 3, completed: 2, failed: 1 })
  })

  test('down and up again finds everything', async () => {
    await compose('down', '--timeout', '10')
    await up()
    await until(async () => {
      const read = await call(`/v1/reports/${JSON.parse(first).report_id}`)
      expect(read).toEqual({ status: 200, text: first })
    }, POLL_MS)
    await screened()
  })
})

async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** `cupel support-bundle` on a running installation with every kind of secret, some of them in its logs. */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@cupel/postgres'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, cleanUp, cupel, start, type Started } from '../started.js'
import type { Ready } from '../../src/start/ready-line.js'

const LAZARUS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const BITCOIN = '12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h'
const OIDC_SECRET = 'the secret of a client at the sign-in service'
const SECRETS = {
  CUPEL_WEBHOOK_SECRETS_KEY: 'a key that encrypts the secrets of webhooks',
  CUPEL_WEB_SECRET: 'what only the console and the API know of',
}

const home = mkdtempSync(join(tmpdir(), 'cupel-support-'))
const folder = mkdtempSync(join(tmpdir(), 'cupel-bundle-'))
const log = join(home, 'embedded', 'logs', 'cupel.log')
let running: Started
let ready: Ready
let environment: Record<string, string>
/** The secrets by their kind. */
const secrets = new Map<string, string>()

beforeAll(async () => {
  const oidcFile = join(home, 'oidc-client-secret')
  writeFileSync(oidcFile, OIDC_SECRET)
  environment = { ...SECRETS, CUPEL_KAFKA_OAUTH_CLIENT_SECRET_FILE: oidcFile }
  running = start({ home, environment: { ...SECRETS, CUPEL_WEBHOOK_ALLOW: '127.0.0.1/32' } })
  ready = await running.ready
  for (const [name, value] of Object.entries(SECRETS)) secrets.set(name, value)
  secrets.set('client secret', OIDC_SECRET)
  secrets.set('read-write key', ready.keys.read_write)
  secrets.set('read-only key', ready.keys.read_only)
  const made = await call(ready, '/v1/webhook-endpoints', { body: { url: 'http://127.0.0.1:9/hook' } })
  expect(made.status, made.text).toBe(201)
  secrets.set('webhook secret', (JSON.parse(made.text) as { secret: string }).secret)
  for (const file of ['record-keys.json', 'signing-keys.json', 'personal-data-keys.json'])
    for (const [index, value] of privateParts(JSON.parse(readFileSync(join(home, file), 'utf8'))).entries())
      secrets.set(`${file} ${index}`, value)
  const { databaseUrl } = JSON.parse(readFileSync(join(home, 'run.json'), 'utf8')) as { databaseUrl: string }
  secrets.set('password of the database', decodeURIComponent(new URL(databaseUrl).password))
  const database = openDatabase({ connectionString: databaseUrl, maxConnections: 1, applicationName: 'test' })
  const [row] = await database.query<{ secret: string }>(
    "SELECT encode(secret, 'base64') AS secret FROM access.installation_secret",
  )
  secrets.set('secret of the installation', row!.secret)
  await database.close()
})
afterAll(async () => {
  await cleanUp(home, [running])
  rmSync(folder, { recursive: true, force: true })
})

/** Returns every value that is neither the name of a key nor a public half. */
function privateParts(value: unknown, field = ''): string[] {
  if (typeof value === 'string') return /secret|private|^key$/i.test(field) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) =>
    privateParts(each, Array.isArray(value) ? field : name),
  )
}

function spellings(secret: string): string[] {
  const all = [Buffer.from(secret)]
  if (/^[\w+/-]{16,}={0,2}$/.test(secret)) all.push(Buffer.from(secret, 'base64'))
  return [
    secret,
    ...all.flatMap((bytes) => [
      bytes.toString('base64').replace(/=+$/, ''),
      bytes.toString('base64url'),
      bytes.toString('hex'),
    ]),
  ]
}

function unpacked(archive: string): Map<string, string> {
  const into = mkdtempSync(join(folder, 'unpacked-'))
  execFileSync('tar', ['--extract', '--file', archive, '--directory', into, '--no-same-owner'])
  const names = readdirSync(into, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(into, name)).isFile(),
  )
  return new Map(names.map((name) => [name, readFileSync(join(into, name), 'utf8')]))
}

test('a signal gives debug lines at once, without a restart', async () => {
  running.process.kill('SIGUSR2')
  await until(() => expect(readFileSync(log, 'utf8')).toContain('The log has debug lines now'))
  await call(ready, '/v1/screen', { body: { address: LAZARUS } })
  await until(() => expect(readFileSync(log, 'utf8')).toContain('"route":"/v1/screen"'))
})

test('it has the state of the installation, and no secret and no address in any spelling', async () => {
  expect(secrets.size).toBeGreaterThan(8)
  // A library might log them. Secrets that are only in the database could only appear in their own form, or not at all.
  for (const [name, secret] of secrets) {
    if (name === 'secret of the installation') continue
    const spelt = /^cpl_|^whsec_/.test(secret) ? [secret] : spellings(secret)
    appendFileSync(log, `${JSON.stringify({ name, spelt })}\n`)
  }
  appendFileSync(log, `${JSON.stringify({ refused: LAZARUS, alsoRefused: BITCOIN })}\n`)
  const archive = join(folder, 'bundle.tar.gz')

  const said = await cupel({ home, environment }, 'support-bundle', '--output', archive, '--json')

  expect(said.exitCode, said.stderr).toBe(0)
  expect(JSON.parse(said.stdout)).toMatchObject({ file: archive, faults: [] })
  expect(statSync(archive).mode & 0o777).toBe(0o600)
  const files = unpacked(archive)
  expect([...files.keys()].filter((name) => !name.startsWith('logs/')).toSorted()).toEqual(
    [
      'README.txt',
      'checks.json',
      'database.json',
      'log.json',
      'machine.json',
      'metrics/standalone.txt',
    ].concat(['settings.json', 'sizes-of-the-home.json', 'status.json']),
  )
  const whole = [...files.values()].join('\n')
  for (const [name, secret] of secrets)
    for (const spelling of spellings(secret)) expect(whole.includes(spelling), name).toBe(false)
  expect(whole).not.toContain(LAZARUS)
  expect(whole).not.toContain(BITCOIN)
  // The call of the test above.
  expect(whole).toContain('"route":"/v1/screen"')
  const planted = files.get('logs/embedded/cupel.log')!
  expect(planted).toContain('"refused":"[address removed]"')
  expect(planted).toContain('"name":"CUPEL_WEB_SECRET","spelt":["[secret removed]"')

  expect(JSON.parse(files.get('settings.json')!)).toContainEqual({
    name: 'CUPEL_WEB_SECRET',
    isSet: true,
    value: null,
  })
  expect(JSON.parse(files.get('checks.json')!)).toContainEqual(
    expect.objectContaining({ name: 'database', state: 'ok' }),
  )
  expect(JSON.parse(files.get('status.json')!)).toMatchObject({ running: true, profile: 'embedded' })
  expect(JSON.parse(files.get('log.json')!)).toMatchObject({
    topics: expect.arrayContaining([
      expect.objectContaining({ topic: 'screening.report.events.v1', partitions: expect.any(Array) }),
    ]),
  })
  expect(files.get('metrics/standalone.txt')).toContain('cupel_service_check_passes')
  expect(files.get('README.txt')).toContain('Nothing is missing.')
})

test('a service that does not answer is named, and the rest is there', async () => {
  const archive = join(folder, 'partly.tar.gz')
  const args = ['support-bundle', '--metrics', 'http://127.0.0.1:1', '--output', archive, '--json']
  const said = await cupel({ home, environment }, ...args)
  expect(said.exitCode).toBe(0)
  expect((JSON.parse(said.stdout) as { faults: string[] }).faults).toEqual([
    expect.stringMatching(/^metrics\/given-1\.txt is missing: /),
  ])
  const files = unpacked(archive)
  expect(files.get('README.txt')).toContain('metrics/given-1.txt is missing')
  expect(files.has('status.json')).toBe(true)
})

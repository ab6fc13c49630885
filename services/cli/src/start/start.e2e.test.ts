/** `npm start` on the embedded profile as a newcomer meets it, and everything that may go wrong around it. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exitCodes, processIdentity } from '@cupel/local-stack'
import { openDatabase } from '@cupel/postgres'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  call,
  checkout,
  cleanUp,
  cupel,
  end,
  openToOthers,
  run,
  start,
  type Ended,
  type Started,
} from '../../test/started.js'

const LAZARUS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'

let home: string
let running: Started[]
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cupel-start-'))
  running = []
})
afterEach(async () => {
  await cleanUp(home, running)
})

function begin(options: { home: string; environment?: Record<string, string> } = { home }): Started {
  const started = start(options)
  running.push(started)
  return started
}

test('a real address is screened, and another start after Ctrl-C finds the report again', async () => {
  const first = begin()
  const ready = await first.ready
  const screened = await call(ready, '/v1/screen', { body: { address: LAZARUS } })
  expect(screened.status).toBe(200)
  const report = JSON.parse(screened.text) as { report_id: string; risk: object }
  expect(report.risk).toMatchObject({
    level: 'red',
    evidence: [{ category: 'sanctions', decisive: true }, {}],
  })

  const stopped = await end(first)

  expect(stopped).toMatchObject({ exitCode: 0, stdout: `${JSON.stringify(ready)}\n` })
  expect(leftRunning()).toEqual([])
  const again = await begin().ready
  expect(await call(again, `/v1/reports/${report.report_id}`)).toEqual(screened)
  expect(again.keys).toEqual(ready.keys)
})

test('what a start stores is its user’s alone, and the services work in a role that owns nothing', async () => {
  const ready = await begin().ready
  expect(openToOthers(home)).toEqual([])
  expect((await call(ready, '/v1/screen', { body: { address: LAZARUS } })).status).toBe(200)

  const { databaseUrl } = JSON.parse(readFileSync(join(home, 'run.json'), 'utf8')) as { databaseUrl: string }
  const owner = openDatabase({ connectionString: databaseUrl, maxConnections: 1, applicationName: 'test' })
  try {
    const roles = await owner.query(
      `SELECT DISTINCT application_name AS pool, usesuper AS super,
         EXISTS (SELECT FROM pg_class WHERE relowner = u.usesysid) AS owns
       FROM pg_stat_activity a JOIN pg_user u USING (usesysid)
       WHERE application_name IN ('cupel-api', 'cupel-log', 'cupel-workers') ORDER BY 1`,
    )
    expect(roles).toEqual(
      ['cupel-api', 'cupel-log', 'cupel-workers'].map((pool) => ({ pool, super: false, owns: false })),
    )
  } finally {
    await owner.close()
  }
})

test('a command that starts the database itself leaves nothing that others may read', async () => {
  const listed = await cupel({ home }, 'accounts', 'create', 'Acme')
  expect(listed).toMatchObject({ exitCode: 0 })
  expect(openToOthers(home)).toEqual([])
})

test('the read-only key reads and may not screen', async () => {
  const ready = await begin().ready

  const refused = await call(ready, '/v1/screen', { key: ready.keys.read_only, body: { address: LAZARUS } })

  expect(refused.status).toBe(403)
})

test('a second start on the same folder is refused in one sentence, and the first goes on', async () => {
  const ready = await begin().ready

  const second = await start({ home }).ended

  expectSentence(second, exitCodes['home-in-use'], /is in use by `cupel start` \(process \d+/)
  expect((await call(ready, '/v1/screen', { body: { address: LAZARUS } })).status).toBe(200)
})

test('what a killed start left behind is stopped by the next, which finds every report', async () => {
  const first = begin()
  const ready = await first.ready
  const screened = await call(ready, '/v1/screen', { body: { address: LAZARUS } })
  const { report_id: id } = JSON.parse(screened.text) as { report_id: string }
  await end(first, 'SIGKILL')
  const orphans = leftRunning()
  expect(orphans.length).toBeGreaterThan(0)

  const again = await begin().ready

  expect(orphans.filter((pid) => processIdentity(pid) !== null)).toEqual([])
  expect(await call(again, `/v1/reports/${id}`)).toEqual(screened)
})

test('Postgres killed under a running service comes back, and the service goes on', async () => {
  const ready = await begin().ready
  const [postgres] = leftRunning()
  process.kill(postgres!, 'SIGKILL')

  await expect
    .poll(async () => (await call(ready, '/v1/screen', { body: { address: LAZARUS } })).status, {
      timeout: 120_000,
    })
    .toBe(200)
  expect(leftRunning()).not.toContain(postgres)
})

test('a taken port is refused in one sentence and leaves nothing running', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const port = String((other.address() as AddressInfo).port)

  const refused = await start({ home, environment: { CUPEL_PORT: port } }).ended

  await new Promise((resolve) => other.close(resolve))
  expectSentence(
    refused,
    exitCodes['port-taken'],
    new RegExp(`^Port ${port} on 127.0.0.1 is taken .*CUPEL_PORT`),
  )
  expect(leftRunning()).toEqual([])
})

test('a folder that cannot be made is refused in one sentence', async () => {
  const file = join(home, 'file')
  writeFileSync(file, '')

  const refused = await start({ home: join(file, 'home') }).ended

  expectSentence(refused, exitCodes['permission-denied'], /cannot be written .*CUPEL_HOME/)
})

test('a broken data folder is refused in one sentence', async () => {
  const first = begin()
  await first.ready
  await end(first)
  rmSync(join(home, 'postgres', 'data', 'PG_VERSION'))

  const refused = await start({ home }).ended

  expectSentence(refused, exitCodes['broken-data-folder'], /is not a Postgres data folder/)
})

test('Ctrl-C before everything is ready ends in order too', async () => {
  const early = begin()
  await expect
    .poll(() => existsSync(join(home, 'postgres/data.incomplete')), { timeout: 120_000, interval: 5 })
    .toBe(true)

  // As a terminal does it: every process of the group gets the signal, what makes the database too.
  process.kill(-early.process.pid!, 'SIGINT')
  const stopped = await early.ended

  expect(stopped).toMatchObject({ exitCode: 0, stdout: '' })
  expect(stopped.stderr).not.toMatch(/could not|cannot|failed/)
  expect(leftRunning()).toEqual([])
})

test('a command waits for no set-up of another, where there is nothing to install or to build', async () => {
  const lock = join(checkout, '.cache', 'setup.lock')
  await expect.poll(() => taken(lock), { timeout: 120_000 }).toBe(true)
  try {
    expect(await cupel({ home }, '--version')).toMatchObject({ exitCode: 0, stderr: '' })
  } finally {
    rmSync(lock)
  }
})

/** As another start holds the lock while it sets the checkout up. */
function taken(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    return false
  }
}

test('through npm one Ctrl-C of the terminal, which npm doubles, is an orderly end', async () => {
  const npm = run('npm', ['start', '--silent', '--', '--json'], { home })
  running.push(npm)
  await npm.ready

  process.kill(-npm.process.pid!, 'SIGINT')
  const stopped = await npm.ended

  expect(stopped.exitCode).toBe(0)
  expect(leftRunning()).toEqual([])
})

test('keys made beside the running service work at once, and revoked ones no longer', async () => {
  const ready = await begin().ready
  const account = answerOf(await cupel({ home }, 'accounts', 'create', 'Acme', '--json'))
  const create = ['keys', 'create', '--account', String(account['account_id']), '--scope', 'read-write']
  const key = answerOf(await cupel({ home, cwd: tmpdir() }, ...create, '--plan', 'enterprise', '--json'))
  const attempt = () => call(ready, '/v1/screen', { key: String(key['key']), body: { address: LAZARUS } })
  expect((await attempt()).status).toBe(200)

  await cupel({ home }, 'keys', 'revoke', String(key['key_id']))

  expect((await attempt()).status).toBe(401)
})

test('status shows the running services and, after a stop, the stored state', async () => {
  const first = begin()
  const ready = await first.ready
  await call(ready, '/v1/screen', { body: { address: LAZARUS } })

  const whileRunning = answerOf(await cupel({ home }, 'status', '--json'))
  await end(first)
  const stopped = await cupel({ home }, 'status', '--json')
  const afterwards = JSON.parse(stopped.stdout) as Record<string, unknown>

  expect(whileRunning).toMatchObject({ running: true, healthy: true, base_urls: [ready.base_url] })
  expect(whileRunning['services']).toMatchObject([{ name: 'standalone', ready: true }])
  // Healthy means that it runs.
  expect(stopped.exitCode).toBe(1)
  expect(afterwards).toMatchObject({ running: false, healthy: false, base_urls: [], services: [] })
  expect((afterwards['log'] as { identity: string }).identity).toBe(
    (whileRunning['log'] as { identity: string }).identity,
  )
  expect(leftRunning()).toEqual([])
})

test('files with secrets are readable only by their owner', async () => {
  await begin().ready

  for (const file of ['run.json', 'embedded/demo-keys.json', 'postgres/password'])
    expect([file, statSync(join(home, file)).mode & 0o777]).toEqual([file, 0o600])
})

/** Pids of the recorded children that run. */
function leftRunning(): number[] {
  const folder = join(home, 'processes')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .flatMap((file) => readPid(join(folder, file)))
    .filter((pid) => processIdentity(pid) !== null)
}

function readPid(file: string): number[] {
  try {
    return [(JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid]
  } catch {
    // The child ended between the listing and the reading.
    return []
  }
}

function answerOf(ended: Ended): Record<string, unknown> {
  expect(ended).toMatchObject({ exitCode: 0 })
  return JSON.parse(ended.stdout) as Record<string, unknown>
}

function expectSentence(ended: Ended, exitCode: number, sentence: RegExp): void {
  // The set-up may have had something to do.
  const said = ended.stderr.split('\n').filter((line) => line !== '' && !/^Built \d+ files\.$/.test(line))
  expect(said).toEqual([expect.stringMatching(sentence)])
  expect(ended).toMatchObject({ exitCode, stdout: '' })
}

/** `npm start` on the embedded profile as a newcomer uses it, and its failures. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exitCodes, processIdentity } from '@cupel/local-stack'
import { openDatabase } from '@cupel/postgres'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
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
import type { Ready } from './ready-line.js'

const LAZARUS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'

function begin(running: Started[], options: { home: string; environment?: Record<string, string> }): Started {
  const started = start(options)
  running.push(started)
  return started
}

/** One folder, from its first start to its end: each test continues with the installation of the one before. */
describe('an installation', () => {
  const home = mkdtempSync(join(tmpdir(), 'cupel-start-'))
  const running: Started[] = []
  let current: Started
  let ready: Ready
  let screened: { status: number; text: string }
  async function restart(): Promise<void> {
    current = begin(running, { home })
    ready = await current.ready
  }
  const screen = (key?: string) =>
    call(ready, '/v1/screen', { body: { address: LAZARUS }, ...(key === undefined ? {} : { key }) })
  const reportAgain = () =>
    call(ready, `/v1/reports/${(JSON.parse(screened.text) as { report_id: string }).report_id}`)
  beforeAll(restart)
  afterAll(() => cleanUp(home, running))

  test('screens a real address', async () => {
    screened = await screen()
    expect(screened.status).toBe(200)
    expect((JSON.parse(screened.text) as { risk: object }).risk).toMatchObject({
      level: 'red',
      evidence: [{ category: 'sanctions', decisive: true }, {}],
    })
  })

  test('stores what only its user may read, and its services work in a role that owns nothing', async () => {
    expect(openToOthers(home)).toEqual([])
    const { databaseUrl } = JSON.parse(readFileSync(join(home, 'run.json'), 'utf8')) as {
      databaseUrl: string
    }
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

  test('keeps files with secrets readable only by their owner', () => {
    for (const file of ['run.json', 'embedded/demo-keys.json', 'postgres/password'])
      expect([file, statSync(join(home, file)).mode & 0o777]).toEqual([file, 0o600])
  })

  test('refuses a screen with the read-only key', async () => {
    expect((await screen(ready.keys.read_only)).status).toBe(403)
  })

  test('runs a job from the command line: submitted, followed, fetched', async () => {
    const file = join(home, 'addresses.csv')
    writeFileSync(file, `address,note\n${LAZARUS},mine\nnonsense,bad\n`)
    const environment = { CUPEL_API_KEY: ready.keys.read_write }
    const submitted = await cupel({ home, environment }, 'bulk', 'submit', file, '--wait', '--json')
    // One address has no report; the exit code shows it.
    expect([submitted.exitCode, submitted.stderr]).toEqual([1, expect.stringContaining('2/2, 1 failed')])
    const { job_id: id, ...job } = JSON.parse(submitted.stdout) as { job_id: string }
    expect(job).toMatchObject({ status: 'completed_with_errors', completed: 1, failed: 1 })
    const results = await cupel({ home, environment }, 'bulk', 'results', id)
    expect(results.stdout).toContain(`1,${LAZARUS},completed,`)
  })

  test('refuses a second start on its folder in one sentence, and goes on', async () => {
    const second = await start({ home }).ended

    expectSentence(second, exitCodes['home-in-use'], /is in use by `cupel start` \(process \d+/)
    expect((await screen()).status).toBe(200)
  })

  test('takes keys made meanwhile at once, and revoked ones no longer', async () => {
    const account = answerOf(await cupel({ home }, 'accounts', 'create', 'Acme', '--json'))
    const create = ['keys', 'create', '--account', String(account['account_id']), '--scope', 'read-write']
    const key = answerOf(await cupel({ home, cwd: tmpdir() }, ...create, '--plan', 'enterprise', '--json'))
    expect((await screen(String(key['key']))).status).toBe(200)

    await cupel({ home }, 'keys', 'revoke', String(key['key_id']))

    expect((await screen(String(key['key']))).status).toBe(401)
  })

  test('shows its services in status and ends in order at Ctrl-C; then status shows what is stored', async () => {
    const whileRunning = answerOf(await cupel({ home }, 'status', '--json'))
    const ended = await end(current)
    const stopped = await cupel({ home }, 'status', '--json')
    const afterwards = JSON.parse(stopped.stdout) as Record<string, unknown>

    expect(ended).toMatchObject({ exitCode: 0, stdout: `${JSON.stringify(ready)}\n` })
    expect(whileRunning).toMatchObject({ running: true, healthy: true, base_urls: [ready.base_url] })
    expect(whileRunning['services']).toMatchObject([{ name: 'standalone', ready: true }])
    // Healthy means running.
    expect(stopped.exitCode).toBe(1)
    expect(afterwards).toMatchObject({ running: false, healthy: false, base_urls: [], services: [] })
    expect((afterwards['log'] as { identity: string }).identity).toBe(
      (whileRunning['log'] as { identity: string }).identity,
    )
    expect(leftRunning(home)).toEqual([])
  })

  test('finds its report and its keys again in another start', async () => {
    const { keys } = ready
    await restart()
    expect(await reportAgain()).toEqual(screened)
    expect(ready.keys).toEqual(keys)
  })

  test('goes on after Postgres was killed under it', async () => {
    const [postgres] = leftRunning(home)
    process.kill(postgres!, 'SIGKILL')

    await expect.poll(async () => (await screen()).status, { timeout: 120_000 }).toBe(200)
    expect(leftRunning(home)).not.toContain(postgres)
  })

  test('stops what a killed start left behind when it starts again, and finds every report', async () => {
    await end(current, 'SIGKILL')
    const orphans = leftRunning(home)
    expect(orphans.length).toBeGreaterThan(0)

    // One Ctrl-C of the terminal ends this process below; npm doubles the signal.
    current = run('npm', ['start', '--silent', '--', '--json'], { home })
    running.push(current)
    ready = await current.ready

    expect(orphans.filter((pid) => processIdentity(pid) !== null)).toEqual([])
    // The key may have no calls left: the test before screens until an answer comes.
    await expect.poll(reportAgain, { timeout: 60_000, interval: 1_000 }).toEqual(screened)
  })

  test('started through npm ends in order at one Ctrl-C of the terminal, which npm doubles', async () => {
    process.kill(-current.process.pid!, 'SIGINT')
    expect((await current.ended).exitCode).toBe(0)
    expect(leftRunning(home)).toEqual([])
  })

  test('whose data folder is broken is refused in one sentence', async () => {
    rmSync(join(home, 'postgres', 'data', 'PG_VERSION'))
    expectSentence(
      await start({ home }).ended,
      exitCodes['broken-data-folder'],
      /is not a Postgres data folder/,
    )
  })
})

describe('a folder without an installation', () => {
  let home: string
  let running: Started[]
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'cupel-start-'))
    running = []
  })
  afterEach(() => cleanUp(home, running))

  test('a command that starts the database itself leaves nothing that others may read', async () => {
    const listed = await cupel({ home }, 'accounts', 'create', 'Acme')
    expect(listed).toMatchObject({ exitCode: 0 })
    expect(openToOthers(home)).toEqual([])
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
    expect(leftRunning(home)).toEqual([])
  })

  test('a folder that cannot be made is refused in one sentence', async () => {
    const file = join(home, 'file')
    writeFileSync(file, '')

    const refused = await start({ home: join(file, 'home') }).ended

    expectSentence(refused, exitCodes['permission-denied'], /cannot be written .*CUPEL_HOME/)
  })

  test('Ctrl-C before everything is ready ends in order too', async () => {
    const early = begin(running, { home })
    await expect
      .poll(() => existsSync(join(home, 'postgres/data.incomplete')), { timeout: 120_000, interval: 5 })
      .toBe(true)

    // A terminal sends the signal to every process of the group, also to the one that makes the database.
    process.kill(-early.process.pid!, 'SIGINT')
    const stopped = await early.ended

    expect(stopped).toMatchObject({ exitCode: 0, stdout: '' })
    expect(stopped.stderr).not.toMatch(/could not|cannot|failed/)
    expect(leftRunning(home)).toEqual([])
  })

  test('a command waits for no set-up of another, if there is nothing to install or to build', async () => {
    const lock = join(checkout, '.cache', 'setup.lock')
    await expect.poll(() => taken(lock), { timeout: 120_000 }).toBe(true)
    try {
      expect(await cupel({ home }, '--version')).toMatchObject({ exitCode: 0, stderr: '' })
    } finally {
      rmSync(lock)
    }
  })
})

/** Takes the lock as another start does while it sets the checkout up. */
function taken(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    return false
  }
}

/** Returns the pids of the recorded children that run. */
function leftRunning(home: string): number[] {
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
  // The set-up may have built files.
  const said = ended.stderr.split('\n').filter((line) => line !== '' && !/^Built \d+ files\.$/.test(line))
  expect(said).toEqual([expect.stringMatching(sentence)])
  expect(ended).toMatchObject({ exitCode, stdout: '' })
}

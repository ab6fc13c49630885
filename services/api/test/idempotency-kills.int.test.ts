/** An API process dies by kill -9 in the middle of equal requests; whoever asks again gets the one report there is. */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ADDRESS, call, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const START_TIMEOUT_MS = 60_000
/** Short, so that what a dead process held is soon free: the lease is a second longer. */
const DEADLINE_MS = 1_000
const SETTLE_TIMEOUT_MS = 30_000

interface ApiProcess {
  readonly url: string
  readonly child: ChildProcess
  /** Signal that ended it. */
  readonly ended: Promise<NodeJS.Signals | null>
}

let installation: Installation
let key: string
let survivor: ApiProcess
const home = mkdtempSync(join(tmpdir(), 'cupel-api-kills-'))
const processes: ApiProcess[] = []
beforeAll(async () => {
  installation = await startInstallation()
  ;({ key } = await installation.key())
  survivor = await startProcess(1)
}, START_TIMEOUT_MS)
afterAll(async () => {
  for (const { child } of processes) child.kill('SIGKILL')
  await Promise.all(processes.map(({ ended }) => ended))
  await installation.stop()
  rmSync(home, { recursive: true, force: true })
})

async function startProcess(instance: number, failpoint = ''): Promise<ApiProcess> {
  const port = await freePort()
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith('CUPEL_'))
  const child = spawn(process.execPath, ['--import', 'tsx', '--conditions', 'cupel-source', MAIN], {
    env: {
      ...Object.fromEntries(environment),
      CUPEL_HOME: home,
      CUPEL_LOG: 'embedded',
      CUPEL_LOG_LEVEL: 'error',
      CUPEL_DATABASE_URL: installation.connectionString,
      CUPEL_PORT: String(port - instance),
      CUPEL_INSTANCE: String(instance),
      CUPEL_SCREEN_DEADLINE_MS: String(DEADLINE_MS),
      CUPEL_FAILPOINT: failpoint,
    },
    stdio: 'inherit',
  })
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once('exit', (_code, signal) => resolve(signal)),
  )
  const started = { url: `http://127.0.0.1:${port}`, child, ended }
  processes.push(started)
  await vi.waitFor(async () => expect((await call(started.url, 'GET', '/readyz')).status).toBe(200), {
    timeout: START_TIMEOUT_MS,
    interval: 100,
  })
  return started
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Null where no answer came. */
async function post(url: string, idempotencyKey: string): Promise<Reply | null> {
  try {
    return await call(url, 'POST', '/v1/screen', {
      key,
      headers: { 'idempotency-key': idempotencyKey },
      body: { address: ADDRESS },
    })
  } catch {
    // The process died under the call.
    return null
  }
}

/** Asks until the answer is a report, as a client does that was told to come again. */
async function untilAnswered(url: string, idempotencyKey: string): Promise<Reply> {
  return await vi.waitFor(
    async () => {
      const reply = await post(url, idempotencyKey)
      if (reply === null) throw new Error('no answer')
      if (reply.status !== 200) expect([409, 503]).toContain(reply.status)
      expect(reply.status).toBe(200)
      return reply
    },
    { timeout: SETTLE_TIMEOUT_MS, interval: 250 },
  )
}

test.each([
  'before:access.admit',
  'after:access.admit',
  'before:api.screen-requested',
  'after:api.screen-requested',
])(
  'a process that dies %s leaves one report for 200 equal requests',
  async (point) => {
    const doomed = await startProcess(2, `${point}:1`)
    const order = `dies ${point}`.replaceAll(' ', '-')
    const early = await Promise.all([
      ...Array.from({ length: 100 }, () => post(doomed.url, order)),
      // The other instance is asked as soon as the first one is gone, while its lease still runs.
      ...Array.from({ length: 100 }, async () => {
        await doomed.ended
        return await post(survivor.url, order)
      }),
    ])
    expect(await doomed.ended).toBe('SIGKILL')
    for (const reply of early) expect([undefined, 200, 409, 503]).toContain(reply?.status)

    const replies = await Promise.all(Array.from({ length: 20 }, () => untilAnswered(survivor.url, order)))
    const texts = [...early.filter((reply) => reply?.status === 200), ...replies].map((reply) => reply!.text)
    expect(new Set(texts).size).toBe(1)
    const reportId = (JSON.parse(texts[0]!) as { report_id: string }).report_id
    const requests = (await installation.requests()).filter((request) => request.reportId === reportId)
    expect(requests.length).toBeGreaterThanOrEqual(1)
    const rows = await installation.database.query(
      'SELECT work_id FROM access.idempotency WHERE idempotency_key = $1',
      [order],
    )
    expect(rows).toEqual([{ work_id: reportId }])
  },
  START_TIMEOUT_MS + 2 * SETTLE_TIMEOUT_MS,
)

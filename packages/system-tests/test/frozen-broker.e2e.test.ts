/** A broker that stands still without closing a connection: every call is answered within its deadline, and one key gets one report. */
import { noteSkip } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient, type Client } from '../src/client.js'
import { enterpriseKey } from '../src/command.js'
import { createHome, removeHome, startInstallation, type Installation } from '../src/installation.js'
import { effectiveReports, readTopic } from '../src/kafka-log.js'
import { until } from '../src/until.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
if (missing !== undefined) noteSkip(`a broker that stands still: ${missing}`)

const ADDRESS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const REPORTS = 'screening.report.events.v1'
const DEADLINE_MS = 1_500
const SERVING_MS = 120_000
const LIMIT_MS = 600_000

describe.skipIf(missing !== undefined)('with a broker that stands still', () => {
  const home = createHome()
  let installation: Installation
  let client: Client

  beforeAll(async () => {
    const environment = { CUPEL_SCREEN_DEADLINE_MS: String(DEADLINE_MS) }
    installation = await startInstallation({ kafka: true, home, environment })
    client = createClient(installation.ready.base_urls, await enterpriseKey(home))
    await until('an answered screen', SERVING_MS, async () => (await client.screen(ADDRESS)).status === 200)
  }, LIMIT_MS)
  afterAll(async () => {
    await client?.close()
    // A stopped process must not outlive the run.
    signal('SIGCONT')
    await installation?.stop()
    removeHome(home)
  })

  function signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    for (const pid of installation?.pids('kafka') ?? []) process.kill(pid, name)
  }
  async function post(idempotencyKey: string) {
    const { status, headers, text } = await client.send(
      'POST',
      '/v1/screen',
      JSON.stringify({ address: ADDRESS }),
      { 'idempotency-key': idempotencyKey },
    )
    return { status, headers, body: JSON.parse(text) as Readonly<Record<string, unknown>> }
  }
  const readReports = async () => effectiveReports(await readTopic(installation.ready, REPORTS))

  test(
    'a screen is a 503 that names its report, repeats are answered, and all become that one report',
    async () => {
      const before = await readReports()
      signal('SIGSTOP')
      const first = await post('deposit-1')
      expect(first.body).toMatchObject({ status: 503, code: 'screening_timeout' })
      expect(first.headers['retry-after']).toMatch(/^\d+$/)
      const promised = first.body['report_id']
      expect(promised).toMatch(/^[0-9a-f]{16}$/)
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const { status, body } = await post('deposit-1')
        expect([409, 503]).toContain(status)
        expect([undefined, promised]).toContain(body['report_id'])
      }
      // Reports that are stored do not need the broker.
      expect((await client.send('GET', '/v1/reports?page_size=1')).status).toBe(200)

      signal('SIGCONT')
      const report = await until('the report', SERVING_MS, async () => {
        const { status, body } = await post('deposit-1')
        return status === 200 ? body : null
      })
      expect(report['report_id']).toBe(promised)
      const made = [...(await readReports()).keys()].filter((id) => !before.has(id))
      expect(made).toEqual([promised])
    },
    LIMIT_MS,
  )
})

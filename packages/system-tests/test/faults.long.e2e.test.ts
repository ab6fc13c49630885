/**
 * A broker that stops without closing a connection. Then failpoints that a process visits only after a fault: a stopped scorer, an
 * unreadable record, a broker that does not answer, a storm of wrong keys. The process dies on both sides of each failpoint and
 * restarts. Then the test checks what the log holds.
 */
import { drawnWithin, noteSkip } from '@cupel/testkit'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient, type Client } from '../src/client.js'
import { enterpriseKey } from '../src/command.js'
import { armedAtFirstVisit, firedPoints, pointsByFault, sides } from '../src/fired-points.js'
import { createHome, removeHome, startInstallation, type Installation } from '../src/installation.js'
import { appendRecord, effectiveReports, readRawTopic, readTopic } from '../src/kafka-log.js'
import { withMac } from '../src/record-mac.js'
import type { Victim } from '../src/process-tree.js'
import { until } from '../src/until.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
if (missing !== undefined) noteSkip(`faults on the Kafka profile: ${missing}`)

const ADDRESS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const REQUESTS = 'screening.screen.events.v1'
const BULK_REQUESTS = 'screening.bulk-screen.events.v1'
const REPORTS = 'screening.report.events.v1'
const AUDIT = 'access.request.events.v1'
const DEAD_LETTERS = 'scorer.interactive.v1.dlq'
/** After half of this time without an answer the API refuses further screens. */
const DEADLINE_MS = 1_500
/** The supervisor waits before each restart, and longer after each death of the process. */
const DEATH_MS = 120_000
const SERVING_MS = 120_000
const LIMIT_MS = 900_000
const sidesTried = drawnWithin({ name: 'sides of deaths after faults', minimum: 1 }, sides)
type FaultPoint = (typeof pointsByFault)[number]

describe.skipIf(missing !== undefined)('the Kafka profile after a fault', () => {
  const home = createHome()
  const fired = join(home, 'fired')
  let installation: Installation
  let client: Client

  beforeAll(async () => {
    // Marked as fired until a test arms it: on a busy machine a fault can occur in the test of another fault.
    writeFileSync(
      fired,
      pointsOf(pointsByFault, sides)
        .map((point) => `${point}\n`)
        .join(''),
    )
    installation = await startInstallation({
      kafka: true,
      processes: true,
      home,
      environment: {
        CUPEL_FAILPOINT: armedAtFirstVisit(pointsByFault),
        CUPEL_FAILPOINT_FIRED: fired,
        CUPEL_SCREEN_DEADLINE_MS: String(DEADLINE_MS),
      },
    })
    client = createClient(installation.ready.base_urls, await enterpriseKey(home))
  })
  afterAll(async () => {
    await client?.close()
    // A stopped process must not outlive the run.
    for (const victim of ['scorer', 'kafka'] as const) signal(victim, 'SIGCONT')
    await installation?.stop()
    removeHome(home)
  })

  function signal(victim: Victim, name: 'SIGSTOP' | 'SIGCONT'): void {
    for (const pid of installation?.pids(victim) ?? []) process.kill(pid, name)
  }
  const armed: string[] = []
  /** Restarts the processes. From then on they die at each of these points, once on each side. */
  async function arm(hosts: readonly Victim[], names: readonly FaultPoint[]): Promise<void> {
    const points = pointsOf(names)
    armed.push(...points)
    const others = firedPoints(fired).filter((point) => !points.includes(point))
    writeFileSync(fired, others.map((point) => `${point}\n`).join(''))
    for (const host of hosts) {
      const before = installation.pids(host)
      for (const pid of before) process.kill(pid, 'SIGKILL')
      await until(`another ${host}`, SERVING_MS, () => {
        const now = installation.pids(host)
        return Promise.resolve(now.length === before.length && now.every((pid) => !before.includes(pid)))
      })
    }
    await serving()
  }
  const hasFired = (point: string): boolean => firedPoints(fired).includes(point)
  const died = (point: string, attempt: () => Promise<unknown> = () => Promise.resolve()) =>
    until(`a death ${point}`, DEATH_MS, async () => {
      if (hasFired(point)) return true
      // A call during which the process dies gets no answer.
      await attempt().catch(() => undefined)
      return hasFired(point)
    })
  const serving = () =>
    until('an answered screen', SERVING_MS, async () => (await client.screen(ADDRESS)).status === 200)
  const post = (idempotencyKey: string) =>
    client.send('POST', '/v1/screen', JSON.stringify({ address: ADDRESS }), {
      'idempotency-key': idempotencyKey,
    })
  const idOf = (text: string) => String((JSON.parse(text) as Record<string, unknown>)['report_id'])

  test(
    'with a broker that stands still a screen is a 503 that names its report, repeats are answered, and all become that one report',
    async () => {
      const readReports = async () => effectiveReports(await readTopic(installation.ready, REPORTS))
      const bodyOf = ({ text }: { text: string }) => JSON.parse(text) as Readonly<Record<string, unknown>>
      await serving()
      const before = await readReports()
      signal('kafka', 'SIGSTOP')
      const first = await post('deposit-1')
      expect(bodyOf(first)).toMatchObject({ status: 503, code: 'screening_timeout' })
      expect(first.headers['retry-after']).toMatch(/^\d+$/)
      const promised = bodyOf(first)['report_id']
      expect(promised).toMatch(/^[0-9a-f]{16}$/)
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const repeated = await post('deposit-1')
        expect([409, 503]).toContain(repeated.status)
        expect([undefined, promised]).toContain(bodyOf(repeated)['report_id'])
      }
      // Reads of stored reports do not need the broker.
      expect((await client.send('GET', '/v1/reports?page_size=1')).status).toBe(200)

      signal('kafka', 'SIGCONT')
      const report = await until('the report', SERVING_MS, async () => {
        const answer = await post('deposit-1')
        return answer.status === 200 ? bodyOf(answer) : null
      })
      expect(report['report_id']).toBe(promised)
      const made = [...(await readReports()).keys()].filter((id) => !before.has(id))
      expect(made).toEqual([promised])
    },
    LIMIT_MS,
  )

  test(
    'access.reservation, scorer.request-deferred: late and refused screens end as one report for each key and each promised id',
    async () => {
      await arm(['api', 'scorer'], ['access.reservation', 'scorer.request-deferred'])
      signal('scorer', 'SIGSTOP')
      let orders = 0
      const underWay: Promise<unknown>[] = []
      for (const side of sidesTried) {
        // The API waits for each screen. Once screens are late, it refuses the screen and releases its key, which is the failpoint.
        await died(`${side}:access.reservation`, () => {
          // The supervisor may have restarted the scorer.
          signal('scorer', 'SIGSTOP')
          underWay.push(post(`order-${(orders += 1)}`).catch(() => undefined))
          return Promise.resolve()
        })
        await until('the API', SERVING_MS, async () => (await client.send('GET', '/healthz')).status === 200)
      }
      const promised = await until('a promise', SERVING_MS, async () => {
        signal('scorer', 'SIGSTOP')
        const late = await client.screen(ADDRESS)
        return late.text.includes('screening_timeout') ? idOf(late.text) : null
      })
      await Promise.all(underWay)
      signal('scorer', 'SIGCONT')
      for (const side of sidesTried) await died(`${side}:scorer.request-deferred`)
      await serving()

      const report = await until('the promised report', SERVING_MS, async () => {
        const answer = await client.report(promised)
        return answer.status === 200 ? answer.text : null
      })
      const deferred = await readTopic(installation.ready, BULK_REQUESTS)
      expect(deferred.map(({ key }) => key)).toContain(promised)
      const reportIds = new Set<string>()
      for (let order = 1; order <= orders; order += 1) {
        const first = await until(`the report of order ${order}`, SERVING_MS, async () => {
          const answer = await post(`order-${order}`)
          return answer.status === 200 ? answer.text : null
        })
        expect((await post(`order-${order}`)).text).toBe(first)
        reportIds.add(idOf(first))
      }
      expect(reportIds.size).toBe(orders)
      const reports = effectiveReports(await readTopic(installation.ready, REPORTS))
      expect(reports.get(promised)?.value['report']).toBe(report)
      for (const id of reportIds) expect(reports.get(id)?.type).toBe('ReportGenerated')
    },
    LIMIT_MS,
  )

  test(
    'scorer.screening-failed, scorer.dead-letter: an unreadable record fails once, is dead-lettered whole, and stops no other record',
    async () => {
      await arm(['scorer'], ['scorer.screening-failed', 'scorer.dead-letter'])
      const reportId = 'feedfacefeedface'
      const poison = { key: reportId, value: 'not an event', headers: { ce_type: 'ScreenRequested' } }
      await appendRecord(installation.ready, REQUESTS, withMac(home, REQUESTS, poison))
      for (const point of ['scorer.screening-failed', 'scorer.dead-letter'] as const)
        for (const side of sidesTried) await died(`${side}:${point}`)
      await serving()
      const letters = await until('a dead letter', SERVING_MS, async () => {
        const found = await readRawTopic(installation.ready, DEAD_LETTERS)
        return found.length > 0 ? found : null
      })
      // A scorer that died after the append appends the same dead letter again after its restart.
      for (const letter of letters) {
        expect(letter.value.toString()).toBe(poison.value)
        expect(letter).toMatchObject({ key: reportId, headers: { topic: REQUESTS } })
        expect(letter.headers).toEqual(letters[0]!.headers)
      }
      const told = (await readTopic(installation.ready, REPORTS)).filter(({ key }) => key === reportId)
      expect(new Set(told.map(({ type, id }) => `${type} ${id}`)).size).toBe(1)
      expect(told[0]).toMatchObject({ type: 'ScreeningFailed', value: { code: 'screening_failed' } })
      // The report belongs to no account.
      expect((await client.report(reportId)).status).toBe(404)
    },
    LIMIT_MS,
  )

  test(
    'a request that another producer appends is dead-lettered as forged, and is not a screening',
    async () => {
      const forged = { key: 'feedfacefeedfac0', value: 'forged', headers: { ce_type: 'ScreenRequested' } }
      await appendRecord(installation.ready, REQUESTS, forged)
      const letter = await until('a dead letter', SERVING_MS, async () =>
        (await readRawTopic(installation.ready, DEAD_LETTERS)).find(({ key }) => key === forged.key),
      )
      expect(letter.headers).toMatchObject({ topic: REQUESTS, cause: 'forged_record: no-mac' })
      const reports = await readTopic(installation.ready, REPORTS)
      expect(reports.filter(({ key }) => key === forged.key)).toEqual([])
    },
    LIMIT_MS,
  )

  test(
    'api.audit-outbox: events of the outbox are in the log once, and no call was answered without a record',
    async () => {
      await arm(['api'], ['api.audit-outbox'])
      const keys: Record<(typeof sides)[number], string> = { before: '', after: '' }
      for (const side of sidesTried) {
        keys[side] = await enterpriseKey(home)
        const own = createClient(installation.ready.base_urls, keys[side])
        await until('the API', SERVING_MS, async () => (await client.send('GET', '/healthz')).status === 200)
        signal('kafka', 'SIGSTOP')
        const answers: number[] = []
        await died(`${side}:api.audit-outbox`, async () => {
          const { status, text } = await own.send('GET', '/v1/reports?page_size=1')
          answers.push(text.includes('"unavailable"') ? 503 : status)
        })
        signal('kafka', 'SIGCONT')
        // Every call with this key ended when the process died.
        expect(answers.filter((status) => status !== 503)).toEqual([])
        await serving()
        await own.close()
      }
      const idsOf = async (side: (typeof sides)[number]) => {
        const calls = await readTopic(installation.ready, AUDIT)
        return new Set(
          calls.filter(({ value }) => keys[side].includes(String(value['keyId']))).map(({ id }) => id),
        )
      }
      // One call on each side. A call that died before the commit is recorded only if its append reached the broker.
      if (sidesTried.includes('after')) {
        await until('what the outbox held', SERVING_MS, async () => (await idsOf('after')).size > 0)
        expect((await idsOf('after')).size).toBe(1)
      }
      expect((await idsOf('before')).size).toBeLessThanOrEqual(1)
    },
    LIMIT_MS,
  )

  test(
    'access.auth-failures: a storm of wrong keys is still limited, and right keys are not affected',
    async () => {
      await arm(['api'], ['access.auth-failures'])
      const stranger = createClient(installation.ready.base_urls, 'nonsense')
      for (const side of sidesTried) {
        await died(`${side}:access.auth-failures`, () => stranger.send('GET', '/v1/chains'))
        await serving()
      }
      const statuses: number[] = []
      for (let call = 0; call < 25; call += 1)
        statuses.push((await stranger.send('GET', '/v1/chains')).status)
      await stranger.close()
      expect(new Set(statuses)).toEqual(new Set([401, 429]))
      expect(statuses.at(-1)).toBe(429)
      expect((await client.send('GET', '/v1/chains')).status).toBe(200)
    },
    LIMIT_MS,
  )

  test('a process died at each of these points', () => {
    expect([...armed].sort()).toEqual(pointsOf(pointsByFault).sort())
    expect(firedPoints(fired)).toEqual(expect.arrayContaining(armed))
  })
})

function pointsOf(
  names: readonly FaultPoint[],
  of: readonly (typeof sides)[number][] = sidesTried,
): string[] {
  return names.flatMap((name) => of.map((side) => `${side}:${name}`))
}

/**
 * The public topics, read by an ordinary Avro consumer (a plain Kafka client and the client of the schema registry) and by the quick
 * starts of examples/subscribers. One of these is a Kafka Connect worker that writes into Postgres.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTestDatabase, executeAt, noteSkip, queryAt, type TestDatabase } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createClient, type Client } from '../src/client.js'
import { enterpriseKey } from '../src/command.js'
import { prepareConnect, type ConnectWorker } from '../src/connect-worker.js'
import { createHome, removeHome, startInstallation, type Installation } from '../src/installation.js'
import {
  appendChanged,
  appendOfLaterRelease,
  appendSigned,
  appendStates,
  appendUnreadable,
  appendWatchEvent,
  LATER_EVENT,
  LATER_REPORT,
  FORGED,
  trustOf,
  UNREADABLE,
} from '../src/foreign-records.js'
import {
  lineOf,
  OUTCOMES,
  RECORD_CASES,
  verifiedCases,
  withGolden,
  type VerifiedCase,
} from '../src/expected-outcomes.js'
import { appendRecord, describedHeaders, publicTopics, readRawTopic, readTopic } from '../src/kafka-log.js'
import { startNarrowRegistry } from '../src/narrow-registry.js'
import { until } from '../src/until.js'
import { list, watch } from '../src/watch-changes.js'
import { createEndpoint, startWebhookReceiver } from '../src/webhook-receiver.js'
import { examples, prepareSubscribers, settingsOf, type Subscriber } from '../src/subscribers.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
if (missing !== undefined) noteSkip(`public topics on the Kafka profile: ${missing}`)
const quickStarts = missing === undefined ? await prepareSubscribers().catch(noQuickStarts) : []

const connect = missing === undefined ? await prepareConnect().catch(noConnect) : null

const ADDRESS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const OTHERS = ['0x00000000219ab540356cBB839Cbe05303d7705Fa', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq']
const REPORTS = 'screening.report.events.v1'
const LATEST = 'screening.latest-report.events.v1'
const WATCHED = [1, 2, 3].map((n) => `0x${String(n).padStart(40, 'd')}`)
const CHANGES = 'screening.watch.events.v1'
const CONNECTORS = ['screening-outcomes', 'latest-reports', 'events']
const DEAD_LETTERS = 'team-payments.dead-letters'
const GONE = 'acc_gone/ETH/0xgone'
const DESCRIBED = describedHeaders()
const LIMIT_MS = 300_000

describe.skipIf(missing !== undefined)('public topics', () => {
  const home = createHome()
  let installation: Installation
  let client: Client

  beforeAll(async () => {
    installation = await startInstallation({
      ...{ kafka: true, processes: true, home },
      // A busy machine needs longer than a customer waits.
      environment: {
        ...{ CUPEL_SCREEN_DEADLINE_MS: '20000', CUPEL_LATEST_REPORTS: 'true' },
        CUPEL_WEBHOOK_ALLOW: '127.0.0.0/8',
      },
    })
    client = createClient(installation.ready.base_urls, await enterpriseKey(home))
  }, LIMIT_MS)
  afterAll(async () => {
    await client?.close()
    await installation?.stop()
    removeHome(home)
  })

  test(
    'every record of them is an event of the topic, from the beginning',
    async () => {
      const answer = await client.screen(ADDRESS)
      expect(answer.status).toBe(200)
      for (const [topic, types] of publicTopics()) {
        const records = await readTopic(installation.ready, topic)
        for (const { type, value } of records) {
          expect(types).toContain(type)
          expect(Object.keys(value).length).toBeGreaterThan(0)
        }
        for (const { headers } of await readRawTopic(installation.ready, topic)) {
          expect(DESCRIBED.names).toEqual(expect.arrayContaining(Object.keys(headers)))
          expect(Object.keys(headers)).toEqual(expect.arrayContaining([...DESCRIBED.required]))
        }
        if (topic === REPORTS) expect(records.map(({ type }) => type)).toEqual(['ReportGenerated'])
      }
    },
    LIMIT_MS,
  )

  test(
    'the topic of the latest reports ends with the report that was made last of each address',
    async () => {
      const answer = await client.screen(ADDRESS)
      const { report_id: reportId } = JSON.parse(answer.text) as { report_id: string }
      await until('the latest report in its topic', LIMIT_MS, async () => {
        const records = await readTopic(installation.ready, LATEST)
        const last = new Map(records.map(({ key, value }) => [key, value['reportId']]))
        expect([...last.values()]).toEqual([reportId])
        const [key] = [...last.keys()]
        const { accountId, chain, canonicalAddress } = records[0]!.value
        expect(key).toBe(`${String(accountId)}/${String(chain)}/${String(canonicalAddress)}`)
        return true
      })
    },
    LIMIT_MS,
  )

  test.skipIf(quickStarts.length === 0)(
    'each quick start prints the first outcome of every screening, in whatever language',
    async () => {
      for (const address of OTHERS) expect((await client.screen(address)).status).toBe(200)
      await appendChanged(installation)
      const records = (await readTopic(installation.ready, REPORTS)).slice()
      const first = new Map(
        records
          .map(({ value }) => value)
          .reverse()
          .map((value) => [value['reportId'], value]),
      )
      expect(records.length).toBe(first.size + 1)
      const expected = [...first.values()].map((value) => lineOf('ReportGenerated', value)).sort(byReportId)

      const trust = await trustOf(installation)
      const registry = await startNarrowRegistry(installation.ready.log.registry!)
      onTestFinished(() => registry.close())
      const printed = await Promise.all(
        quickStarts.map(({ language, run }) => {
          const settings = settingsOf(installation.ready, `quick-start-${language}`, trust)
          return run([], { ...settings, SCHEMA_REGISTRY_URL: registry.url })
        }),
      )
      expect([registry.refused, registry.given() > 0]).toEqual([[], true])
      for (const [index, lines] of printed.entries())
        expect([...lines].sort(byReportId), quickStarts[index]!.language).toEqual(expected)
    },
    LIMIT_MS,
  )

  test.skipIf(quickStarts.length === 0)(
    'each quick start ends at a record that the installation did not write, and believes nothing of it',
    async () => {
      const [genuine] = await readRawTopic(installation.ready, REPORTS)
      const { key, value, headers: signed } = genuine!
      const { cupel_signature: signature, ...headers } = signed
      const topic = `sandbox.${REPORTS}`
      const trust = await trustOf(installation)
      const run = ({ language, run: start }: Subscriber, environment: Record<string, string>) =>
        start([], {
          ...settingsOf(installation.ready, `forged-${language}`, trust),
          TOPIC: topic,
          ...environment,
        })
      await appendRecord(installation.ready, topic, { key, value, headers })
      for (const each of quickStarts) {
        await expect(run(each, {}), each.language).rejects.toThrow('carries no signature')
        expect(await run(each, { CHECK_SIGNATURES: 'false' }), each.language).toHaveLength(1)
      }
      expect(signature).toBeDefined()
    },
    LIMIT_MS,
  )

  test(
    'a list that names a watched address changes its report: one event and one webhook, also where the coordinator is killed',
    async () => {
      const receiver = await startWebhookReceiver()
      try {
        await createEndpoint(client, receiver, '/watches', 'full')
        await watch(client, WATCHED)
        const told = (address: string) => [...receiver.accepted().values()].filter(isChangeOf(address))
        await list(home, WATCHED.slice(0, 1))
        const [coordinator] = installation.pids('bulk-coordinator')
        process.kill(coordinator!, 'SIGKILL')
        await until('the first change', LIMIT_MS, async () => told(WATCHED[0]!).length > 0)
        await list(home, WATCHED.slice(0, 2))
        // Any second event for the first list arrives before this one.
        await until('the second change', LIMIT_MS, async () => told(WATCHED[1]!).length > 0)

        expect(WATCHED.map((address) => told(address).length)).toEqual([1, 1, 0])
        expect(receiver.offences).toEqual([])
        const events = (await readTopic(installation.ready, CHANGES)).filter(isReportChanged)
        expect(events.map(({ value }) => value['address']).sort()).toEqual(WATCHED.slice(0, 2))
        for (const { value } of events) expect(pointsOf(value)).toBe(changeOf(value))
      } finally {
        await receiver.close()
      }
    },
    2 * LIMIT_MS,
  )

  describe.skipIf(connect === null)('Kafka Connect writes into Postgres', () => {
    let tables: TestDatabase
    let worker: ConnectWorker
    const rows = (sql: string): Promise<Record<string, unknown>[]> => queryAt(tables.connectionString, sql)
    const untilRows = async (what: string, check: () => Promise<void>): Promise<void> => {
      const trouble = await until(what, LIMIT_MS, async () => {
        const tasks = await Promise.all(CONNECTORS.map((name) => worker.task(name)))
        const failed = tasks.find((task) => task?.state === 'FAILED')
        if (failed !== undefined) return failed.trace!
        await check()
        return 'none'
      })
      expect(trouble).toBe('none')
    }
    beforeAll(async () => {
      tables = await createTestDatabase()
      const sql = readFileSync(join(examples, 'kafka-connect/tables.sql'), 'utf8')
      await executeAt(tables.connectionString, sql, [])
      const { connectionString: database } = tables
      worker = await connect!.start(installation.ready, {
        ...{ database, connectors: CONNECTORS },
        trust: await trustOf(installation),
      })
    }, LIMIT_MS)
    afterAll(async () => {
      await worker?.kill()
      await tables?.drop()
    })

    test(
      'the first outcome of every screening once, of whatever release, also where all is read again',
      async () => {
        await appendChanged(installation)
        await appendOfLaterRelease(installation)
        const firstOutcomes = async (): Promise<object[]> => {
          const records = await readTopic(installation.ready, REPORTS)
          expect(new Set(records.map(({ type }) => type)).size).toBe(3)
          const first = new Map<string, object>()
          for (const { key, type, value } of records)
            if (type !== LATER_EVENT && !first.has(key)) first.set(key, lineOf(type, value))
          return [...first.values()].sort(byReportId)
        }
        // A watched address may be screened again meanwhile.
        const check = async (): Promise<void> => {
          const found = await rows('SELECT * FROM screening_outcome')
          expect(found.map(lineOfRow).sort(byReportId)).toEqual(await firstOutcomes())
        }
        await untilRows('the outcomes', check)
        const all = 'SELECT * FROM screening_outcome ORDER BY report_id'
        const before = await rows(all)
        const lost = `DELETE FROM screening_outcome WHERE report_id = '${LATER_REPORT}'`
        await executeAt(tables.connectionString, lost, [])
        await worker.reconfigure('screening-outcomes', {}, 'screening-outcomes-again')
        await untilRows('the outcome that only a second reading brings', check)
        expect(await rows(all)).toEqual(before)
      },
      LIMIT_MS,
    )

    test(
      'the latest report of each address, never an older one, and nothing of a key that is to be forgotten',
      async () => {
        const states = await readTopic(installation.ready, LATEST)
        const last = new Map(states.map(({ key, value }) => [key, value['reportId']]))
        await appendStates(installation, GONE, ['2026-11-25T10:00:00.000Z', '2026-11-25T09:00:00.000Z'])
        const found = async (): Promise<Map<unknown, unknown>> =>
          new Map((await rows('SELECT * FROM latest_report')).map((row) => [row['key'], row['report_id']]))
        await untilRows('the states', async () =>
          expect(await found()).toEqual(new Map([...last, [GONE, '2026-11-25T10:00:00.000Z']])),
        )
        await appendSigned(installation, LATEST, { key: GONE, value: null, headers: {} })
        await untilRows('the states without the one that is gone', async () =>
          expect(await found()).toEqual(last),
        )
      },
      LIMIT_MS,
    )

    test(
      'any other public event whole, by its event id',
      async () => {
        const event = await appendWatchEvent(installation)
        await untilRows('the event', async () => {
          const found = await rows('SELECT event_id, type, topic, subject, data FROM event')
          expect(found).toContainEqual(event)
        })
      },
      LIMIT_MS,
    )

    test(
      'nothing after a record that it cannot read, until the operator lets such records go to a topic for them',
      async () => {
        const after = await appendUnreadable(installation)
        const outcome = `SELECT * FROM screening_outcome WHERE report_id = '${after}'`
        await until('the task that stops', LIMIT_MS, async () => {
          const task = await worker.task('screening-outcomes')
          if (task?.state !== 'FAILED') return false
          expect(task.trace).toContain('wire format')
          return true
        })
        expect(await rows(outcome)).toEqual([])
        await worker.reconfigure('screening-outcomes', {
          'errors.tolerance': 'all',
          'errors.deadletterqueue.topic.name': DEAD_LETTERS,
          'errors.deadletterqueue.topic.replication.factor': '1',
        })
        await untilRows('the outcome after the records', async () =>
          expect(await rows(outcome)).toHaveLength(1),
        )
        expect(await rows(`SELECT * FROM screening_outcome WHERE code = '${FORGED}'`)).toEqual([])
        const letters = await readRawTopic(installation.ready, DEAD_LETTERS)
        expect(letters.map(({ value }) => value.toString())).toContain(UNREADABLE)
      },
      LIMIT_MS,
    )
  })
})

test.skipIf(connect === null)(
  'Kafka Connect makes a row of every sample that a release wrote, and of what a later release will write',
  async () => {
    await withGolden(async (folder, expected) => {
      const found = await connect!.rowsOf(folder, OUTCOMES)
      expect(found.map((row) => lineOfRow(row as Record<string, unknown>))).toEqual(expected)
    })
  },
)

test.skipIf(quickStarts.length === 0)('the verifier in Java passes the cases of the SDKs', async () => {
  const { run } = quickStarts.find(({ language }) => language === 'Java')!
  // Its caller gives keys as text.
  const isText = ({ name }: VerifiedCase): boolean => !name.includes('a key that is not UTF-8')
  const printed = (await run(['cases', RECORD_CASES])) as readonly VerifiedCase[]
  expect(printed.filter(isText)).toEqual(verifiedCases().filter(isText))
})

test.each(quickStarts)(
  'the quick start in $language reads every sample that a release wrote, and what a later release will write',
  async ({ run }) => {
    await withGolden(async (folder, expected) => {
      expect(await run(['golden', folder])).toEqual(expected)
    })
  },
)

function noConnect(reason: Error): null {
  noteSkip(`the quick start of Kafka Connect: ${reason.message}`)
  return null
}

function noQuickStarts(reason: Error): readonly Subscriber[] {
  noteSkip(`the quick starts of subscribers: ${reason.message}`)
  return []
}

const isReportChanged = ({ type }: { readonly type: string }): boolean => type === 'ReportChanged'

const isChangeOf =
  (address: string) =>
  ({ type, data }: { readonly type: string; readonly data: Readonly<Record<string, unknown>> }): boolean =>
    type === 'report.changed' && data['address'] === address

/** The split of a change, summed in hundredths of a point. If the event states that a busy machine left the split out: the change. */
function pointsOf({ split, splitMissing, ...value }: Readonly<Record<string, unknown>>): number {
  if (split === null && splitMissing === 'busy') return changeOf(value)
  return Object.values(split as Record<string, number>).reduce((sum, part) => sum + Math.round(part * 100), 0)
}

function changeOf({ score, previousScore }: Readonly<Record<string, unknown>>): number {
  return Math.round(Number(score) * 100) - Math.round(Number(previousScore) * 100)
}

/** The same line for a row of Postgres. */
function lineOfRow(row: Readonly<Record<string, unknown>>): object {
  const camel = { ...row, reportId: row['report_id'], accountId: row['account_id'] }
  return lineOf(String(row['type']), camel)
}

function byReportId(one: object, other: object): number {
  return (one as { report_id: string }).report_id < (other as { report_id: string }).report_id ? -1 : 1
}

/**
 * One installation on an existing Postgres with replicas, Kafka and registry, operated word for word as its pages say. Under load, its
 * record keys are exchanged and its Postgres fails over. Then it fails over to a replica that lacked commits, and moves to another
 * cluster. No answered report is lost or changed, no report id is given out twice, and no webhook of the past is sent again.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_REPORT_PARTITIONS, topicOf, useReportPartitions } from '@cupel/contracts'
import { type EventLog, lastRecord, MAC_HEADER, placesOf } from '@cupel/event-log'
import { openKafkaLog } from '@cupel/event-log/kafka'
import { ensureKafkaPrograms, startKafka, type KafkaAccess, type RunningKafka } from '@cupel/local-stack'
import { noteSkip, testKafka, until } from '@cupel/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFailed, onTestFinished, test } from 'vitest'
import { callCupel, type Said } from '../command-line.js'
import { copyRecords, topicsToCopy } from '../copy-log.js'
import { startReceiver, type Receiver } from '../drill.js'
import { commandsBelow, follow as followWith } from '../follow-page.js'
import { startPostgresReplicas, type PostgresReplicas } from '../postgres-replicas.js'
import { kafkaSettings } from '../kafka-settings.js'
import { SERVED, serviceProcesses, type ServiceProcesses } from '../service-processes.js'
import { startSteadyScreens, type SteadyScreens } from '../steady-screens.js'
import { checkout } from '../started.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
if (missing !== undefined) noteSkip(`runbooks that are followed: ${missing}`)

const INSTALL = 'docs/runbooks/install.md'
const RECORD_KEYS = 'docs/runbooks/record-keys.md'
const FAIL_OVER = 'docs/runbooks/fail-over-postgres.md'
const MOVE = 'docs/runbooks/move-to-another-cluster.md'

const STARTER_LABELS = join(checkout, 'data', 'starter-labels.csv')
const SCOPE = ['--scope', 'read-write', '--plan', 'enterprise']
const CALLERS = 3
const ADDRESSES = 12
const BULK_ITEMS = 10
/** Only a hang takes longer. */
const LIMIT_MS = 900_000
/** The limit is generous, because the test does not measure a slow machine. */
const DEADLINE_MS = 60_000

const addresses = readFileSync(STARTER_LABELS, 'utf8')
  .split('\n')
  .slice(1, 1 + ADDRESSES)
  .map((line) => line.split(',')[0]!)

describe.skipIf(missing !== undefined)(
  'an installation that is operated as its pages say',
  { timeout: LIMIT_MS },
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'cupel-runbooks-'))
    const topicPrefix = `runbooks-${randomBytes(4).toString('hex')}.`
    /** Every answered report, exactly as received. */
    const answered = new Map<string, string>()
    let kafka: KafkaAccess
    let postgres: PostgresReplicas
    let processes: ServiceProcesses
    let receiver: Receiver
    let account: string
    let key: string

    beforeAll(async () => {
      postgres = await startPostgresReplicas(folder)
      receiver = await startReceiver()
      kafka = testKafka() as KafkaAccess
      processes = serviceProcesses(folder, serviceSettings)
    }, LIMIT_MS)
    afterAll(async () => {
      useReportPartitions(DEFAULT_REPORT_PARTITIONS)
      await (processes as ServiceProcesses | undefined)?.stopAll()
      await (postgres as PostgresReplicas | undefined)?.stop()
      await (receiver as Receiver | undefined)?.close()
      rmSync(folder, { recursive: true, force: true })
    })

    // Each test continues from the end of the one before.
    let hasFailed = false
    beforeEach(() => {
      expect(hasFailed, 'an earlier step failed').toBe(false)
      onTestFailed(() => void (hasFailed = true))
    })

    function serviceSettings(): Record<string, string> {
      const services = new URL(postgres.databaseUrl)
      services.username = 'cupel_services'
      services.password = 'only-for-this-test'
      return {
        PATH: process.env['PATH']!,
        CUPEL_HOME: folder,
        ...kafkaSettings(kafka),
        CUPEL_DATABASE_URL: services.toString(),
        CUPEL_DATABASE_CONNECTIONS: '4',
        CUPEL_TOPIC_PREFIX: topicPrefix,
        CUPEL_SCREEN_DEADLINE_MS: String(DEADLINE_MS),
        CUPEL_RECORD_KEYS_FILE: join(folder, 'record-keys.json'),
        CUPEL_PERSONAL_DATA_KEYS_FILE: join(folder, 'personal-data-keys.json'),
        CUPEL_SIGNING_KEYS_FILE: join(folder, 'signing-keys.json'),
        CUPEL_CHECKPOINT_FOLDER: join(folder, 'checkpoints'),
        CUPEL_CHECKPOINT_INTERVAL_MS: '1000',
        CUPEL_WEBHOOK_ALLOW: '127.0.0.0/8',
      }
    }

    const cupel = (...args: string[]): Promise<Said> =>
      callCupel(
        {
          ...serviceSettings(),
          CUPEL_DATABASE_ADMIN_URL: postgres.databaseUrl,
          CUPEL_REGISTRY_URL: process.env['CUPEL_TEST_REGISTRY_URL']!,
        },
        args,
      )
    const follow = (command: string): Promise<Said> => followWith(cupel, command)
    /** Runs a command that no page names. */
    const said = async (...args: string[]): Promise<string> => {
      const { out, error } = await cupel(...args)
      expect(error).toBeNull()
      return out
    }
    const openLog = (access: KafkaAccess, prefix: string): EventLog => {
      const log = openKafkaLog({ ...access, clientId: 'test', topicPrefix: prefix })
      onTestFinished(() => log.close())
      return log
    }

    async function call(path: string, body?: object, as = key): Promise<{ status: number; text: string }> {
      const response = await fetch(processes.apiUrl() + path, {
        headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      })
      return { status: response.status, text: await response.text() }
    }

    /** Screens during `work` and until each address was answered once more after it; resolves to the failed calls. */
    async function underLoad(work: (screens: SteadyScreens) => Promise<void>): Promise<readonly string[]> {
      const screens = startSteadyScreens({ key, callers: CALLERS, addresses })
      try {
        screens.join(processes.apiUrl())
        await work(screens)
        const wanted = screens.reports.size + ADDRESSES
        await until(() =>
          expect(screens.reports.size, screens.failures.at(-1)).toBeGreaterThanOrEqual(wanted),
        )
      } finally {
        await screens.stop()
      }
      for (const [id, text] of screens.reports) {
        expect(answered.has(id), `the report id ${id} was given out before`).toBe(false)
        answered.set(id, text)
      }
      return screens.failures
    }

    async function nothingIsLost(): Promise<void> {
      for (const [id, text] of answered)
        await until(async () => expect(await call(`/v1/reports/${id}`)).toEqual({ status: 200, text }))
    }

    /** Runs a bulk job until it ends and its webhook arrives. */
    async function job(): Promise<void> {
      const before = receiver.received.length
      const { status, text } = await call('/v1/bulk', { addresses: addresses.slice(0, BULK_ITEMS) })
      expect(status, text).toBe(202)
      const { job_id: id } = JSON.parse(text) as { job_id: string }
      await until(async () =>
        expect(JSON.parse((await call(`/v1/bulk/${id}`)).text)).toMatchObject({ status: 'completed' }),
      )
      await until(() => expect(receiver.received.length).toBeGreaterThan(before))
    }

    /** Replaces every process, the projector first. */
    const replaceAll = async (screens: SteadyScreens): Promise<void> => {
      for (const service of SERVED)
        await processes.replace(service, async (before, after) => {
          if (service !== 'api') return
          screens.join(after.baseUrl)
          await screens.leave(before.baseUrl)
        })
    }

    test('it is installed', async () => {
      const makeKeys = commandsBelow(INSTALL, '1. Write down where everything is')
      expect(makeKeys).toHaveLength(3)
      for (const command of makeKeys) await follow(command)
      const [plan, install, again] = commandsBelow(INSTALL, '3. Install')
      expect((await follow(plan!)).out).toContain('Apply the migration')
      await follow(install!)
      expect((await follow(again!)).out).toContain('Nothing to do.')
      await processes.startAll()
      const [doctor, create, issue] = commandsBelow(INSTALL, '5. Examine it')
      await until(() => follow(doctor!))
      account = /acc_[0-9a-f]+/.exec((await follow(create!)).out)![0]
      key = /cpl_live_\w+/.exec((await follow(issue!.replace('acc_…', account))).out)![0]
      await said('labels', 'import', STARTER_LABELS, '--format', 'csv')
      await until(async () =>
        expect(await call('/v1/screen', { address: addresses[0] })).toMatchObject({ status: 200 }),
      )
      // The load exceeds the limits of a key of the plan pro.
      const scope = ['--scope', 'read-write', '--plan', 'enterprise']
      key = /cpl_live_\w+/.exec(await said('keys', 'create', '--account', account, ...scope))![0]
      await said('webhooks', 'create', receiver.url, '--account', account, '--environment', 'live')
      await job()
    })

    test('its record keys are exchanged without a failed screen', async () => {
      const [add, register, use, verify] = commandsBelow(RECORD_KEYS, 'Exchange the key')
      const failures = await underLoad(async (screens) => {
        const added = /Added (\w+) to/.exec((await follow(add!)).out)![1]!
        await replaceAll(screens)
        expect((await follow(register!)).out).toContain('The record keys are registered.')
        await follow(use!.replace('ID', added))
        await replaceAll(screens)
        const log = openLog(kafka, topicPrefix)
        await until(async () => expect(await lastMac(log)).toContain(added))
      })
      expect(failures).toEqual([])
      await follow(verify!)
      await nothingIsLost()
    })

    test('its primary dies: the replica that has every commit goes on, under services that run', async () => {
      const [promote, doctor] = commandsBelow(FAIL_OVER, 'The replica has every commit')
      const [primary, replica] = postgres.servers
      await primary!.untilFollowed()
      const failures = await underLoad(async (screens) => {
        await screens.answeredMore(ADDRESSES)
        expect(screens.failures).toEqual([])
        await primary!.kill()
        await until(() => expect(screens.failures).not.toEqual([]))
        await replica!.execute(promote!)
        postgres.pointTo(replica!)
      })
      for (const failure of failures) expect(failure).toContain(': 503 ')
      expect(processes.ended()).toEqual([])
      await until(() => follow(doctor!))
      await nothingIsLost()
      await job()
    })

    test('a replica that lacks commits is promoted, and led past everything that the log tells', async () => {
      const [promote, plan, restore, again, recompute, doctor] = commandsBelow(
        FAIL_OVER,
        'The replica may lack commits',
      )
      const [, primary, replica] = postgres.servers
      const issued = await said('keys', 'create', '--account', account, ...SCOPE, '--json')
      const doomed = JSON.parse(issued) as { key: string; key_id: string }
      await primary!.untilFollowed()
      await replica!.stop()
      // The replica never has these: a key that is revoked, a claim of report numbers, reports, a job and its webhook.
      await said('keys', 'revoke', doomed.key_id)
      expect(await underLoad(replaceAll)).toEqual([])
      await job()
      await until(() => primary!.execute(SETTLED))
      const past = [...receiver.received]

      await primary!.kill()
      await processes.stopAll()
      await replica!.start()
      await replica!.execute(promote!)
      postgres.pointTo(replica!)
      const early = await processes.start('api')
      expect((await early.child.exited).code).not.toBe(0)
      expect(early.child.output()).toContain('a replica was promoted that lacked the last changes')
      expect((await follow(plan!)).out).toContain('Nothing was changed: this was a dry run.')
      expect((await follow(restore!)).out).toContain('Done. The services may be started.')
      expect((await follow(again!)).out).toContain('Nothing to do. The services may be started.')
      await processes.startAll()
      await nothingIsLost()
      expect(await call('/v1/screen', { address: addresses[0] }, doomed.key)).toMatchObject({ status: 401 })
      expect(await underLoad(() => Promise.resolve())).toEqual([])
      await job()
      await follow(recompute!)
      await until(() => follow(doctor!))
      expect(receiver.received.slice(past.length).filter((id) => past.includes(id))).toEqual([])
    })

    test('it moves to another cluster', async () => {
      const [compare, adopt, upgrade, recompute] = commandsBelow(MOVE, 'Move to another cluster')
      const target = await startTarget()
      const [from, to] = [openLog(kafka, topicPrefix), openLog(target.access, topicPrefix)]
      const topics = await topicsToCopy(from)
      await openLog(target.access, '').ensureTopics(
        topics.map((topic) => ({ ...topic, name: topicPrefix + topic.name })),
      )
      const past = [...receiver.received]
      await copyRecords(
        from,
        to,
        topics.filter(({ name }) => name !== topicOf('ReportGenerated')),
      )
      kafka = target.access
      expect((await cupel('log', 'adopt', '--dry-run')).error).toMatchObject({
        message: expect.stringContaining('Stop every service first') as string,
      })
      await processes.stopAll()
      expect((await cupel('log', 'adopt', '--dry-run')).error).toMatchObject({
        message: expect.stringContaining('The copy lacks the records 0 to') as string,
      })
      await copyRecords(from, to, topics)
      expect((await follow(compare!)).out).toContain('Nothing was changed: this was a dry run.')
      await follow(adopt!)
      await follow(upgrade!)
      await processes.startAll()
      await nothingIsLost()
      expect(await underLoad(() => Promise.resolve())).toEqual([])
      await job()
      await nothingIsLost()
      await follow(recompute!)
      expect(receiver.received.slice(past.length).filter((id) => past.includes(id))).toEqual([])
      process.stdout.write(`${answered.size} reports of an installation that was operated as its pages say\n`)
    })

    async function startTarget(): Promise<RunningKafka> {
      const target = await startKafka({
        jars: await ensureKafkaPrograms({}),
        folder: join(folder, 'kafka'),
        logFile: join(folder, 'kafka.log'),
        recordFolder: join(folder, 'processes'),
        heapMb: 256,
      })
      onTestFinished(async () => {
        await processes.stopAll()
        await target.stop()
      })
      return target
    }
  },
)

/** Fails while a delivery is pending or an event waits to be appended. */
const SETTLED = `SELECT 1 / (
  NOT EXISTS (SELECT FROM webhooks.delivery WHERE status = 'pending')
  AND NOT EXISTS (SELECT FROM projection.outbox WHERE relayed_at IS NULL))::int`

/** Returns the MAC of the last report of a partition; empty if there is none. */
async function lastMac(log: EventLog): Promise<string> {
  for (const place of await placesOf(log, [topicOf('ReportGenerated')])) {
    const last = await lastRecord(log, place)
    if (last !== null) return last.headers[MAC_HEADER] ?? ''
  }
  return ''
}

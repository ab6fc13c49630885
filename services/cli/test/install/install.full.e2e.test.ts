/**
 * An installation on an existing Postgres, broker and registry, secured by TLS, passwords and ACLs. One command installs it, and
 * every process signs in as a separate user. An examination reports a topic that was changed.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { recordedReportPartitions } from '@cupel/gate/access'
import { silentLogger, topicSpecs } from '@cupel/contracts'
import type { EventLog } from '@cupel/event-log'
import { deleteRecordsBefore } from '@cupel/event-log/kafka'
import { openDatabase } from '@cupel/postgres'
import { logServices } from '@cupel/operation/connections'
import { hasPrometheus, noteSkip, startPrometheus, until } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { activeAlerts, scraped } from '../active-alerts.js'
import { commandsBelow } from '../follow-page.js'
import { PASSWORD } from '../secured-cluster.js'
import { openSecuredInstallation, TOPIC_PREFIX, type SecuredInstallation } from '../secured-installation.js'
import { checkout } from '../started.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']
if (missing !== undefined) noteSkip(`an installation on a cluster of its own: ${missing}`)
const LAZARUS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const REPORTS = 'screening.report.events.v1'
if (!hasPrometheus()) noteSkip('prometheus is not installed: alerts are not evaluated')

describe.skipIf(missing !== undefined)('an installation on a secured cluster', () => {
  let installation: SecuredInstallation
  let bare: EventLog

  beforeAll(async () => {
    installation = await openSecuredInstallation()
    bare = installation.openLog()
  })
  afterAll(async () => {
    await (bare as EventLog | undefined)?.close()
    await (installation as SecuredInstallation | undefined)?.close()
  })
  const cupel: SecuredInstallation['cupel'] = (...args) => installation.cupel(...args)
  const json: SecuredInstallation['json'] = (...args) => installation.json(...args)
  const call: SecuredInstallation['call'] = (path, body) => installation.call(path, body)
  const serve: SecuredInstallation['serve'] = (...of) => installation.serve(...of)
  const stopped = async (service: string): Promise<void> => {
    const own = installation.running.filter(({ name }) => name.startsWith(`${service}-as-`))
    await Promise.all(own.map((each) => each.stop()))
  }

  test('report partitions that no id could name are refused before anything is made', async () => {
    for (const count of ['48', '1', '512'])
      expect((await cupel('install', '--report-partitions', count)).error).toMatchObject({
        message: `--report-partitions takes a power of two from 2 to 256, not ${count}.`,
      })
    expect(await bare.topicFaults(topicSpecs.slice(0, 1))).toMatchObject([
      { setting: 'topic' },
      { setting: 'topic' },
    ])
  })

  test('one command installs it, and a second one finds nothing to do', async () => {
    type Steps = { name: string; changes: string[] }[]
    const sizes = ['--report-partitions', '32']
    const planned = await json<{ steps: Steps }>('install', '--dry-run', ...sizes)
    const done = await json<{ changed: boolean; steps: Steps }>('install', ...sizes)
    expect(done.changed).toBe(true)
    const counts = (steps: { name: string; changes: string[] }[]): [string, number][] =>
      steps.map(({ name, changes }) => [name, changes.length])
    expect(counts(done.steps).filter(([name]) => name !== 'topics')).toEqual(
      counts(planned.steps).filter(([name]) => name !== 'topics'),
    )
    expect(await json('upgrade')).toMatchObject({ changed: false })
    await json('accounts', 'make-personal-data-key')
    expect(await bare.partitionCount(REPORTS)).toBe(32)
  })

  test('an installation that is killed before its number of report partitions is recorded records it in the next run', async () => {
    const database = openDatabase({
      ...{ connectionString: installation.cluster.databaseUrl, maxConnections: 1, applicationName: 'test' },
      onIdleError: () => undefined,
    })
    onTestFinished(() => database.close())
    await database.execute('UPDATE access.report_number SET partitions = NULL')
    for (const [point, recorded] of [
      ['before', null],
      ['after', 32],
    ] as const) {
      const program = join(checkout, 'services/cli/dist/main.js')
      const killed = installation.spawn(`install-${point}`, program, ['install'], {
        ...installation.operatorSettings,
        CUPEL_FAILPOINT: `${point}:access.report-partitions:1`,
      })
      expect((await killed.exited).signal).toBe('SIGKILL')
      expect(await recordedReportPartitions(database)).toBe(recorded)
    }
    expect(await json('install')).toMatchObject({ changed: false })
  })

  test('an installation keeps its number of report partitions', async () => {
    expect((await cupel('install', '--report-partitions', '64')).error).toMatchObject({
      message: expect.stringContaining('The reports of this installation are in 32 partitions') as string,
    })
    expect(await json('install', '--report-partitions', '32')).toMatchObject({ changed: false })
  })

  test('each service works as itself: a screen, a bulk job to its end, and a watch', async () => {
    for (const service of logServices) serve(service)
    await installation.signUp()
    await until(async () => expect((await call('/v1/screen', { address: LAZARUS })).status).toBe(200))
    const submitted = await call('/v1/bulk', { addresses: [LAZARUS] })
    expect(submitted.status).toBe(202)
    const job = `/v1/bulk/${String(submitted.json['job_id'])}`
    await until(async () => expect((await call(job)).json).toMatchObject({ status: 'completed' }))
    // No list is in force.
    expect((await call('/v1/watches', { watches: [{ address: LAZARUS }] })).status).toBe(201)
    await until(async () =>
      expect(await call('/v1/watches')).toMatchObject({
        status: 200,
        json: { items: [{ last_report: { level: 'grey' } }] },
      }),
    )
    await until(async () => {
      const { findings } = await json<{ findings: { state: string }[] }>('doctor')
      expect(findings.filter(({ state }) => state === 'fault')).toEqual([])
    })
  })

  test.runIf(hasPrometheus())(
    'no alert is active while all is well, but that of lists, which are not imported; a service that ended is told',
    async () => {
      const rules = join(checkout, 'deploy/observability/alerts.yml')
      const prometheus = await startPrometheus(installation.metricsUrls, [rules])
      onTestFinished(() => prometheus.close())
      const active = () => activeAlerts(prometheus)
      expect((await call('/v1/screen', { address: LAZARUS })).status).toBe(200)
      await scraped(prometheus, logServices.length)
      expect(await active()).toEqual(['CupelNothingGreen'])
      // The tests below need it, also if this one fails.
      onTestFinished(() => void serve('webhook-dispatcher'))
      await stopped('webhook-dispatcher')
      await until(async () => expect(await active()).toEqual(['CupelNothingGreen', 'CupelServiceDown']))
    },
  )

  test('status tells the processes by their heartbeats, and which services are missing', async () => {
    interface Told {
      healthy: boolean
      running: boolean
      missing_services: string[]
      services: { name: string; ready: boolean; heartbeat: { release: string; host: string } }[]
    }
    // The refresher has no plan, so that it waits for none.
    await until(async () => {
      const told = await json<Told>('status')
      expect(told).toMatchObject({ healthy: true, running: true, missing_services: [] })
      expect(told.services.map(({ name }) => name)).toEqual(
        logServices.map((service) => `${service}-0`).sort(),
      )
    })
    await stopped('webhook-dispatcher')
    const said = await cupel('status', '--json')
    expect(said.exitCode).toBe(1)
    expect(JSON.parse(said.out)).toMatchObject({
      ...{ healthy: false, running: true },
      missing_services: ['webhook-dispatcher'],
    })
    expect((await cupel('status')).out).toContain('No process runs of: webhook-dispatcher.')
    serve('webhook-dispatcher')
    await until(async () => expect(await json('status')).toMatchObject({ healthy: true }))
  })

  test('a second process with the number of a running one does not start', async () => {
    const second = serve('scorer', 'scorer', '0')
    expect((await second.exited).code).toBe(1)
    expect(second.output()).toMatch(/Instance 0 of the scorer runs already, as process \d+ on /)
  })

  test('no service works as another one', async () => {
    const attempts = logServices.map((service) => ({
      service,
      child: serve(service, service === 'label-refresher' ? 'webhook-dispatcher' : 'label-refresher'),
    }))
    for (const { service, child } of attempts) {
      const { code } = await child.exited
      expect({ service, code }).not.toMatchObject({ code: 0 })
      expect({ service, said: child.output() }).toMatchObject({
        said: expect.stringMatching(/may not see it|[Nn]ot authorized/),
      })
    }
  })

  test('operators may delete records of reports, as retention does, and services may not', async () => {
    const { brokers, caFile } = installation.cluster
    // Every partition begins at this offset: nothing is deleted.
    const cut = async (user: string): Promise<void> =>
      await deleteRecordsBefore(
        {
          ...{ brokers: [brokers], clientId: 'test', logger: silentLogger },
          ssl: { ca: [readFileSync(caFile, 'utf8')] },
          sasl: { mechanism: 'plain', username: `cupel-${user}`, password: PASSWORD },
        },
        { wireTopic: TOPIC_PREFIX + REPORTS, partition: 0, offset: 0 },
      )
    await cut('operator')
    for (const service of ['scorer', 'projector'])
      await expect(cut(service)).rejects.toThrow('Not authorized')
  })

  test('a topic that somebody changed is named by the doctor and by the service, and put right', async () => {
    installation.cluster.alterTopic(TOPIC_PREFIX + REPORTS, 'retention.ms=1000000000')
    const sentence = `The topic ${TOPIC_PREFIX}${REPORTS} has retention.ms=1000000000 and must have -1`
    await until(async () => expect((await cupel('doctor')).out).toContain(sentence))
    expect((await cupel('doctor')).exitCode).toBe(1)
    const refused = serve('scorer')
    expect((await refused.exited).code).not.toBe(0)
    expect(refused.output()).toContain(sentence)
    expect(
      (await json<{ steps: { changes: string[] }[] }>('install')).steps.flatMap(({ changes }) => changes),
    ).toEqual([`Set retention.ms=-1 on the topic ${TOPIC_PREFIX}${REPORTS}.`])
    // A broker reports a change a moment after its controller has made it.
    await until(async () => expect((await cupel('doctor')).exitCode).toBe(0))
  })

  test('partitions are added to the lanes, and the restarted services use them', async () => {
    const lanes = topicSpecs.filter(({ mayGrow }) => mayGrow)
    expect((await cupel('install', '--screen-partitions', '3')).error).toMatchObject({
      message: expect.stringContaining('from 4 to 512') as string,
    })
    const [plan, grow] = commandsBelow('docs/runbooks/add-partitions.md', 'Steps')
    expect((await installation.follow(plan!)).out).toContain(
      `Add partitions to the topic ${TOPIC_PREFIX}${lanes[0]!.name}, up to 40.`,
    )
    const { out } = await installation.follow(grow!)
    for (const { name } of lanes)
      expect(out).toContain(`Set partitions=40 on the topic ${TOPIC_PREFIX}${name}.`)
    expect((await cupel('install', '--screen-partitions', '39')).error).toMatchObject({
      message: expect.stringContaining('has 40 partitions, and none can be taken away') as string,
    })
    // The order of the runbook: readers of a lane come before its writers.
    for (const service of ['projector', 'scorer', 'bulk-coordinator', 'api'] as const) {
      await stopped(service)
      serve(service)
    }
    const grown = installation.openLog()
    onTestFinished(() => grown.close())
    await until(async () => {
      const { status, json: report } = await call('/v1/screen', { address: LAZARUS })
      expect(status).toBe(200)
      expect((await call(`/v1/reports/${String(report['report_id'])}`)).status).toBe(200)
      const added = Array.from({ length: 36 }, (_, index) => grown.endOffset(lanes[0]!.name, 4 + index))
      expect(Math.max(...(await Promise.all(added)))).toBeGreaterThan(0)
    })
    await until(async () => expect((await cupel('doctor')).exitCode).toBe(0))
    expect((await cupel('audit', 'verify')).exitCode).toBe(0)
  })
})

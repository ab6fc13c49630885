/** Of faults of services in one process, a real Prometheus fires the alert that is meant for each, and no other one; none before. */
import { rmSync, utimesSync } from 'node:fs'
import { createMetrics, loadConfig, startHealthServer } from '@cupel/kit/service'
import { startInstallationClock } from '@cupel/operation/connections'
import { startStandalone } from '@cupel/standalone'
import { hasPrometheus, noteSkip, startPrometheus, until, type Prometheus } from '@cupel/testkit'
import { failLoudly } from '@cupel/testkit/installation'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { activeAlerts, impatientRules, scraped } from '../active-alerts.js'
import { openCommandLine, type CommandLine } from '../command-line.js'

if (!hasPrometheus()) noteSkip('prometheus is not installed: alerts of faults of services are not evaluated')

/** Nothing is green without the list of an authority. */
const WITHOUT_LISTS = 'CupelNothingGreen'
const LIST = `address,chain,category,entity,source,source_url,confidence,observed_at
0x1111111111111111111111111111111111111111,ETH,scam,Somebody,my_list,https://example.org/list,0.8,2026-11-20
`

/** A file that has just changed may be incomplete, and is not imported. */
const LONG_AGO = new Date('2026-11-20T00:00:00Z')

interface Running {
  readonly installation: CommandLine
  readonly list: string
  /** The clock of a further service, whose machine is so many milliseconds off. */
  clock(offMs: number): Promise<void>
}

interface Fault {
  readonly name: string
  readonly alerts: readonly string[]
  readonly come: (running: Running) => Promise<unknown>
}

/** The list was imported. */
async function listCame({ installation: { database } }: Running): Promise<void> {
  await until(async () =>
    expect(
      await database.query(
        'SELECT FROM labels.refreshed_list WHERE succeeded_at IS NOT NULL AND leased_by IS NULL',
      ),
    ).toHaveLength(1),
  )
}

/** The list is due again, with these changes. */
const listIsDue = ({ installation: { database } }: Running, change: string): Promise<unknown> =>
  database.execute(`UPDATE labels.refreshed_list SET due_at = now(), ${change}`)

const faults: readonly Fault[] = [
  {
    name: 'a receiver of webhooks that answers nothing',
    alerts: ['CupelWebhooksWait'],
    async come({ installation: { database } }) {
      await database.execute(
        `INSERT INTO webhooks.endpoint (endpoint_id, account_id, livemode, url, payload, status, sealed_secret, created_at, proven_at)
         VALUES ('whe_1', 'acc_1', true, 'https://receiver.invalid', 'thin', 'enabled', '', now(), now())`,
      )
      await database.execute(`INSERT INTO webhooks.body (body_id, body) VALUES ('b', '{}')`)
      await database.execute(
        `INSERT INTO webhooks.delivery (delivery_id, webhook_id, endpoint_id, account_id, livemode, type, payload, body_id, status, due_at, created_at)
         VALUES ('whd_1', 'msg_1', 'whe_1', 'acc_1', true, 'bulk.completed', 'thin', 'b', 'pending', now(), now() - interval '2 hours')`,
      )
    },
  },
  {
    name: 'a list whose file is gone for two days',
    alerts: ['CupelListNotRefreshed'],
    async come(running) {
      await listCame(running)
      rmSync(running.list)
      await listIsDue(running, `succeeded_at = now() - interval '2 days'`)
    },
  },
  {
    name: 'a list that is the same for longer than its plan says',
    alerts: ['CupelListStoppedChanging'],
    async come(running) {
      await listCame(running)
      await listIsDue(running, `changed_at = now() - interval '31 days'`)
    },
  },
  {
    name: 'a machine whose clock is five seconds off',
    alerts: ['CupelClockSkew'],
    come: ({ clock }) => clock(5_000),
  },
  {
    name: 'an event of the outbox that the log refuses',
    alerts: ['CupelOutboxWaits', 'CupelServiceNotReady'],
    async come({ installation: { database } }) {
      await database.execute(
        `INSERT INTO projection.outbox (topic, key, event, written_at) VALUES ('t', 'k', '{}', now() - interval '2 minutes')`,
      )
    },
  },
]

describe.skipIf(!hasPrometheus())('of all services a real Prometheus', () => {
  let running: Running
  let prometheus: Prometheus
  beforeEach(async () => {
    const installation = await openCommandLine()
    const list = await installation.file('list.csv', LIST)
    utimesSync(list, LONG_AGO, LONG_AGO)
    const metrics = createMetrics('standalone')
    const deps = { ...installation.deps, metrics }
    const plan = { lists: [{ set: 'a_list', format: 'csv', path: list, every: '5m', changes_within: '30d' }] }
    const standalone = await startStandalone({
      ...deps,
      config: loadConfig({
        ...installation.environment,
        ...{ CUPEL_PORT: '0', CUPEL_WEB: 'false' },
        CUPEL_LABEL_REFRESH_FILE: await installation.file('plan.json', JSON.stringify(plan)),
      }),
      ...{ apiDatabase: installation.connect(), workerDatabase: installation.connect(), fail: failLoudly },
    })
    installation.onClose(() => standalone.stop())
    const health = await startHealthServer({
      ...{ host: '127.0.0.1', port: 0, metrics, checks: () => standalone.checks() },
    })
    installation.onClose(() => health.close())
    // Services of one process measure one clock, and state it in one gauge.
    const ofFurther = createMetrics('scorer')
    const further = await startHealthServer({
      host: '127.0.0.1',
      port: 0,
      metrics: ofFurther,
      checks: () => [],
    })
    installation.onClose(() => further.close())
    const rules = await installation.file('alerts.yml', impatientRules())
    prometheus = await startPrometheus([health.url, further.url], [rules])
    installation.onClose(() => prometheus.close())
    await until(async () => expect((await fetch(`${health.url}/readyz`)).status).toBe(200))
    await scraped(prometheus, 2)
    running = {
      ...{ installation, list },
      async clock(offMs) {
        const machineNow = (): Date => new Date(Date.now() + offMs)
        const clock = await startInstallationClock({ ...deps, metrics: ofFurther, machineNow })
        installation.onClose(() => clock.stop())
      },
    }
  })
  afterEach(() => running.installation.close())

  test.each(faults)('fires the alert of $name, and no other one', async ({ alerts, come }) => {
    expect(await activeAlerts(prometheus)).toEqual([WITHOUT_LISTS])
    await come(running)
    const wanted = [WITHOUT_LISTS, ...alerts].toSorted()
    await until(async () => expect(await activeAlerts(prometheus)).toEqual(wanted))
  })
})

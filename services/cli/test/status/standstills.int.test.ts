/**
 * What has stopped is red in `cupel status`, `cupel doctor`, /readyz, the metrics and the bounds of alerts: no place says that all is well
 * while another does not.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Finding, Status } from '@cupel/operation/commands'
import { account, states } from './standstills.js'
import { openWatched, type Watched } from './watched.js'

let watched: Watched
beforeEach(async () => void (watched = await openWatched()))
afterEach(() => watched.installation.close())

const alerts = readFileSync(join(import.meta.dirname, '../../../../deploy/observability/alerts.yml'), 'utf8')

/** Whether the metric of the projector is beyond the bound of the alert. */
async function isAlerted(alert: string): Promise<boolean> {
  const [, metric, sign, bound] = new RegExp(
    `alert: ${alert}\\n\\s+expr: \\w+(?: by [^)]*\\))? ?\\((\\w+)\\) (==|>) (\\d+)`,
  ).exec(alerts)!
  const text = await (await fetch(`${watched.projector.url}/metrics`)).text()
  const values = [...text.matchAll(new RegExp(`^${metric}(?:\\{.*\\})? (\\S+)$`, 'gm'))].map(([, value]) =>
    Number(value),
  )
  return values.some((value) => (sign === '>' ? value > Number(bound) : value === Number(bound)))
}

const doctor = async () =>
  JSON.parse((await watched.installation.cupel('doctor', '--json')).out) as {
    healthy: boolean
    findings: readonly Finding[]
  }
const status = async () => JSON.parse((await watched.installation.cupel('status', '--json')).out) as Status
const details = (all: readonly { readonly detail: string }[]) => all.map(({ detail }) => detail)

test('nothing stands still in an installation whose projector runs', async () => {
  await watched.installation.append(account('acc_1'))
  await until(async () => expect(await status()).toMatchObject({ standstills: [] }))
  const examined = ['evidence', 'projections', 'waiting work', 'certificates']
  expect((await doctor()).findings.filter(({ name }) => examined.includes(name))).not.toContainEqual(
    expect.objectContaining({ state: 'fault' }),
  )
})

test.each(states)(
  '$name is at fault in status, doctor, /readyz, metrics and alerts',
  async ({ check, alert, says, come }) => {
    await come(watched)
    const said = expect.stringMatching(says) as string
    await until(async () => {
      const { healthy, standstills } = await status()
      expect([healthy, details(standstills)]).toEqual([false, expect.arrayContaining([said])])
    })
    expect((await watched.installation.cupel('status')).out).toMatch(says)
    const { healthy, findings } = await doctor()
    expect(healthy).toBe(false)
    expect(details(findings.filter(({ state }) => state === 'fault'))).toContainEqual(said)
    if (alert !== null) await until(async () => expect(await isAlerted(alert)).toBe(true))
    if (check === null) return
    await until(async () => {
      const ready = await fetch(`${watched.projector.url}/readyz`)
      const { checks } = (await ready.json()) as { checks: readonly { name: string; ok: boolean }[] }
      expect([ready.status, checks.filter(({ ok }) => !ok).map(({ name }) => name)]).toEqual([503, [check]])
    })
    expect(await (await fetch(`${watched.projector.url}/metrics`)).text()).toMatch(
      new RegExp(`^cupel_service_check_passes\\{[^}]*check="${check}"[^}]*\\} 0$`, 'm'),
    )
  },
)

test('a service that is missing or not ready is at fault in doctor as in status; a warning only if nothing runs', async () => {
  const services = async () =>
    (await doctor()).findings.flatMap(({ name, state, detail }) =>
      name === 'services' ? [[state, detail]] : [],
    )
  expect(await services()).toEqual([['warning', 'No service runs.']])
  await watched.installation.database.execute(
    `INSERT INTO heartbeats.process
     SELECT service, 0, gen_random_uuid(), 'host', '', 1, '0.2.0', now(), now(), 0, failing
     FROM (VALUES ('api', '{}'::text[]), ('projector', '{log}'), ('interactive-scorer', '{}'),
       ('bulk-coordinator', '{}'), ('webhook-dispatcher', '{}')) AS told (service, failing)`,
  )
  expect(await services()).toEqual([
    ['fault', 'No bulk-scorer runs.'],
    ['fault', 'projector-0 is not ready: log.'],
  ])
  expect(await status()).toMatchObject({ healthy: false, missing_services: ['bulk-scorer'] })
  await watched.installation.database.execute(`INSERT INTO heartbeats.process
    SELECT 'bulk-scorer', 0, gen_random_uuid(), host, '', 1, release, now(), now(), 0, '{}' FROM heartbeats.process LIMIT 1`)
  await watched.installation.database.execute(`UPDATE heartbeats.process SET failing = '{}', seen_at = now()`)
  expect(await services()).toEqual([['ok', 'Ready processes: 6.']])
  await watched.installation.database.execute(
    `UPDATE heartbeats.process SET seen_at = now() - interval '2 minutes' WHERE service = 'api'`,
  )
  expect(await services()).toEqual([
    ['fault', 'No api runs.'],
    ['warning', expect.stringMatching(/^api-0 ended without a word: not seen for 1\d\d s\.$/)],
  ])
})

/**
 * What has stopped is red in `cupel status`, `cupel doctor`, /readyz, the metrics and the alerts: no place says that all is well while
 * another does not.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { topicOf } from '@cupel/contracts'
import { startProjector } from '@cupel/projector'
import { createMetrics, loadConfig, startHealthServer } from '@cupel/kit/service'
import { createSigningKeys } from '@cupel/signing'
import { until } from '@cupel/testkit'
import { testEvent } from '@cupel/testkit/installation'
import { SIGNING_KEYS_FILE, storeArchiveBegun } from '@cupel/evidence/transparency'
import { retentionFaults } from './retention-faults.js'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openCommandLine, type CommandLine } from '../command-line.js'
import { watchedRow } from '../watched-row.js'
import type { Finding, Status } from '@cupel/operation/commands'

let installation: CommandLine
let archive: string
let projector: { readonly url: string; stop(): Promise<void> }
beforeEach(async () => {
  installation = await openCommandLine({ CUPEL_CHECKPOINT_INTERVAL_MS: '100' })
  archive = join(installation.folder, 'archive')
  createSigningKeys(join(installation.folder, SIGNING_KEYS_FILE))
  projector = await startWatched()
})
afterEach(() => installation.close())

async function startWatched(): Promise<typeof projector> {
  const { deps, environment } = installation
  const metrics = createMetrics('projector')
  const running = await startProjector({ ...deps, metrics, config: loadConfig(environment) })
  installation.onClose(() => running.stop())
  const health = await startHealthServer({
    ...{ host: '127.0.0.1', port: 0, metrics },
    checks: () => running.checks(),
  })
  installation.onClose(() => health.close())
  await until(async () => expect((await fetch(`${health.url}/readyz`)).status).toBe(200))
  return { url: health.url, stop: () => running.stop() }
}

const account = (id: string) =>
  testEvent('AccountCreated', id, {
    ...{ accountId: id, name: 'Account', createdBy: 'test', reason: '' },
    createdAt: '2026-11-23T02:00:00.000Z',
  })

const execute = (statement: string) => installation.database.execute(statement)

/** The projector is gone, and a record came that nothing has read since. */
async function abandoned(): Promise<void> {
  await projector.stop()
  await installation.append(account('acc_late'))
}

/** An archive is there, and a record came that it lacks. */
async function outdated(): Promise<void> {
  await installation.append(account('acc_1'))
  expect((await installation.cupel('archive', 'create', archive)).error).toBeNull()
  await installation.append(account('acc_later'))
  await until(async () => expect(await behind()).toBeGreaterThan(0))
}

async function behind(): Promise<number> {
  const [row] = await installation.database.query<{ behind: number }>(
    'SELECT (t.size - a.size)::int4 AS behind FROM transparency.archive a JOIN transparency.log t USING (number)',
  )
  return row!.behind
}

interface State {
  readonly name: string
  /** The check of the projector that fails; null if its process is gone. */
  readonly check: string | null
  /** The alert that fires; null if the process that would count is gone, and its own alert fires. */
  readonly alert: string | null
  readonly says: RegExp
  readonly come: () => Promise<unknown>
}

/** Work that waits is told by status and doctor only. */
const waits = (name: string, says: RegExp, ...statements: readonly string[]): State => ({
  ...{ name, says, check: null, alert: null },
  async come() {
    for (const statement of statements) await execute(statement)
  },
})

const states: readonly State[] = [
  {
    name: 'a transparency log whose rows were changed',
    check: 'transparency',
    alert: 'CupelTransparencyStopped',
    says: /The transparency log has stopped: .*not those of its last signed checkpoint/,
    async come() {
      await execute(`UPDATE transparency.log SET peaks = set_byte(peaks, 0, 255 - get_byte(peaks, 0))`)
      await installation.append(account('acc_more'))
    },
  },
  {
    name: 'a record without a leaf, and no projector',
    check: null,
    alert: null,
    says: /1 records have no leaf of the transparency log, and no projector looked for new ones for \d+ s/,
    async come() {
      await abandoned()
      await execute(`UPDATE transparency.log SET checked_at = now() - interval '2 minutes'`)
    },
  },
  {
    name: 'a checkpoint that too few witnesses cosigned for long',
    check: null,
    alert: null,
    says: /Too few witnesses cosign .*witness\.example: it does not answer/,
    async come() {
      await execute(
        `INSERT INTO transparency.witness (number, vkey, failure) SELECT number, 'witness.example+1+x', 'it does not answer' FROM transparency.log`,
      )
      await execute(
        `UPDATE transparency.log SET cosigned_size = 0, cosigned = '', cosigned_at = now() - interval '1 hour'`,
      )
    },
  },
  {
    name: 'a witness that saw another history, although enough others cosign',
    check: null,
    alert: null,
    says: /The witness witness\.example saw another history of the transparency log: it cosigned another tree/,
    async come() {
      await execute(
        `INSERT INTO transparency.witness (number, vkey, failure, saw_other) SELECT number, 'witness.example+1+x', 'it cosigned another tree', true FROM transparency.log`,
      )
      await execute(`UPDATE transparency.log SET cosigned_size = size, cosigned = '', cosigned_at = now()`)
    },
  },
  {
    name: 'a folder of published files that nobody can write',
    check: 'transparency',
    alert: 'CupelTransparencyStopped',
    says: /The transparency log has stopped: .*(EEXIST|ENOTDIR).*checkpoints/,
    async come() {
      const folder = join(installation.folder, 'checkpoints')
      rmSync(folder, { recursive: true, force: true })
      writeFileSync(folder, '')
      await installation.append(account('acc_more'))
    },
  },
  {
    name: 'an archive whose last run failed',
    check: null,
    alert: 'CupelArchiveLate',
    says: /The last run of `cupel archive create .*archive` failed: .*another file/,
    async come() {
      await outdated()
      writeFileSync(join(archive, 'another file'), '')
      expect((await installation.cupel('archive', 'create', archive)).error).not.toBeNull()
    },
  },
  {
    name: 'an archive whose first run failed',
    check: null,
    alert: 'CupelArchiveLate',
    says: /The last run of `cupel archive create .*archive` failed: .*another file.* No run succeeded since 20\d\d-.*Z/,
    async come() {
      mkdirSync(archive)
      writeFileSync(join(archive, 'another file'), '')
      for (let run = 1; run <= 2; run += 1)
        expect((await installation.cupel('archive', 'create', archive)).error).not.toBeNull()
    },
  },
  {
    name: 'an archive whose store cannot be opened',
    check: null,
    alert: 'CupelArchiveLate',
    says: /The last run of `cupel archive create .*archive` failed: .*EEXIST.* No run succeeded since/,
    async come() {
      writeFileSync(archive, '')
      expect((await installation.cupel('archive', 'create', archive)).error).not.toBeNull()
    },
  },
  {
    name: 'an archive whose first run was killed',
    check: null,
    alert: 'CupelArchiveLate',
    says: /The first run of `cupel archive create .*archive` began at .* and has not ended: there is no archive/,
    async come() {
      await storeArchiveBegun(installation.database, await installation.log.identity(), archive)
      await execute(`UPDATE transparency.archive SET begun_at = now() - interval '61 minutes'`)
    },
  },
  {
    name: 'an archive that lacks records for longer than its timer rests',
    check: null,
    alert: 'CupelArchiveLate',
    says: /The archive .*archive was made 72 h ago, and lacks the records of \d+ leaves/,
    async come() {
      await outdated()
      await execute(`UPDATE transparency.archive SET made_at = now() - interval '72 hours'`)
    },
  },
  ...retentionFaults((statement) => execute(statement)),
  {
    name: 'a projection that stopped at a record',
    check: 'audit-view',
    alert: 'CupelProjectionStopped',
    says: /The projection audit-view has stopped: /,
    async come() {
      const headers = { ce_type: 'ApiRequestAudited' }
      const record = {
        topic: topicOf('ApiRequestAudited'),
        key: 'acc_1',
        value: Buffer.from('no event'),
        headers,
      }
      await installation.log.append('test', [record])
    },
  },
  {
    name: 'a projection that nobody runs, and a record that waits for it',
    check: null,
    alert: null,
    says: /The projection report-view was last seen \d+ s ago, and 1 records wait for it/,
    async come() {
      await projector.stop()
      const record = { topic: topicOf('ReportGenerated'), key: 'r', value: Buffer.from(''), headers: {} }
      await installation.log.append('test', [record])
      await execute(`UPDATE projection.read_model SET state_at = now() - interval '2 minutes'`)
    },
  },
  {
    name: 'rows of labels that a scorer cannot compare with the log',
    check: null,
    alert: null,
    says: /cannot compare the rows of labels with the log: permission denied/,
    async come() {
      await execute(
        `INSERT INTO heartbeats.compared_rows VALUES (gen_random_uuid(), 'labels', now() - interval '1 hour',
           'A scorer cannot compare the rows of labels with the log: permission denied.', NULL, now())`,
      )
    },
  },
  {
    name: 'a scorer that ended and compares nothing any more',
    check: null,
    alert: null,
    says: /No scorer has told for \d+ s that it compares the rows of ledger with the log/,
    async come() {
      await execute(
        `INSERT INTO heartbeats.compared_rows VALUES (gen_random_uuid(), 'ledger', now(), NULL, NULL, now() - interval '2 minutes')`,
      )
    },
  },
  waits(
    'a promised screen that no scorer decides',
    /1 screens that callers were promised have had no report for up to \d+ minutes: no scorer decides them/,
    `INSERT INTO access.pending_screen VALUES ('622f9400217f0c00', 'acc_1', true, now() - interval '6 minutes')`,
  ),
  waits(
    'a watch that no coordinator screens',
    /1 watches are due for up to \d+ minutes, and no coordinator begins their screenings/,
    watchedRow(`now() - interval '31 minutes'`),
  ),
  waits(
    'a pass through all watches that does not end',
    /The pass that decides every watched address again last ended 49 hours ago/,
    `INSERT INTO watches.progress VALUES (true, 0, 0, 0, '1.0.0', NULL, now(), now() - interval '49 hours')`,
    watchedRow('NULL'),
  ),
  waits(
    'a webhook that no dispatcher sends',
    /1 webhooks are due for up to \d+ minutes, and no dispatcher sends them/,
    `INSERT INTO webhooks.endpoint (endpoint_id, account_id, livemode, url, payload, status, sealed_secret, created_at, proven_at)
         VALUES ('whe_1', 'acc_1', true, 'https://receiver.example', 'thin', 'enabled', '', now(), now())`,
    `INSERT INTO webhooks.body (body_id, body) VALUES ('b', '{}')`,
    `INSERT INTO webhooks.delivery (delivery_id, webhook_id, endpoint_id, account_id, livemode, type, payload, body_id, status, due_at)
         VALUES ('whd_1', 'msg_1', 'whe_1', 'acc_1', true, 'bulk.completed', 'thin', 'b', 'pending', now() - interval '61 minutes')`,
  ),
  waits(
    'a list that nobody reads',
    /1 lists that operators sent wait for up to \d+ minutes, and nobody reads them/,
    `INSERT INTO labels.list_order (order_id, ordered_by, request, status, changed_at)
         VALUES ('lio_1', 'key_1', '{}', 'checking', now() - interval '31 minutes')`,
  ),
  {
    name: 'a service whose clock is wrong',
    check: null,
    alert: null,
    says: /The clock of scorer-0 on north is 5000 ms ahead of that of the database/,
    async come() {
      await execute(
        `INSERT INTO heartbeats.process VALUES ('scorer', 0, gen_random_uuid(), 'north', '', 1, '0.2.0', now(), now() + interval '1 hour', -5000, '{}')`,
      )
    },
  },
  {
    name: 'an event that nobody appends',
    check: null,
    alert: null,
    says: /1 events wait in the outbox since \d+ s/,
    async come() {
      await projector.stop()
      await execute(
        `INSERT INTO projection.outbox (topic, key, event, written_at) VALUES ('t', 'k', '{}', now() - interval '2 minutes')`,
      )
    },
  },
]

const alerts = readFileSync(join(import.meta.dirname, '../../../../deploy/observability/alerts.yml'), 'utf8')

/** Whether the metric of the projector is beyond the bound of the alert. */
async function isAlerted(alert: string): Promise<boolean> {
  const [, metric, sign, bound] = new RegExp(
    `alert: ${alert}\\n\\s+expr: \\w+(?: by [^)]*\\))? ?\\((\\w+)\\) (==|>) (\\d+)`,
  ).exec(alerts)!
  const text = await (await fetch(`${projector.url}/metrics`)).text()
  const values = [...text.matchAll(new RegExp(`^${metric}(?:\\{.*\\})? (\\S+)$`, 'gm'))].map(([, value]) =>
    Number(value),
  )
  return values.some((value) => (sign === '>' ? value > Number(bound) : value === Number(bound)))
}

const doctor = async () =>
  JSON.parse((await installation.cupel('doctor', '--json')).out) as {
    healthy: boolean
    findings: readonly Finding[]
  }
const status = async () => JSON.parse((await installation.cupel('status', '--json')).out) as Status
const details = (all: readonly { readonly detail: string }[]) => all.map(({ detail }) => detail)

test('nothing stands still in an installation whose projector runs', async () => {
  await installation.append(account('acc_1'))
  await until(async () => expect(await status()).toMatchObject({ standstills: [] }))
  const examined = ['evidence', 'projections', 'waiting work', 'certificates']
  expect((await doctor()).findings.filter(({ name }) => examined.includes(name))).not.toContainEqual(
    expect.objectContaining({ state: 'fault' }),
  )
})

test.each(states)(
  '$name is at fault in status, doctor, /readyz, metrics and alerts',
  async ({ check, alert, says, come }) => {
    await until(async () => {
      const [row] = await installation.database.query<{ size: number }>('SELECT size FROM transparency.log')
      expect(row!.size).toBeGreaterThan(0)
    })
    await come()
    const said = expect.stringMatching(says) as string
    await until(async () => {
      const { healthy, standstills } = await status()
      expect([healthy, details(standstills)]).toEqual([false, expect.arrayContaining([said])])
    })
    expect((await installation.cupel('status')).out).toMatch(says)
    const { healthy, findings } = await doctor()
    expect(healthy).toBe(false)
    expect(details(findings.filter(({ state }) => state === 'fault'))).toContainEqual(said)
    if (alert !== null) await until(async () => expect(await isAlerted(alert)).toBe(true))
    if (check === null) return
    await until(async () => {
      const ready = await fetch(`${projector.url}/readyz`)
      const { checks } = (await ready.json()) as { checks: readonly { name: string; ok: boolean }[] }
      expect([ready.status, checks.filter(({ ok }) => !ok).map(({ name }) => name)]).toEqual([503, [check]])
    })
    expect(await (await fetch(`${projector.url}/metrics`)).text()).toMatch(
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
  await execute(
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
  await execute(`INSERT INTO heartbeats.process
    SELECT 'bulk-scorer', 0, gen_random_uuid(), host, '', 1, release, now(), now(), 0, '{}' FROM heartbeats.process LIMIT 1`)
  await execute(`UPDATE heartbeats.process SET failing = '{}', seen_at = now()`)
  expect(await services()).toEqual([['ok', 'Ready processes: 6.']])
  await execute(`UPDATE heartbeats.process SET seen_at = now() - interval '2 minutes' WHERE service = 'api'`)
  expect(await services()).toEqual([
    ['fault', 'No api runs.'],
    ['warning', expect.stringMatching(/^api-0 ended without a word: not seen for 1\d\d s\.$/)],
  ])
})

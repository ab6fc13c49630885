/** What can stop in an installation whose projector runs, how it comes, and who must say so. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { topicOf } from '@cupel/contracts'
import { storeArchiveBegun } from '@cupel/evidence/transparency'
import { until } from '@cupel/testkit'
import { testEvent } from '@cupel/testkit/installation'
import { expect } from 'vitest'
import { watchedRow } from '../watched-row.js'
import type { Watched } from './watched.js'

export const account = (id: string) =>
  testEvent('AccountCreated', id, {
    ...{ accountId: id, name: 'Account', createdBy: 'test', reason: '' },
    createdAt: '2026-11-23T02:00:00.000Z',
  })

const executes =
  (...statements: readonly string[]) =>
  async ({ installation }: Watched): Promise<void> => {
    for (const statement of statements) await installation.database.execute(statement)
  }

/** The projector is gone, and a record came that nothing has read since. */
async function abandoned({ projector, installation }: Watched): Promise<void> {
  await projector.stop()
  await installation.append(account('acc_late'))
}

/** An archive is there, and a record came that it lacks. */
async function outdated(watched: Watched): Promise<void> {
  const { installation, archive } = watched
  await installation.append(account('acc_1'))
  expect((await installation.cupel('archive', 'create', archive)).error).toBeNull()
  await installation.append(account('acc_later'))
  await until(async () => expect(await behind(watched)).toBeGreaterThan(0))
}

async function behind({ installation }: Watched): Promise<number> {
  const [row] = await installation.database.query<{ behind: number }>(
    'SELECT (t.size - a.size)::int4 AS behind FROM transparency.archive a JOIN transparency.log t USING (number)',
  )
  return row!.behind
}

export interface State {
  readonly name: string
  /** The check of the projector that fails; null if its process is gone. */
  readonly check: string | null
  /** The alert that fires; null if the process that would count is gone, and its own alert fires. */
  readonly alert: string | null
  readonly says: RegExp
  readonly come: (watched: Watched) => Promise<unknown>
}

/** Work that waits is told by status and doctor only. */
const waits = (name: string, says: RegExp, ...statements: readonly string[]): State => ({
  ...{ name, says, check: null, alert: null, come: executes(...statements) },
})

export const states: readonly State[] = [
  {
    name: 'a transparency log whose rows were changed',
    check: 'transparency',
    alert: 'CupelTransparencyStopped',
    says: /The transparency log has stopped: .*not those of its last signed checkpoint/,
    async come({ installation }) {
      await installation.database.execute(
        `UPDATE transparency.log SET peaks = set_byte(peaks, 0, 255 - get_byte(peaks, 0))`,
      )
      await installation.append(account('acc_more'))
    },
  },
  {
    name: 'a record without a leaf, and no projector',
    check: null,
    alert: null,
    says: /1 records have no leaf of the transparency log, and no projector looked for new ones for \d+ s/,
    async come(watched) {
      await abandoned(watched)
      await watched.installation.database.execute(
        `UPDATE transparency.log SET checked_at = now() - interval '2 minutes'`,
      )
    },
  },
  {
    name: 'a checkpoint that too few witnesses cosigned for long',
    check: null,
    alert: null,
    says: /Too few witnesses cosign .*witness\.example: it does not answer/,
    come: executes(
      `INSERT INTO transparency.witness (number, vkey, failure) SELECT number, 'witness.example+1+x', 'it does not answer' FROM transparency.log`,
      `UPDATE transparency.log SET cosigned_size = 0, cosigned = '', cosigned_at = now() - interval '1 hour'`,
    ),
  },
  {
    name: 'a witness that saw another history, although enough others cosign',
    check: null,
    alert: null,
    says: /The witness witness\.example saw another history of the transparency log: it cosigned another tree/,
    come: executes(
      `INSERT INTO transparency.witness (number, vkey, failure, saw_other) SELECT number, 'witness.example+1+x', 'it cosigned another tree', true FROM transparency.log`,
      `UPDATE transparency.log SET cosigned_size = size, cosigned = '', cosigned_at = now()`,
    ),
  },
  {
    name: 'a folder of published files that nobody can write',
    check: 'transparency',
    alert: 'CupelTransparencyStopped',
    says: /The transparency log has stopped: .*(EEXIST|ENOTDIR).*checkpoints/,
    async come({ installation }) {
      const folder = join(installation.folder, 'checkpoints')
      rmSync(folder, { recursive: true, force: true })
      writeFileSync(folder, '')
      await installation.append(account('acc_more'))
    },
  },
  {
    name: 'an object store of published files that does not answer',
    check: 'transparency',
    alert: 'CupelTransparencyStopped',
    says: /The transparency log has stopped: The store 127\.0\.0\.1:\d+ did not answer GET archives\/p\/.*: /,
    come: ({ store }) => store.close(),
  },
  {
    name: 'an archive whose last run failed',
    check: null,
    alert: 'CupelArchiveLate',
    says: /The last run of `cupel archive create .*archive` failed: .*another file/,
    async come(watched) {
      const { installation, archive } = watched
      await outdated(watched)
      writeFileSync(join(archive, 'another file'), '')
      expect((await installation.cupel('archive', 'create', archive)).error).not.toBeNull()
    },
  },
  {
    name: 'an archive whose first run failed',
    check: null,
    alert: 'CupelArchiveLate',
    says: /The last run of `cupel archive create .*archive` failed: .*another file.* No run succeeded since 20\d\d-.*Z/,
    async come({ installation, archive }) {
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
    async come({ installation, archive }) {
      writeFileSync(archive, '')
      expect((await installation.cupel('archive', 'create', archive)).error).not.toBeNull()
    },
  },
  {
    name: 'an archive whose first run was killed',
    check: null,
    alert: 'CupelArchiveLate',
    says: /The first run of `cupel archive create .*archive` began at .* and has not ended: there is no archive/,
    async come({ installation, archive }) {
      await storeArchiveBegun(installation.database, await installation.log.identity(), archive)
      await installation.database.execute(
        `UPDATE transparency.archive SET begun_at = now() - interval '61 minutes'`,
      )
    },
  },
  {
    name: 'an archive that lacks records for longer than its timer rests',
    check: null,
    alert: 'CupelArchiveLate',
    says: /The archive .*archive was made 72 h ago, and lacks the records of \d+ leaves/,
    async come(watched) {
      await outdated(watched)
      await watched.installation.database.execute(
        `UPDATE transparency.archive SET made_at = now() - interval '72 hours'`,
      )
    },
  },
  {
    name: 'a retention that is refused',
    check: null,
    alert: 'CupelRetentionLate',
    says: /Runs of `cupel retention run \/archive --keep-months 12` are refused since 20.*Z: the archive is damaged/,
    come: executes(
      `INSERT INTO projection.retention_run (place, keep_months, failure, failed_since) VALUES ('/archive', 12, 'the archive is damaged.', now())`,
    ),
  },
  {
    name: 'a retention whose timer is gone',
    check: null,
    alert: 'CupelRetentionLate',
    says: /No run of `cupel retention run \/archive --keep-months 12` ended for 72 h/,
    come: executes(
      `INSERT INTO projection.retention_run (place, keep_months, begun_at) VALUES ('/archive', 12, now() - interval '72 hours')`,
    ),
  },
  {
    name: 'a projection that stopped at a record',
    check: 'audit-view',
    alert: 'CupelProjectionStopped',
    says: /The projection audit-view has stopped: /,
    async come({ installation }) {
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
    async come({ installation, projector }) {
      await projector.stop()
      const record = { topic: topicOf('ReportGenerated'), key: 'r', value: Buffer.from(''), headers: {} }
      await installation.log.append('test', [record])
      await installation.database.execute(
        `UPDATE projection.read_model SET state_at = now() - interval '2 minutes'`,
      )
    },
  },
  {
    name: 'rows of labels that a scorer cannot compare with the log',
    check: null,
    alert: null,
    says: /cannot compare the rows of labels with the log: permission denied/,
    come: executes(`INSERT INTO heartbeats.compared_rows VALUES (gen_random_uuid(), 'labels', now() - interval '1 hour',
           'A scorer cannot compare the rows of labels with the log: permission denied.', NULL, now())`),
  },
  {
    name: 'a scorer that ended and compares nothing any more',
    check: null,
    alert: null,
    says: /No scorer has told for \d+ s that it compares the rows of ledger with the log/,
    come: executes(
      `INSERT INTO heartbeats.compared_rows VALUES (gen_random_uuid(), 'ledger', now(), NULL, NULL, now() - interval '2 minutes')`,
    ),
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
    come: executes(
      `INSERT INTO heartbeats.process VALUES ('scorer', 0, gen_random_uuid(), 'north', '', 1, '0.2.0', now(), now() + interval '1 hour', -5000, '{}')`,
    ),
  },
  {
    name: 'an event that nobody appends',
    check: null,
    alert: null,
    says: /1 events wait in the outbox since \d+ s/,
    async come({ installation, projector }) {
      await projector.stop()
      await installation.database.execute(
        `INSERT INTO projection.outbox (topic, key, event, written_at) VALUES ('t', 'k', '{}', now() - interval '2 minutes')`,
      )
    },
  },
]

/**
 * An installation after years: made of many reports over two years, it is verified, upgraded from a version with other tables, views and schemas,
 * hands old months to an archive, is verified again, and is restored from that archive. CUPEL_TEST_AGED_REPORTS is the number of reports; a night has more than a single run.
 */
import { randomBytes } from 'node:crypto'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { reportPartition, topicOf, type ReportGenerated } from '@cupel/contracts'
import { canonicalJson, sha256Hex } from '@cupel/domain'
import { signedLog } from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { publishKeys, SIGNING_KEYS_FILE } from '@cupel/evidence/transparency'
import { startProjector } from '@cupel/projector'
import { reportView } from '@cupel/reports/read-model'
import { readSigningKeys } from '@cupel/signing'
import { until } from '@cupel/testkit'
import { testEvent } from '@cupel/testkit/installation'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callCupel, openCommandLine, type CommandLine } from '../command-line.js'
import { openDecided, type Decided } from '../decided.js'
import { SANCTIONED } from '../some-labels.js'
import { giveLeaves } from './leaves.js'

const REPORTS = Number(
  process.env['CUPEL_TEST_AGED_REPORTS'] ??
    (Number(process.env['CUPEL_TEST_LONG_BUDGET_MS'] ?? 0) < 60_000 ? 1_000 : 100_000),
)
const HANG_MS = 600_000 + REPORTS * 20
const APPENDED_AT_ONCE = 500
/** Of 24 months, all but the last three leave. */
const MONTHS = 24
const KEPT_MONTHS = 3
const FIRST_YEAR = 2024
const REASON = ['--reason', 'Older than a year']
const TOPIC = topicOf('ReportGenerated')
/** Roles belong to the server, which tests share. */
const SERVICES_ROLE = `cupel_aged_${randomBytes(6).toString('hex')}`
/** Of an event that only the later version knows. */
const LATER_SUBJECT = 'screening.watch.events.v1-WatchesCreated'

let own: Decided
let archive: string
let screened: ReportGenerated

/** Prints how long a step took: the figures of a run with many reports. */
async function timed<T>(step: string, work: () => Promise<T>): Promise<T> {
  const since = performance.now()
  const result = await work()
  const seconds = (performance.now() - since) / 1_000
  process.stderr.write(
    `aged, ${REPORTS} reports: ${step} ${seconds.toFixed(1)} s, ${Math.round(REPORTS / seconds)}/s\n`,
  )
  return result
}

const monthOf = (number: number): number => Math.floor((number * MONTHS) / REPORTS)
const isOld = (number: number): boolean => monthOf(number) < MONTHS - KEPT_MONTHS
const idOf = (number: number): string =>
  (0x10_0000_0000_00 + number).toString(16).padStart(14, '0') + (number % 256).toString(16).padStart(2, '0')
const timeOf = (number: number): string =>
  new Date(Date.UTC(FIRST_YEAR, monthOf(number), 1 + (number % 28), 12, 0, number % 60)).toISOString()
const firstKept = (): string =>
  new Date(Date.UTC(FIRST_YEAR, MONTHS - KEPT_MONTHS, 1)).toISOString().slice(0, 'YYYY-MM'.length)

/** The report that was screened, as another one of another day. */
function aged(number: number): ReportGenerated {
  const { reportId, generatedAt } = screened
  const text = JSON.stringify(screened).replaceAll(reportId, idOf(number))
  const data = JSON.parse(text.replaceAll(generatedAt, timeOf(number))) as ReportGenerated
  return { ...data, reportSha256: sha256Hex(canonicalJson(JSON.parse(data.report))) }
}

const signingKeys = () => readSigningKeys(join(own.folder, SIGNING_KEYS_FILE))

async function appendAll(): Promise<void> {
  const log = signedLog(own.log, signingKeys().signer)
  for (let first = 0; first < REPORTS; first += APPENDED_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(APPENDED_AT_ONCE, REPORTS - first) }, (_, at) => first + at)
    await log.append(
      'test',
      numbers.map((number) => {
        const id = idOf(number)
        const event = testEvent('ReportGenerated', id, aged(number))
        return own.codec.encode(event, { topic: TOPIC, key: id, partition: reportPartition(id) })
      }),
    )
  }
}

const rowsOf = async ({ database }: Pick<CommandLine, 'database'>, where = 'true'): Promise<number> => {
  const [row] = await database.query<{ rows: string }>(
    `SELECT count(*)::text AS rows FROM report_view.report WHERE ${where}`,
  )
  return Number(row!.rows)
}
/** As long as rows come. */
async function projected(of: Pick<CommandLine, 'database'>): Promise<void> {
  for (let rows = await rowsOf(of); rows <= REPORTS;)
    rows = await until(async () => {
      const more = await rowsOf(of)
      expect(more).toBeGreaterThan(rows)
      return more
    })
}

const settings = () => ({ ...own.environment, CUPEL_RETENTION_ARCHIVE: archive })
const cupel = (...args: string[]): Promise<Record<string, unknown>> => cupelWith(settings(), ...args)
async function cupelWith(
  environment: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<Record<string, unknown>> {
  const said = await callCupel(environment, [...args, '--json'])
  expect({ ...said, out: said.exitCode === 0 ? '' : said.out }).toMatchObject({
    error: null,
    exitCode: 0,
    out: '',
  })
  return JSON.parse(said.out) as Record<string, unknown>
}
/** Every record has its leaf, and the archive has every record. */
async function keep(): Promise<void> {
  await giveLeaves(own)
  await cupel('archive', 'create', archive)
}
async function verifiedIn(of: (...args: string[]) => Promise<Record<string, unknown>>): Promise<void> {
  const verified = await of('audit', 'verify')
  expect(verified['problems'], JSON.stringify(verified)).toEqual([])
  expect(verified).toMatchObject({ is_proven: true, problem_count: 0, reports: REPORTS + 1 })
}

beforeAll(async () => {
  own = await openDecided({ signs: true })
  archive = join(own.folder, 'archive')
  await publishKeys(own.database, signingKeys())
  await own.importLabels('sdn', [SANCTIONED.row])
  screened = await own.screen(SANCTIONED.address, 'ETH')
  await timed('append', appendAll)
  await timed('project', () => projected(own))
  await timed('give leaves and archive', keep)
}, HANG_MS)
afterAll(async () => {
  await own.database.query(`DROP OWNED BY ${SERVICES_ROLE}; DROP ROLE ${SERVICES_ROLE}`)
  await own.close()
})

test('it is verified, and its largest view is built anew', { timeout: HANG_MS }, async () => {
  await timed('archive verify', () => cupel('archive', 'verify', archive, '--min-reports', String(REPORTS)))
  await timed('audit verify', () => verifiedIn(cupel))
  const rebuilt = await timed('audit replay', () => cupel('audit', 'replay', '--target', 'report-view'))
  expect(rebuilt).toMatchObject({ differences: 0, switched: true })
})

test(
  'an upgrade from a version without a table and a schema, and with another view of the reports, leaves it whole, and a second one does nothing',
  { timeout: HANG_MS },
  async () => {
    await own.database.query('DROP SCHEMA sharing CASCADE')
    await own.database.execute(`DELETE FROM public.cupel_migration WHERE id LIKE 'sharing/%'`)
    await own.database.execute('DELETE FROM log.schema_version WHERE subject = $1', [LATER_SUBJECT])
    await own.database.execute(
      `UPDATE projection.read_model SET definition_sha256 = 'of another version' WHERE name = $1`,
      [reportView.name],
    )
    await own.database.query('ALTER TABLE report_view.report DROP COLUMN further_owner_key')
    const before = await rowsOf(own)
    const changes = (await upgrade()).steps.flatMap((step) => step.changes)
    expect(changes).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/migration sharing/),
        expect.stringContaining(LATER_SUBJECT),
        expect.stringMatching(/Rebuild the read model report-view/),
      ]),
    )
    expect(await rowsOf(own)).toBe(before)
    expect((await upgrade()).changed).toBe(false)
    await timed('audit verify of the upgraded installation', () => verifiedIn(cupel))
  },
)

interface Upgraded {
  readonly changed: boolean
  readonly steps: readonly { readonly changes: readonly string[] }[]
}
/** The services have a role of their own, which an upgrade makes. */
async function upgrade(): Promise<Upgraded> {
  const services = new URL(own.connectionString)
  ;[services.username, services.password] = [SERVICES_ROLE, 'of-this-test']
  const environment = {
    ...{ ...settings(), CUPEL_DATABASE_ADMIN_URL: own.connectionString },
    CUPEL_DATABASE_URL: services.toString(),
  }
  return (await timed('upgrade', () => cupelWith(environment, 'upgrade'))) as unknown as Upgraded
}

test(
  'old months leave database and log, and all is verified and recomputed across the cut',
  { timeout: HANG_MS },
  async () => {
    const old = Array.from({ length: REPORTS }, (_, number) => number).filter(isOld).length
    const apply = (...options: string[]) =>
      cupel('retention', 'apply', archive, '--before', firstKept(), ...options, ...REASON)
    await timed('retention apply', () => apply('--accept', String(old)))
    expect(await rowsOf(own, 'document IS NOT NULL')).toBe(REPORTS + 1 - old)
    // The months that left are told first, and the archive has that.
    await until(async () =>
      expect(await own.database.query('SELECT FROM projection.retired_month WHERE ended_at IS NULL')).toEqual(
        [],
      ),
    )
    await keep()
    const planned = JSON.parse(
      (
        await callCupel(settings(), [
          'retention',
          'apply',
          archive,
          '--before',
          firstKept(),
          '--log',
          '--json',
        ])
      ).out,
    ) as { readonly records: number }
    expect(planned.records).toBeGreaterThan(0)
    await timed('retention apply --log', () => apply('--log', '--accept', String(planned.records)))
    await timed('audit verify across the cut', () => verifiedIn(cupel))
    expect(await timed('audit recompute', () => cupel('audit', 'recompute', '--level', 'A'))).toMatchObject({
      ...{ is_proven: true, reports: REPORTS + 1 },
    })
  },
)

test(
  'what is left is an archive and keys: an installation restored from them is whole',
  { timeout: HANG_MS },
  async () => {
    await keep()
    const again = await openCommandLine({}, { openLog: (database) => openEmbeddedLog({ database }) })
    try {
      copyFileSync(join(own.folder, SIGNING_KEYS_FILE), join(again.folder, SIGNING_KEYS_FILE))
      const lost = ['--reason', 'The disk is lost.']
      await timed('archive restore', () => again.json('archive', 'restore', archive, ...lost))
      expect(await again.json('restore', '--older-database', ...lost)).toMatchObject({ may_start: true })
      const projector = await startProjector({ ...again.deps, database: again.connect() })
      again.onClose(() => projector.stop())
      await timed('project the restored log', () => projected(again))
      // Signatures for the earlier log count from the event on that names it.
      await until(async () => {
        const types = (await again.records(topicOf('LogAdopted'))).map(
          (record) => again.codec.decode(record).type,
        )
        expect(types).toContain('LogAdopted')
      })
      await giveLeaves(again)
      await timed('audit verify of the restored log', () => verifiedIn((...args) => again.json(...args)))
      const [kept, restored] = await Promise.all(
        [own, again].map(({ database }) =>
          database.query<{ id: string; document: string }>(
            `SELECT report_id AS id, document FROM report_view.report WHERE report_id = ANY($1) ORDER BY 1`,
            [[REPORTS - 1, REPORTS - 2].map(idOf)],
          ),
        ),
      )
      expect(restored).toEqual(kept)
      expect(await rowsOf(again, 'document IS NULL')).toBe(0)
    } finally {
      await again.close()
    }
  },
)

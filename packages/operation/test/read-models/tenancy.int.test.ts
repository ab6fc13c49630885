/** These tests remove the walls between tenants, one and two at a time: every query loses its condition, and the remaining walls hold. */
import type { Queryable } from '@cupel/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openFixture, type Fixture } from './fixture.js'
import { installReadModels, TENANT_ROLE, tenantScope, type Tenant } from '@cupel/projections'
import { others, OWN, testWalls, type TenantQuery } from './walls.js'
import {
  chooseResults,
  listJobs,
  readEndedLevels,
  readJobStates,
  readOverview,
  readItemReports,
  readEndedResults,
  readJob,
} from '@cupel/bulk/read-model'
import { countUsage, listAuditEntries, listUsageDays } from '@cupel/audit/read-model'
import {
  getReport,
  listReportPlaces,
  listReports,
  reportView,
  retirementFinder,
  type ReadDocuments,
} from '@cupel/reports/read-model'
import { readModels } from '../../src/read-models/index.js'

const FOREIGN = /report-[12]|request-[12]|job-[12]/

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
  for (const [index, { accountId, livemode }] of [OWN, ...others].entries()) {
    await fixture.database.execute(
      `INSERT INTO report_view.report
         (report_id, account_id, livemode, state, level, customer_reference, document, ended_at, log_partition, log_offset)
       VALUES ($1, $2, $3, 'generated', 'red', 'r', '{"customer_reference":"r","chain":""}', now(), 0, $4)`,
      [`report-${index}`, accountId, livemode, index],
    )
    await fixture.database.execute(
      `INSERT INTO audit_view.entry (request_id, account_id, livemode, key_id, scope, client_address, method, route, status,
         code, subject_ids, latency_ms, at, is_audited, actor)
       VALUES ($1, $2, $3, 'k', '', '', 'GET', '', 200, '', '[]', 1, now(), true, '')`,
      [`request-${index}`, accountId, livemode],
    )
    await fixture.database.execute(
      `INSERT INTO audit_view.usage_day VALUES ($1, $2, '2026-01-01', $3, 1, 0, 0, 0)`,
      [accountId, livemode, `request-${index}`],
    )
    await fixture.database.execute(
      `INSERT INTO job_view.job (job_id, account_id, livemode, submitted_at, items) VALUES ($1, $2, $3, now(), '[]')`,
      [`job-${index}`, accountId, livemode],
    )
  }
})
afterAll(() => fixture.close())

const queries: readonly TenantQuery[] = [
  [
    'a list of reports',
    (database, of) => listReports(database, { ...of, filter: {}, pageSize: 10, after: null }),
  ],
  [
    'reports without a case',
    (database, of) =>
      listReports(database, { ...of, filter: { disposition: 'none' }, pageSize: 10, after: null }),
  ],
  ['a list of jobs', (database, of) => listJobs(database, of, { pageSize: 10, before: null })],
  ['levels of ended jobs', (database, of) => readEndedLevels(database, of, ['job-1', 'job-2'])],
  ['the audit log', (database, of) => listAuditEntries(database, { ...of, pageSize: 10, after: null })],
  [
    'a search in the audit log',
    (database, of) =>
      listAuditEntries(database, { ...of, route: '', problemsOnly: false, pageSize: 10, after: null }),
  ],
  ['the use of keys', (database, of) => countUsage(database, { ...of, since: '2000-01-01T00:00:00.000Z' })],
  [
    'the use of keys by day',
    async (database, of) => (await listUsageDays(database, { ...of, after: null, pageSize: 10 })).items,
  ],
  ['places of reports', (database, of) => listReportPlaces(database, { ...of, limit: 10 })],
  [
    'a search for a reference',
    (database, of) =>
      listReports(database, { ...of, filter: { customerReference: 'r' }, pageSize: 10, after: null }),
  ],
  ...[1, 2].map(
    (index) =>
      [
        `a report by id ${index}`,
        (database: Queryable, of: Tenant) => getReport(database, { ...of, reportId: `report-${index}` }),
      ] as const,
  ),
  ...[1, 2].map(
    (index) =>
      [
        `where a cut report is ${index}`,
        (database: Queryable, of: Tenant) => retirementFinder(database)(of, `report-${index}`),
      ] as const,
  ),
  ...[1, 2].map(
    (index) =>
      [
        `a job by id ${index}`,
        (database: Queryable, of: Tenant) => readJob(database, of, `job-${index}`),
      ] as const,
  ),
  ...[1, 2].map(
    (index) =>
      [
        `results of an ended job ${index}`,
        (database: Queryable, of: Tenant) =>
          readEndedResults(database, of, { jobId: `job-${index}`, from: 0, size: 10 }),
      ] as const,
  ),
  ...[1, 2].map(
    (index) =>
      [
        `chosen results of a job ${index}`,
        (database: Queryable, of: Tenant) =>
          chooseResults(database, of, {
            ...{ jobId: `job-${index}`, sort: 'risk', pendingToo: true, after: null, size: 10 },
          }),
      ] as const,
  ),
  ...[1, 2].map(
    (index) =>
      [
        `how a job stands ${index}`,
        (database: Queryable, of: Tenant) => readOverview(database, of, `job-${index}`),
      ] as const,
  ),
  ['states of jobs', (database, of) => readJobStates(database, of, ['job-0', 'job-1', 'job-2'])],
  [
    'reports of the items of a job',
    async (database, of) => {
      const readDocuments: ReadDocuments = async (_tenant, claims) => claims.map(() => null)
      const item = { status: 'completed', index: 0, address: 'x', level: 'green', score: 0 } as const
      const items = [0, 1, 2].map((index) => ({ ...item, reportId: `report-${index}` }))
      return [...(await readItemReports({ database, readDocuments }, of, items)).keys()]
    },
  ],
]

testWalls(queries, () => fixture.database, FOREIGN)

describe('the role of a tenant', () => {
  const see = (text: string, settings: Record<string, string> = tenantScope(OWN).settings) =>
    fixture.database.query<{ account_id: string; livemode: boolean }>({
      text,
      scope: { role: TENANT_ROLE, settings },
    })
  const TABLES = ['report_view.report', 'audit_view.entry', 'job_view.job']

  test.each(TABLES)('sees in %s its own rows, and none where no tenant is named', async (table) => {
    const own = await see(`SELECT account_id, livemode FROM ${table}`)
    expect(own).toEqual([{ account_id: OWN.accountId, livemode: true }])
    expect(await see(`SELECT account_id, livemode FROM ${table}`, {})).toEqual([])
  })

  test('is shown no other table', async () => {
    const rows = await fixture.database.query<{ name: string }>(
      `SELECT schemaname || '.' || tablename AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
         AND has_schema_privilege($1, schemaname, 'USAGE')
         AND has_table_privilege($1, quote_ident(schemaname) || '.' || quote_ident(tablename), 'SELECT')
         AND NOT rowsecurity`,
      [TENANT_ROLE],
    )
    expect(rows).toEqual([])
    await expect(see('SELECT * FROM label_view.label')).rejects.toThrow(/permission denied/)
  })

  test.each(TABLES)('changes nothing in %s', async (table) => {
    await expect(see(`DELETE FROM ${table}`)).rejects.toThrow(/permission denied/)
  })

  test('every table that says whose its rows are is walled, also after a rebuild and a lost wall', async () => {
    const unwalled = () =>
      fixture.database.query(
        `SELECT c.oid::regclass::text AS name FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
         WHERE a.attname = 'account_id' AND c.relkind = 'r' AND c.relnamespace::regnamespace::text LIKE '%\\_view'
           AND NOT (c.relrowsecurity AND EXISTS (SELECT FROM pg_policy WHERE polrelid = c.oid))`,
      )
    expect(await unwalled()).toEqual([])
    await fixture.database.execute('ALTER TABLE audit_view.entry DISABLE ROW LEVEL SECURITY')
    expect(await unwalled()).toHaveLength(1)
    await installReadModels(fixture.database, readModels)
    expect(await unwalled()).toEqual([])
    await fixture.rebuild(reportView)
    expect(await unwalled()).toEqual([])
    // A backup that was restored without its roles lacks this.
    await fixture.database.execute(`DROP POLICY own_rows ON report_view.report`)
    await fixture.database.execute(`REVOKE ALL ON SCHEMA report_view FROM ${TENANT_ROLE}`)
    await installReadModels(fixture.database, readModels)
    expect(await unwalled()).toEqual([])
    expect(await getReport(fixture.database, { ...OWN, reportId: 'report-9' })).toBeNull()
  })
})

/** The first wall between tenants is taken down here: every query loses its condition on the tenant. The second one holds. */
import type { Queryable } from '@cupel/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openFixture, type Fixture } from '../test/fixture.js'
import { ForeignRowError, getReport, listAuditEntries, listReports, type Tenant } from './index.js'

const OWN: Tenant = { accountId: 'acc_own', livemode: true }
const others: readonly Tenant[] = [
  { accountId: 'acc_other', livemode: true },
  // The other environment of the same account is another tenant.
  { accountId: 'acc_own', livemode: false },
]
const WALL = 'account_id = $1 AND livemode = $2'
const WALL_OF_ONE = 'account_id = $2 AND livemode = $3'

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
  for (const [index, { accountId, livemode }] of [OWN, ...others].entries()) {
    await fixture.database.execute(
      `INSERT INTO report_view.report
         (report_id, account_id, livemode, state, document, ended_at, log_partition, log_offset)
       VALUES ($1, $2, $3, 'generated', '{}', now(), 0, $4)`,
      [`report-${index}`, accountId, livemode, index],
    )
    await fixture.database.execute(
      `INSERT INTO audit_view.entry (request_id, account_id, livemode, key_id, scope, client_address, method, route, status,
         code, subject_ids, latency_ms, at) VALUES ($1, $2, $3, 'k', '', '', 'GET', '', 200, '', '[]', 1, now())`,
      [`request-${index}`, accountId, livemode],
    )
  }
})
afterAll(() => fixture.close())

/** The statement as it would be had its condition been forgotten; its parameters are still used, so that it runs. */
function withoutFirstWall(database: Queryable): Queryable {
  const open = (text: string): string => {
    const opened = text
      .replace(WALL, '($1::text IS NOT NULL AND $2::bool IS NOT NULL)')
      .replace(WALL_OF_ONE, '($2::text IS NOT NULL AND $3::bool IS NOT NULL)')
    if (opened === text) throw new Error(`No first wall was found in: ${text}`)
    return opened
  }
  return {
    query: (statement, values) =>
      database.query(open(typeof statement === 'string' ? statement : statement.text), values),
    execute: () => Promise.reject(new Error('Queries write nothing')),
  }
}

const queries: readonly (readonly [string, (database: Queryable, tenant: Tenant) => Promise<unknown>])[] = [
  [
    'a list of reports',
    (database, of) => listReports(database, { ...of, filter: {}, pageSize: 10, after: null }),
  ],
  ['the audit log', (database, of) => listAuditEntries(database, { ...of, pageSize: 10, after: null })],
  ...[1, 2].map(
    (index) =>
      [
        `a report by id ${index}`,
        (database: Queryable, of: Tenant) => getReport(database, { ...of, reportId: `report-${index}` }),
      ] as const,
  ),
]

describe.each(queries)('%s', (_name, query) => {
  test('with both walls brings nothing of another tenant', async () => {
    const brought = JSON.stringify(await query(fixture.database, OWN))
    expect(brought).not.toMatch(/report-[12]|request-[12]/)
  })

  test('fails, without a word of the foreign row, where the first wall is missing', async () => {
    const failed = await query(withoutFirstWall(fixture.database), OWN).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(ForeignRowError)
    expect(String(failed)).not.toMatch(/acc_|report-|request-/)
  })
})

/** A page that looks for what hardly any row has reads no more when the account is older, counted in buffers of Postgres. */
import type { Database, Queryable, Statement } from '@cupel/postgres'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openFixture, type Fixture } from './fixture.js'
import { listAuditEntries } from '@cupel/audit/read-model'
import { listReports } from '@cupel/reports/read-model'
import type { Tenant } from '@cupel/projections'

const OWN: Tenant = { accountId: 'acc_own', livemode: true }
const SANDBOX: Tenant = { ...OWN, livemode: false }
const PAGE = { pageSize: 20, after: null }
const ROWS = Number(process.env['CUPEL_TEST_GROWN_ROWS'] ?? 10_000)
/** About as many as one search of rows without a look-up reads. */
const MOST_BUFFERS = 5_500
/** The levels of an index and the pages of some rows. */
const FEW_BUFFERS = 100

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
})
afterEach(() => fixture.close())

/** Every report has a case and every second call is a screen, but for the oldest; no call of the sandbox is one. */
async function grow(): Promise<void> {
  const own = `'${OWN.accountId}', true`
  const at = `now() - (${ROWS} - i) * interval '1 second'`
  const id = `lpad(to_hex(i), 16, '0')`
  for (const statement of [
    `INSERT INTO report_view.report (report_id, account_id, livemode, state, level, document, ended_at, log_partition, log_offset)
     SELECT ${id}, ${own}, 'generated', 'grey', '{}', ${at}, 0, i FROM generate_series(0, ${ROWS - 1}) AS i`,
    `INSERT INTO case_view.report_case SELECT ${id}, ${own}, 'cleared', 0 FROM generate_series(1, ${ROWS - 1}) AS i`,
    `INSERT INTO audit_view.entry
     SELECT ${id}, ${own}, 'key', 'read-only', '', 'POST', '/v1/screen', CASE WHEN i = 0 THEN 404 ELSE 200 END, '', '[]', 1, ${at}, '',
       CASE WHEN i % 2 = 1 THEN ${id} END, i % 2 = 0 FROM generate_series(0, ${ROWS - 1}) AS i`,
    `INSERT INTO audit_view.entry SELECT 's' || request_id, account_id, false, key_id, scope, client_address, method, '/v1/chains', status, code,
       subject_ids, latency_ms, at, actor, NULL, true FROM audit_view.entry`,
  ])
    await fixture.database.execute(statement)
  for (const table of ['report_view.report', 'case_view.report_case', 'audit_view.entry'])
    await fixture.database.execute(`VACUUM ANALYZE ${table}`)
}

/** Runs each read once more under EXPLAIN and adds its buffers. */
function counting(database: Database, counted: (buffers: number) => void): Queryable {
  return {
    ...database,
    async query(statement, values) {
      const { text }: Statement = typeof statement === 'string' ? { text: statement } : statement
      if (/ FROM /.test(text)) {
        const explain = `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`
        const [row] = await database.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
          explain,
          values,
        )
        const { Plan } = row!['QUERY PLAN'][0]
        counted(Plan['Shared Hit Blocks']! + Plan['Shared Read Blocks']!)
      }
      return await database.query(statement, values)
    },
  }
}

interface Searched {
  readonly next: unknown
  readonly items: readonly unknown[]
}

/** Buffers of each page until the one that has the oldest row. */
async function pagesOf(
  read: (database: Queryable, after: never) => Promise<Searched>,
): Promise<readonly number[]> {
  const pages: number[] = []
  let after: unknown = null
  do {
    let buffers = 0
    const page = await read(
      counting(fixture.database, (more) => (buffers += more)),
      after as never,
    )
    pages.push(buffers)
    if (page.items.length > 0) return pages
    after = page.next
  } while (after !== null)
  throw new Error('The oldest row was not found')
}

test('each page of reports without a case, and of calls with a problem, reads a bounded number of buffers until the oldest is found', async () => {
  await grow()
  const reports = await pagesOf((database, after) =>
    listReports(database, { ...OWN, ...PAGE, filter: { disposition: 'none' }, after }),
  )
  const [calls, others] = await Promise.all(
    [OWN, SANDBOX].map((tenant) =>
      pagesOf((database, after) =>
        listAuditEntries(database, { ...tenant, ...PAGE, problemsOnly: true, after }),
      ),
    ),
  )
  const [ofReports, ofCalls, ofOthers] = [reports, calls!, others!].map((pages) => Math.max(...pages))
  expect(ofReports).toBeLessThanOrEqual(MOST_BUFFERS)
  expect(ofCalls).toBeLessThanOrEqual(MOST_BUFFERS)
  expect(ofOthers).toBeLessThanOrEqual(FEW_BUFFERS)
})

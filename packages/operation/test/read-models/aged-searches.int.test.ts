/** A page that looks for what hardly any row has reads no more when the account is older, counted in buffers of Postgres. */
import type { Database, Queryable, Statement } from '@cupel/postgres'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openFixture, type Fixture } from './fixture.js'
import { listAuditEntries } from '@cupel/audit/read-model'
import { searchLabels } from '@cupel/labels/read-model'
import { listReports } from '@cupel/reports/read-model'
import type { Tenant } from '@cupel/projections'

const OWN: Tenant = { accountId: 'acc_own', livemode: true }
const SANDBOX: Tenant = { ...OWN, livemode: false }
const PAGE = { pageSize: 20, after: null }
const ROWS = Number(process.env['CUPEL_TEST_GROWN_ROWS'] ?? 10_000)
/** About as many as one search of rows without a look-up reads. */
const MOST_BUFFERS = 5_500
/** The levels of the indexes by which a label, its publication and its end are found, and their rows. */
const FEW_BUFFERS_OF_LABEL = 12
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

type LabelPage = Awaited<ReturnType<typeof searchLabels>>
const LABELS = 5_000
const ANY_LABEL = { lookupKeys: null, source: null, dataset: null, category: null, entity: null }

/** Labels of one publication. Every second one has ended, and the last one is of a category of its own. */
async function growLabels(): Promise<void> {
  for (const statement of [
    `INSERT INTO label_view.publication (label_set_seq, import_id, kind, source, dataset, sha256, published_at, historical, appended,
       authority_origin, whole, replaces, list, version_of, rows, based_on_seq, lost_designations, total, added, unchanged, retired, refused,
       imported_by, refresh_configured, log_offset)
     SELECT i, 'imp_' || i, 'published', 'src', 'set', '', '2026-11-20T00:00:00.000Z', false, false, '', false, '[]', '', '[]',
       '{}', 0, 0, 1, 1, 0, 0, 0, 'test', false, i FROM generate_series(1, 2) AS i`,
    `INSERT INTO label_view.label (import_id, label_id, source, dataset, chain, address, canonical_address, lookup_key, category, subcategory,
       role, entity, origin, kind, confidence_ppm, source_url, log_offset)
     SELECT 'imp_1', lpad(i::text, 6, '0'), 'src', 'set', 'ETH', '', '', 'evm:' || i, CASE WHEN i = ${LABELS} THEN 'mixer' ELSE 'scam' END, '',
       'owner', 'Fund ' || i, 'o', 'crowd', 1, '', i FROM generate_series(1, ${LABELS}) AS i`,
    `INSERT INTO label_view.retirement SELECT label_id, 'imp_2', '2026-11-21', ${LABELS} + 1 FROM label_view.label WHERE log_offset % 2 = 0`,
  ])
    await fixture.database.execute(statement)
  for (const table of ['label', 'publication', 'retirement'])
    await fixture.database.execute(`VACUUM ANALYZE label_view.${table}`)
}

test.each([
  ['all', ANY_LABEL],
  ['those of a list', { ...ANY_LABEL, source: 'src' }],
  ['those whose owner has a name that begins so', { ...ANY_LABEL, entity: 'fund' }],
])('of %s, a page of labels reads no more than it shows, and the next one too', async (_, search) => {
  await growLabels()
  let buffers = 0
  const database = counting(fixture.database, (more) => (buffers += more))
  const page = async (after: LabelPage['next']): Promise<LabelPage> => {
    buffers = 0
    const found = await searchLabels(database, search, { pageSize: PAGE.pageSize, after })
    expect(found.items).toHaveLength(PAGE.pageSize)
    expect(buffers).toBeLessThanOrEqual(PAGE.pageSize * FEW_BUFFERS_OF_LABEL)
    return found
  }
  await page((await page(null)).next)
})

test('what few labels have is found on a later page, and no page gives the process more rows than it shows', async () => {
  await growLabels()
  const rows: number[] = []
  const database: Queryable = {
    ...fixture.database,
    async query(statement, values) {
      const found = await fixture.database.query(statement, values)
      rows.push(found.length)
      return found as never
    },
  }
  const search = { ...ANY_LABEL, category: 'mixer' }
  const pages: (readonly string[])[] = []
  let after: LabelPage['next'] = null
  do {
    const page = await searchLabels(database, search, { pageSize: 2, after })
    pages.push(page.items.map(({ labelId }) => labelId))
    after = page.next
  } while (after !== null)
  expect(pages).toEqual([[], [], [String(LABELS).padStart(6, '0')]])
  await searchLabels(database, ANY_LABEL, { pageSize: 2, after: null })
  // The place of the last label that was looked at; the page and the label after it.
  expect(rows).toEqual([1, 1, 1, 3])
})

test('a label that several keys find is on a page once', async () => {
  await growLabels()
  await fixture.database.execute(`INSERT INTO label_view.label_key VALUES ('part:1', 'imp_1', '000001')`)
  const search = { ...ANY_LABEL, lookupKeys: ['evm:1', 'part:1'] }
  const { items, next } = await searchLabels(fixture.database, search, { pageSize: 1, after: null })
  expect([items.map(({ labelId }) => labelId), next]).toEqual([['000001'], null])
})

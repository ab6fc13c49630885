/**
 * Several times a second the coordinator looks at the watches. It reads only those that are pending or due, even with statistics
 * from a time when all were pending.
 */
import { until } from '@cupel/testkit'
import { listDueWatches, lookAtWatches, lookForNews, settleWatches } from '@cupel/watches'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { addresses, openInstallation, type Installation } from './installation.js'
import { watch } from './watching.js'

const WATCHED = 20_000
const PENDING = 20
const LIMIT = 500
/** Server processes plan a named statement anew five times and may then keep one plan. */
const LOOKS = 12
const SCORER = '1.0.0'

let installation: Installation
beforeEach(async () => {
  installation = await openInstallation()
})
afterEach(() => installation.close())

test.each([
  ['pending', `pending_report_id = 'next ' || watch_id`],
  ['due', `due_at = now()`],
])(
  'statistics of a moment when all were %s let no look read every watch and report',
  async (_moment, all) => {
    const { database } = installation
    for (let from = 0; from < WATCHED; from += 1_000)
      await watch(installation, addresses(WATCHED).slice(from, from + 1_000))
    await database.execute(
      `INSERT INTO report_view.report (report_id, account_id, livemode, state, address, canonical_address, chain, level, score, document,
       ended_at, log_partition, log_offset)
     SELECT 'told ' || watch_id, account_id, livemode, 'generated', address, canonical_address, chain, 'green', 0, '{}', now(), 0, 0
     FROM watches.watch`,
    )
    await database.execute(
      `UPDATE watches.watch SET ${all}, told_report_id = 'told ' || watch_id, told_level = 'green', told_score = 0`,
    )
    await database.execute('ANALYZE watches.watch')
    await database.execute('ANALYZE report_view.report')
    await database.execute(
      `WITH few AS (SELECT watch_id FROM watches.watch ORDER BY watch_id LIMIT $1)
     UPDATE watches.watch SET due_at = NULL,
       pending_report_id = CASE WHEN watch_id IN (SELECT watch_id FROM few) THEN 'next ' || watch_id END`,
      [PENDING],
    )
    await database.execute(
      `UPDATE watches.watch SET due_at = now()
     WHERE watch_id IN (SELECT watch_id FROM watches.watch ORDER BY watch_id DESC LIMIT 3)`,
    )

    await lookForNews(database, SCORER)
    const before = await wholeScans()
    for (let look = 0; look < LOOKS; look += 1) {
      expect(await lookAtWatches(database, SCORER)).toEqual({ hasNews: false, hasDue: true, hasEnded: false })
      expect(await listDueWatches(database, LIMIT)).toHaveLength(3)
      const settled = await settleWatches(database, { limit: LIMIT, splitChanges: () => Promise.resolve([]) })
      expect(settled).toEqual({ settled: 0, changed: 0 })
    }
    await database.execute(
      `INSERT INTO report_view.report (report_id, account_id, livemode, state, address, canonical_address, chain, level, score, document,
       ended_at, log_partition, log_offset)
     SELECT pending_report_id, account_id, livemode, 'generated', address, canonical_address, chain, 'green', 0, '{}', now(), 0, 0
     FROM watches.watch WHERE pending_report_id IS NOT NULL ORDER BY pending_report_id LIMIT $1`,
      [PENDING],
    )
    for (let look = 0; look < LOOKS; look += 1)
      expect(await lookAtWatches(database, SCORER)).toMatchObject({ hasDue: true, hasEnded: true })
    expect(await settleWatches(database, { limit: LIMIT, splitChanges: () => Promise.resolve([]) })).toEqual({
      settled: PENDING,
      changed: 0,
    })
    expect(await wholeScans()).toEqual(before)
    // The counters work: they show a look at every row.
    await database.query('SELECT count(*) FROM watches.watch WHERE failures >= 0')
    await until(async () => expect(await wholeScans()).not.toEqual(before))
  },
)

/** Returns the number of whole-table reads so far, by table. Each server process reports its counts before it answers. */
async function wholeScans(): Promise<Record<string, number>> {
  // Other connections report theirs within a second.
  const { database } = installation
  await database.query('SELECT pg_sleep(1.1)')
  await database.query('SELECT pg_stat_force_next_flush()')
  const rows = await database.query<{ name: string; scans: number }>(
    `SELECT schemaname || '.' || relname AS name, seq_scan::int4 AS scans FROM pg_stat_all_tables
     WHERE (schemaname, relname) IN (('watches', 'watch'), ('report_view', 'report'))`,
  )
  return Object.fromEntries(rows.map(({ name, scans }) => [name, scans]))
}

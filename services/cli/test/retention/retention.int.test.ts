/** A month counts as kept by an archive only if the archive is whole and gives every report of it with the same bytes. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reportPartition, topicOf, type ReportGenerated } from '@cupel/contracts'
import { until } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDecided, type Decided } from '../decided.js'
import { SANCTIONED } from '../some-labels.js'
import { monthBefore } from '@cupel/archive/commands'
import { giveLeaves } from './leaves.js'

const MONTH = '2024-01'
const REFUSED = 'The archive is refused, see below.'
let decided: Decided
let archive: string
let first: ReportGenerated
beforeEach(async () => {
  decided = await openDecided({ signs: true })
  archive = join(decided.folder, 'archive')
  await decided.importLabels('sdn', [SANCTIONED.row])
  first = await decided.screen(SANCTIONED.address, 'ETH')
  await decided.screen(SANCTIONED.address, 'ETH', false)
  await decided.appendFailure('622f9400217f0c00')
  await until(async () => expect(await rows()).toBe(3))
  await until(async () =>
    expect(await decided.log.endOffset(topicOf('SigningKeyPublished'), 0)).toBeGreaterThan(0),
  )
  await giveLeaves(decided)
  expect((await decided.cupel('archive', 'create', archive)).error).toBeNull()
  await decided.database.execute(`UPDATE report_view.report SET ended_at = '2024-01-31T23:59:59Z'`)
})
afterEach(() => decided.close())

const rows = async (): Promise<number> =>
  (
    await decided.database.query<{ rows: number }>('SELECT count(*)::int4 AS rows FROM report_view.report')
  )[0]!.rows

async function plan(...options: string[]) {
  const { out, error, exitCode } = await decided.cupel('retention', 'plan', archive, '--json', ...options)
  expect(error).toBeNull()
  const { months, refusals } = JSON.parse(out) as {
    months: readonly { month: string; reports: number; archived: number; kept: string | null }[]
    refusals: readonly string[]
  }
  const told = months.map(({ month, reports, archived, kept }) => [month, reports, archived, kept])
  return { told, refusals, exitCode: exitCode ?? 0 }
}

test('live, sandbox and failed screens that the archive has are kept there; a later one is not', async () => {
  expect(await plan()).toEqual({ told: [[MONTH, 3, 3, null]], refusals: [], exitCode: 0 })
  const { reportId } = await decided.screen(SANCTIONED.address, 'ETH')
  await until(async () => expect(await rows()).toBe(4))
  expect(await plan()).toMatchObject({ told: [[MONTH, 3, 3, null]] })
  await decided.database.execute(
    `UPDATE report_view.report SET ended_at = '2024-01-01T00:00:00Z' WHERE report_id = $1`,
    [reportId],
  )
  const told = [[MONTH, 4, 3, '1 of its reports are not in the archive: run `cupel archive create`.']]
  expect(await plan()).toEqual({ told, refusals: [], exitCode: 0 })
  // The archive has it, and no tree head that the archive names has a leaf of it.
  expect((await decided.cupel('archive', 'create', archive)).error).toBeNull()
  expect((await plan()).told).toEqual([
    [
      MONTH,
      4,
      4,
      '1 of its reports are behind the signed tree head of the archive: run `cupel archive create`.',
    ],
  ])
  await giveLeaves(decided)
  // A manifest is written only where records are new.
  await decided.appendFailure('622f9400217f0c01')
  expect((await decided.cupel('archive', 'create', archive)).error).toBeNull()
  expect((await plan()).told).toEqual([[MONTH, 4, 4, null]])
})

test('an archive without a tree head, or with one that the leaves here do not make, keeps every month here', async () => {
  const { database } = decided
  const other = await database.query<{ entry: string }>('SELECT entry FROM transparency.leaf WHERE index = 0')
  await database.execute('UPDATE transparency.leaf SET entry = $1 WHERE index = 1', [other[0]!.entry])
  const changed = await plan()
  expect(changed.told).toEqual([[MONTH, 3, 3, REFUSED]])
  expect(changed.refusals.join(' ')).toContain('Leaf 1 is another one in the database')
  for (const table of ['leaf', 'subtree', 'place', 'archive', 'log'])
    await database.execute(`DELETE FROM transparency.${table}`)
  const bare = join(decided.folder, 'bare')
  expect((await decided.cupel('archive', 'create', bare)).error).toBeNull()
  archive = bare
  const without = await plan()
  expect([without.told[0]![3], without.exitCode]).toEqual([REFUSED, 1])
  expect(without.refusals).toEqual([expect.stringContaining('names no signed tree head')])
})

test('a report whose row says something else keeps every month here', async () => {
  await decided.database.execute(
    `UPDATE report_view.report SET document = document || ' ' WHERE report_id = $1`,
    [first.reportId],
  )
  expect(await plan()).toEqual({
    told: [[MONTH, 3, 2, REFUSED]],
    refusals: [`The report ${first.reportId} is another one in the archive.`],
    exitCode: 1,
  })
})

test('a damaged archive keeps every month here', async () => {
  const folder = join(
    archive,
    'segments',
    topicOf('ReportGenerated'),
    String(reportPartition(first.reportId)),
  )
  const file = join(folder, readdirSync(folder)[0]!)
  const bytes = readFileSync(file)
  bytes[bytes.length - 20]! ^= 1
  writeFileSync(file, bytes)
  const { told, refusals, exitCode } = await plan()
  expect([told[0]![3], exitCode]).toEqual([REFUSED, 1])
  expect(refusals).toContainEqual(expect.stringContaining(folder.slice(archive.length + 1)))
})

test('the kept months are this one and as many whole ones as are named', () => {
  const now = new Date('2026-03-31T23:30:00Z')
  expect([0, 2, 3, 12].map((count) => monthBefore(now, count))).toEqual([
    '2026-03',
    '2026-01',
    '2025-12',
    '2025-03',
  ])
})

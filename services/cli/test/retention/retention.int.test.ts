/** A month counts as kept by an archive only if the archive is whole and gives every report of it with the same bytes. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reportPartition, topicOf, type ReportGenerated } from '@cupel/contracts'
import { createSigningKeys } from '@cupel/signing'
import { until } from '@cupel/testkit'
import { SIGNING_KEYS_FILE } from '@cupel/evidence/transparency'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDecided, type Decided } from '../decided.js'
import { SANCTIONED } from '../some-labels.js'
import { monthBefore } from '@cupel/archive/commands'

const MONTH = '2024-01'
let decided: Decided
let archive: string
let first: ReportGenerated
beforeEach(async () => {
  decided = await openDecided({ signs: true })
  createSigningKeys(join(decided.folder, SIGNING_KEYS_FILE))
  archive = join(decided.folder, 'archive')
  await decided.importLabels('sdn', [SANCTIONED.row])
  first = await decided.screen(SANCTIONED.address, 'ETH')
  await decided.screen(SANCTIONED.address, 'ETH', false)
  await decided.appendFailure('622f9400217f0c00')
  await until(async () => expect(await rows()).toBe(3))
  await until(async () =>
    expect(await decided.log.endOffset(topicOf('SigningKeyPublished'), 0)).toBeGreaterThan(0),
  )
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
    months: readonly { month: string; reports: number; archived: number; is_kept: boolean }[]
    refusals: readonly string[]
  }
  const told = months.map(({ month, reports, archived, is_kept }) => [month, reports, archived, is_kept])
  return { told, refusals, exitCode: exitCode ?? 0 }
}

test('live, sandbox and failed screens that the archive has are kept there; a later one is not', async () => {
  expect(await plan()).toEqual({ told: [[MONTH, 3, 3, true]], refusals: [], exitCode: 0 })
  const { reportId } = await decided.screen(SANCTIONED.address, 'ETH')
  await until(async () => expect(await rows()).toBe(4))
  expect(await plan()).toMatchObject({ told: [[MONTH, 3, 3, true]] })
  await decided.database.execute(
    `UPDATE report_view.report SET ended_at = '2024-01-01T00:00:00Z' WHERE report_id = $1`,
    [reportId],
  )
  expect(await plan()).toEqual({ told: [[MONTH, 4, 3, false]], refusals: [], exitCode: 0 })
})

test('a report whose row says something else keeps every month here', async () => {
  await decided.database.execute(
    `UPDATE report_view.report SET document = document || ' ' WHERE report_id = $1`,
    [first.reportId],
  )
  expect(await plan()).toEqual({
    told: [[MONTH, 3, 2, false]],
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
  expect([told[0]![3], exitCode]).toEqual([false, 1])
  expect(refusals).toEqual([expect.stringContaining(folder.slice(archive.length + 1))])
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

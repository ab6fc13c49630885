/** A retention that a timer repeats does what is due, or is red until it does. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reportPartition, topicOf } from '@cupel/contracts'
import { crashAt, until } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { callCupel, type Said } from '../command-line.js'
import { MONTH, openRetired, type Retired } from './retired.js'

const TOPIC = topicOf('ReportGenerated')
let own: Retired
/** Of the reports that are not of the old month. */
let kept: readonly string[]
beforeEach(async () => {
  own = await openRetired()
  kept = (await own.documents()).filter((id) => id !== own.old.reportId)
})
afterEach(() => own.close())

const cupel = (...args: string[]): Promise<Said> =>
  callCupel({ ...own.environment, CUPEL_RETENTION_ARCHIVE: own.archive }, args)
const run = (...options: string[]) =>
  cupel('retention', 'run', own.archive, '--keep-months', '1', '--reason', 'older', '--json', ...options)
const start = () => own.log.startOffset(TOPIC, reportPartition(own.old.reportId))
/** What is red about it. */
async function red(): Promise<readonly string[]> {
  const { out } = await cupel('status', '--json')
  const { standstills } = JSON.parse(out) as { standstills: { part: string; detail: string }[] }
  return standstills.filter(({ part }) => part === 'retention').map(({ detail }) => detail)
}

test('a run takes what is due without an accepted number and tells who and why, and the next one finds nothing', async () => {
  const first = await run('--log')
  expect([first.error, JSON.parse(first.out)]).toMatchObject([null, { taken: 1, records: 1 }])
  expect([await own.documents(), await start()]).toEqual([kept, 1])
  await until(async () =>
    expect(await own.retired()).toMatchObject([
      { month: MONTH, store: 'database', reason: 'older' },
      { month: MONTH, store: 'log', reason: 'older' },
    ]),
  )
  expect(JSON.parse((await run('--log')).out)).toMatchObject({ taken: 0, records: 0 })
  expect(await own.retired()).toHaveLength(2)
  expect(await red()).toEqual([])
})

test('a damaged archive is refused and red until a run does what is due, and so is a month that the archive lacks', async () => {
  const folder = join(...[own.archive, 'segments', TOPIC, String(reportPartition(own.old.reportId))])
  const file = join(folder, readdirSync(folder)[0]!)
  const whole = readFileSync(file)
  const damaged = Buffer.from(whole)
  damaged[damaged.length - 20]! ^= 1
  writeFileSync(file, damaged)
  expect((await run()).error).not.toBeNull()
  expect(await own.documents()).toHaveLength(3)
  expect(await red()).toEqual([
    expect.stringMatching(/^Runs of `cupel retention run .* are refused since 20.*Z: /),
  ])
  writeFileSync(file, whole)
  expect((await run()).error).toBeNull()
  expect(await red()).toEqual([])
  await own.appendOld()
  await until(async () => expect(await own.documents()).toHaveLength(3))
  expect(String((await run()).error)).toContain('of its reports are not in the archive')
  expect(await red()).toEqual([expect.stringContaining(`${MONTH}: 1 of its reports are not in the archive`)])
})

test('a run that never came again is red after 48 hours, until nobody expects it', async () => {
  expect((await run()).error).toBeNull()
  await own.database.execute(`UPDATE projection.retention_run SET done_at = now() - interval '49 hours'`)
  expect(await red()).toEqual([expect.stringMatching(/^No run of .* ended for 49 h\.$/)])
  expect((await cupel('retention', 'end', own.archive)).error).toBeNull()
  expect(await red()).toEqual([])
  expect((await cupel('retention', 'end', own.archive)).error).not.toBeNull()
})

test('runs that keep other months are watched by themselves: neither hides that the other one stopped or is refused', async () => {
  expect((await run()).error).toBeNull()
  const other = await cupel('retention', 'run', own.archive, '--keep-months', '600', '--reason', 'older')
  expect(other.error).toBeNull()
  await own.database.execute(
    `UPDATE projection.retention_run SET done_at = now() - interval '49 hours' WHERE keep_months = 1`,
  )
  expect(await red()).toEqual([expect.stringMatching(/--keep-months 1` ended for 49 h\.$/)])
  expect((await cupel('retention', 'end', own.archive, '--keep-months', '1')).error).toBeNull()
  expect(await red()).toEqual([])
  await own.database.execute(`UPDATE projection.retention_run SET done_at = now() - interval '49 hours'`)
  expect(await red()).toEqual([expect.stringMatching(/--keep-months 600` ended for 49 h\.$/)])
})

test('of two runs at once one does the work, and the other leaves nothing red', async () => {
  const both = await Promise.all([run('--log'), run('--log')])
  expect(both.filter(({ error }) => error === null).length).toBeGreaterThan(0)
  for (const { error } of both) if (error !== null) expect(String(error)).toContain('already under way')
  expect([await own.documents(), await start(), await red()]).toEqual([kept, 1, []])
  await until(async () => expect(await own.retired()).toHaveLength(2))
})

test.each([
  'retention.begin:1',
  'retention.documents:1',
  'retention.begin:2',
  'retention.cut:1',
  'retention.cut:2',
])('a run that dies before or after %s is gone on with by the next one, and told once', async (point) => {
  for (const side of ['before', 'after'])
    await crashAt(`${side}:${point}`, () => run('--log')).catch(() => undefined)
  expect((await run('--log')).error).toBeNull()
  expect([await own.documents(), await start(), await red()]).toEqual([kept, 1, []])
  await until(async () => expect(await own.retired()).toHaveLength(2))
  expect(await own.database.query('SELECT FROM projection.retired_month WHERE ended_at IS NULL')).toEqual([])
})

test('a clock that is ahead of the newest report makes no month due', async () => {
  // As if all reports were of the month before the newest one, and the clock had jumped.
  await own.database.execute(
    `UPDATE report_view.report SET ended_at = '2024-02-15T12:00:00Z' WHERE report_id <> $1`,
    [own.old.reportId],
  )
  expect(JSON.parse((await run()).out)).toMatchObject({ before: MONTH, taken: 0 })
  expect(await own.documents()).toHaveLength(3)
})

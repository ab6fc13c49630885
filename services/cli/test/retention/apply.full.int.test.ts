/** Retention takes only what an archive gives with the same bytes, and what it took is read, verified, rebuilt and proven as before. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reportPartition, topicOf } from '@cupel/contracts'
import { operator } from '@cupel/command-line/installation'
import { readProof } from '@cupel/evidence/transparency'
import { crashAt, until } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { giveLeaves } from './leaves.js'
import { MONTH, openRetired, type Retired } from './retired.js'

const REASON = ['--reason', 'older than a year']

let own: Retired
/** Of the reports that are not of the old month. */
let kept: readonly string[]
beforeEach(async () => {
  own = await openRetired()
  kept = (await own.documents()).filter((id) => id !== own.old.reportId)
})
afterEach(() => own.close())

const apply = (...options: string[]) =>
  own.cupel('retention', 'apply', own.archive, '--before', '2024-02', '--json', ...options)

const readAll = () => Promise.all([own.old, own.present].map((report) => own.read(report)))
const all = () => [own.old.report, own.present.report]

test('a dry run, a wrong number and a missing reason change nothing; the right number takes the documents, and who and why is told', async () => {
  for (const options of [[], ['--dry-run', '--accept', '1', ...REASON]]) {
    const { out, error } = await apply(...options)
    expect(error).toBeNull()
    expect(JSON.parse(out)).toMatchObject({ documents: 1, taken: null, refusals: [] })
  }
  for (const wrong of ['0', '2'])
    expect(String((await apply('--accept', wrong, ...REASON)).error)).toContain('1 documents may leave')
  expect(String((await apply('--accept', '1')).error)).toContain('--reason must say why')
  expect(await own.documents()).toHaveLength(3)
  expect(await own.retired()).toEqual([])

  const { out, error } = await apply('--accept', '1', ...REASON)
  expect(error).toBeNull()
  expect(JSON.parse(out)).toMatchObject({ documents: 1, taken: 1 })
  expect(await own.documents()).toEqual(kept)
  expect(await readAll()).toEqual(all())
  await until(async () =>
    expect(await own.retired()).toMatchObject([
      {
        ...{ month: MONTH, store: 'database', reports: 1, archive: own.archive, manifest: 1, cuts: [] },
        ...{ retired_by: operator(), reason: REASON[1] },
      },
    ]),
  )
  expect(JSON.parse((await apply()).out)).toMatchObject({ documents: 0 })
})

test('the log, every row, recomputation, a proof and a rebuild are right across the months that are gone', async () => {
  const recomputed = async () => {
    const { out, exitCode } = await own.cupel('audit', 'recompute', '--json')
    const { reports, levels, findings } = JSON.parse(out) as Record<string, unknown>
    return { exitCode, reports, levels, findings }
  }
  const { reportId, report: document } = own.old
  const before = {
    recomputed: await recomputed(),
    proof: await readProof(own.database, { reportId, document }),
  }
  expect(before).toMatchObject({ recomputed: { reports: 3 }, proof: { kind: 'proof' } })
  expect((await own.cupel('audit', 'verify')).exitCode).toBe(0)
  expect((await apply('--accept', '1', ...REASON)).error).toBeNull()
  await until(async () => expect(await own.retired()).toHaveLength(1))
  await giveLeaves(own)
  const verified = await own.cupel('audit', 'verify')
  expect(verified.exitCode, verified.out).toBe(0)
  expect(await recomputed()).toEqual(before.recomputed)
  expect(await readProof(own.database, { reportId, document: (await own.read(own.old))! })).toMatchObject({
    kind: 'proof',
  })
  const rebuilt = await own.json('audit', 'replay', '--target', 'report-view')
  expect(rebuilt).toMatchObject({ differences: 0, switched: true })
  expect(await own.documents()).toEqual(kept)

  // A document that is gone from a row of another month is found.
  await own.database.execute('UPDATE report_view.report SET document = NULL')
  const found = await own.cupel('audit', 'verify', '--json')
  expect(found.exitCode).toBe(1)
  const { problems } = JSON.parse(found.out) as { problems: { detail: string }[] }
  expect(problems.map(({ detail }) => detail)).toEqual(
    kept.map(
      (id) => `report_view.report has the row report_id=${id} with another document than the log states.`,
    ),
  )
})

test.each([
  'before:retention.begin:1',
  'after:retention.begin:1',
  'before:retention.documents:1',
  'after:retention.documents:1',
])(
  'a run that dies %s leaves every report readable, and the next one goes on and is told once',
  async (point) => {
    await crashAt(point, () => apply('--accept', '1', ...REASON))
    expect(await readAll()).toEqual(all())
    const { documents: left } = JSON.parse((await apply()).out) as { documents: number }
    expect(left).toBe(point.startsWith('after:retention.documents') ? 0 : 1)
    expect((await apply('--accept', String(left), ...REASON)).error).toBeNull()
    expect(await own.documents()).toEqual(kept)
    expect(await readAll()).toEqual(all())
    await until(async () => expect(await own.retired()).toHaveLength(1))
    const ended = await own.database.query(
      'SELECT month, ended_at IS NULL AS open FROM projection.retired_month',
    )
    expect(ended).toEqual([{ month: MONTH, open: false }])
  },
)

test('nothing leaves to a damaged archive, and no document that the archive does not have', async () => {
  const folder = join(
    ...[own.archive, 'segments', topicOf('ReportGenerated'), String(reportPartition(own.old.reportId))],
  )
  const file = join(folder, readdirSync(folder)[0]!)
  const whole = readFileSync(file)
  const damaged = Buffer.from(whole)
  damaged[damaged.length - 20]! ^= 1
  writeFileSync(file, damaged)
  const refused = await apply('--accept', '0', ...REASON)
  expect([refused.exitCode, (JSON.parse(refused.out) as { taken: number }).taken]).toEqual([1, 0])
  expect(String((await apply('--accept', '1', ...REASON)).error)).toMatch(
    /^.*0 documents may leave.*\n.*segments/,
  )
  writeFileSync(file, whole)
  await own.appendOld()
  await until(async () => expect(await own.documents()).toHaveLength(4))
  expect(JSON.parse((await apply()).out)).toMatchObject({
    documents: 0,
    months: [{ archived: 1, reports: 2 }],
  })
  expect(await own.documents()).toHaveLength(4)
})

test('documents that leave a month once more are told once more', async () => {
  expect((await apply('--accept', '1', ...REASON)).error).toBeNull()
  await own.appendOld()
  await until(async () => expect(await own.documents()).toHaveLength(3))
  await own.keep()
  expect((await apply('--accept', '1', ...REASON)).error).toBeNull()
  expect(await own.documents()).toEqual(kept)
  await until(async () => expect((await own.retired()).map(({ reports }) => reports)).toEqual([1, 2]))
  const months = await own.database.query(
    'SELECT reports, ended_at IS NULL AS open FROM projection.retired_month',
  )
  expect(months).toEqual([{ reports: 2, open: false }])
})

test('retention and a rebuild keep each other out', async () => {
  await own.database.withConnection(async (connection) => {
    const lock = `hashtextextended('cupel.rebuild.report-view', 0)`
    await connection.query(`SELECT pg_advisory_lock(${lock})`)
    for (const step of [[], ['--log']])
      expect(String((await apply(...step, '--accept', '1', ...REASON)).error)).toContain(
        'is already under way',
      )
    await connection.query(`SELECT pg_advisory_unlock(${lock})`)
  })
  expect(await own.documents()).toHaveLength(3)
})

test('a month that has not begun is refused', async () => {
  for (const month of ['2099-01', '2024-13', 'january'])
    expect(String((await own.cupel('retention', 'apply', own.archive, '--before', month)).error)).toContain(
      '--before needs a month that has begun',
    )
})

test('a row of the outbox that the log does not state hides no lost document', async () => {
  // Whoever can write to the database could do so.
  await own.database.execute('UPDATE report_view.report SET document = NULL')
  const event = { type: 'MonthRetired', data: { month: MONTH, store: 'database' }, envelope: { id: 'made' } }
  await own.database.execute(`INSERT INTO projection.outbox (topic, key, event) VALUES ('made', $1, $2)`, [
    MONTH,
    JSON.stringify(event),
  ])
  const found = await own.cupel('audit', 'verify', '--json')
  expect(found.exitCode).toBe(1)
  expect(found.out).toContain(`The retirement of ${MONTH} is not in the log yet`)
  const rebuilt = await own.cupel('audit', 'replay', '--target', 'report-view')
  expect(String(rebuilt.error)).toContain('Start the projector')
})

/** After the cut of the log everything is read, verified, recomputed, proven and built anew as before, from the archive that has what was cut. */
import { rename } from 'node:fs/promises'
import { reportPartition, silentLogger, topicOf } from '@cupel/contracts'
import { parseAddress, screenedAddress } from '@cupel/domain'
import { LogUnavailableError, openAuthenticLog, type EventLog } from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { createPastSource, screenAsOf } from '@cupel/evidence/proofs'
import { readProof, recordedLeafReader } from '@cupel/evidence/transparency'
import { readModelGroup } from '@cupel/projections'
import { reportView } from '@cupel/reports/read-model'
import { withArchivedFront } from '@cupel/operation/connections'
import { loadConfig } from '@cupel/kit/service'
import { crashAt, until } from '@cupel/testkit'
import { testRecordKeys } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { callCupel, type Said } from '../command-line.js'
import { SANCTIONED } from '../some-labels.js'
import { openRetired, type Retired } from './retired.js'

const REASON = ['--reason', 'older than a year']
const TOPIC = topicOf('ReportGenerated')

let own: Retired
beforeEach(async () => {
  own = await openRetired()
})
afterEach(() => own.close())

const settings = () => ({ ...own.environment, CUPEL_RETENTION_ARCHIVE: own.archive })
/** A command that knows the archive. */
const cupel = (...args: string[]): Promise<Said> => callCupel(settings(), args)
const apply = (...options: string[]) =>
  cupel('retention', 'apply', own.archive, '--before', '2024-02', '--json', ...options)
const takeDocuments = async () => expect((await apply('--accept', '1', ...REASON)).error).toBeNull()
const cutRecords = async () => expect((await apply('--log', '--accept', '1', ...REASON)).error).toBeNull()
const start = () => own.log.startOffset(TOPIC, reportPartition(own.old.reportId))

/** The log as a service with CUPEL_RETENTION_ARCHIVE opens it. */
async function openWhole() {
  const { database } = own
  const bare = openEmbeddedLog({ database })
  const log = withArchivedFront(bare, { config: loadConfig(settings()), database })
  const whole = await openAuthenticLog({ log, database, keys: testRecordKeys, logger: silentLogger })
  own.onClose(() => whole.close())
  return whole
}

test('the log is cut only after the database, when everybody has read so far, and with an archive that every reader knows', async () => {
  const early = await apply('--log')
  expect(early.exitCode).toBe(1)
  expect(JSON.parse(early.out)).toMatchObject({
    refusals: ['2024-01: 1 documents are still in the database: they leave first.'],
    is_cut: false,
  })
  await takeDocuments()
  const unnamed = await callCupel(own.environment, [
    'retention',
    'apply',
    own.archive,
    '--before',
    '2024-02',
    '--log',
  ])
  expect(String(unnamed.error)).toContain('CUPEL_RETENTION_ARCHIVE must name')
  await own.database.execute(
    `INSERT INTO projection.checkpoint (group_name, topic, partition, next, log) VALUES ('slow', $1, $2, 0, $3)`,
    [TOPIC, reportPartition(own.old.reportId), await own.log.identity()],
  )
  const slow = await apply('--log', '--accept', '1', ...REASON)
  expect((JSON.parse(slow.out) as { refusals: string[] }).refusals).toEqual([
    expect.stringContaining('and the group slow ends at 0.'),
  ])
  await own.database.execute(`DELETE FROM projection.checkpoint WHERE group_name = 'slow'`)
  expect(JSON.parse((await apply('--log')).out)).toMatchObject({ refusals: [], records: 1, is_cut: false })
  expect(String((await apply('--log', '--accept', '2', ...REASON)).error)).toContain('1 records may leave')
  expect(await start()).toBe(0)
  await cutRecords()
  expect(await start()).toBe(1)
  expect(JSON.parse((await apply('--log')).out)).toMatchObject({ records: 0, cuts: [] })
})

test('old reports, the whole log, recomputation, proofs and a rebuild are right across the cut', async () => {
  await takeDocuments()
  await until(async () => expect(await own.retired()).toHaveLength(1))
  await own.keep()
  const recomputed = async () => {
    const { out, exitCode } = await cupel('audit', 'recompute', '--json')
    const { reports, levels, findings, missing_fronts: fronts } = JSON.parse(out) as Record<string, unknown>
    return { exitCode, reports, levels, findings, fronts }
  }
  const leafOf = async (log: Parameters<typeof recordedLeafReader>[0]['log']) =>
    await recordedLeafReader({ ...own, log })({
      topic: TOPIC,
      partition: reportPartition(own.old.reportId),
      offset: 0,
    })
  const before = { recomputed: await recomputed(), leaf: await leafOf(own.log) }
  expect(before.recomputed).toMatchObject({ reports: 3 })
  await cutRecords()
  const whole = await openWhole()
  expect(await own.read(own.old, whole)).toBe(own.old.report)
  expect(await own.read(own.present, whole)).toBe(own.present.report)
  expect(await recomputed()).toEqual(before.recomputed)
  expect(await leafOf(whole)).toEqual(before.leaf)
  const { reportId, report: document } = own.old
  expect(await readProof(own.database, { reportId, document })).toMatchObject({ kind: 'proof' })
  await until(async () => expect(await own.retired()).toHaveLength(2))
  await own.keep()
  const verified = await cupel('audit', 'verify')
  expect(verified.exitCode, verified.out).toBe(0)
  const rebuilt = await cupel('audit', 'replay', '--target', 'report-view', '--json')
  expect(rebuilt.error).toBeNull()
  expect(JSON.parse(rebuilt.out)).toMatchObject({ differences: 0, switched: true })
})

test('a screen as of a moment before the cut gives the report of that moment', async () => {
  await takeDocuments()
  const parsed = parseAddress(SANCTIONED.address, 'ETH')
  if (!parsed.ok) throw new Error(parsed.detail)
  const { accountId, livemode, customerReference, candidateChains, generatedAt: asOf } = own.present
  const of = { ...screenedAddress(parsed), candidateChains, accountId, livemode, customerReference, asOf }
  const screened = async (log: EventLog) => {
    const { codec, database } = own
    return await screenAsOf(createPastSource({ log, codec, database }), of, () => null)
  }
  const before = await screened(own.log)
  expect(before).toMatchObject({ asOf, report: { risk: { level: own.present.level } } })
  await cutRecords()
  expect(await screened(await openWhole())).toEqual(before)
})

test('a database from before the cut is filled from the archive', async () => {
  await takeDocuments()
  await cutRecords()
  // As its rows and its position were then.
  const { database } = own
  const partition = reportPartition(own.old.reportId)
  await database.transaction({ at: 'test' }, async (transaction) => {
    await transaction.execute('DELETE FROM report_view.report WHERE log_partition = $1', [partition])
    await transaction.execute(
      'UPDATE projection.checkpoint SET next = 0 WHERE group_name = $1 AND topic = $2 AND partition = $3',
      [readModelGroup(reportView), TOPIC, partition],
    )
    await transaction.execute('DELETE FROM projection.retired_month')
  })
  const rebuilt = await cupel('audit', 'replay', '--target', 'report-view', '--json')
  expect(JSON.parse(rebuilt.out)).toMatchObject({ differences: 0, switched: true })
  expect(await own.documents()).toHaveLength(3)
  await takeDocuments()
  expect(await own.documents()).not.toContain(own.old.reportId)
  expect(await own.read(own.old, await openWhole())).toBe(own.old.report)
})

test('a group whose checkpoint is from before the cut gets every record once, from the archive and then from the log', async () => {
  await takeDocuments()
  await cutRecords()
  const whole = await openWhole()
  const partition = reportPartition(own.old.reportId)
  const identity = await whole.identity()
  const given: string[] = []
  const stopped: unknown[] = []
  let next = 0
  const follow = (log: EventLog) =>
    log.subscribe({
      ...{ group: `late-${String(next)}`, topics: [TOPIC], maxBatchRecords: 10, concurrency: 1 },
      reads: (place) => place.partition === partition,
      checkpoint: () => Promise.resolve({ next, log: identity }),
      handle: ({ records, firstOffset, nextOffset }) => {
        expect(firstOffset).toBe(next)
        given.push(...records.map(({ key }) => key))
        next = nextOffset
        return Promise.resolve(undefined)
      },
      onStopped: (error) => void stopped.push(error.reason),
      onRetry: (error) => void stopped.push(error),
    })
  const bare = await follow(own.log)
  await until(() => expect(stopped.splice(0)).toEqual(['truncated-log']))
  await bare.stop()
  const subscription = await follow(whole)
  await until(async () => expect(next).toBe(await own.log.endOffset(TOPIC, partition)))
  await subscription.stop()
  expect(given).toEqual(expect.arrayContaining([own.old.reportId, own.present.reportId]))
  expect([new Set(given).size, stopped]).toEqual([given.length, []])
})

test('without the archive nothing is taken for whole: reads say so, and rebuild and verification stop', async () => {
  await takeDocuments()
  await cutRecords()
  const says = /was cut from the log: CUPEL_RETENTION_ARCHIVE must name/
  await expect(own.read(own.old, own.log)).rejects.toThrow(says)
  expect(await own.read(own.present, own.log)).toBe(own.present.report)
  expect((await own.cupel('audit', 'verify')).exitCode).toBe(1)
  expect(String((await own.cupel('audit', 'replay', '--target', 'report-view')).error)).toContain(
    'were deleted',
  )
  const [whole, opened] = [await openWhole(), await openWhole()]
  expect(await opened.startOffset(TOPIC, reportPartition(own.old.reportId))).toBe(0)
  await rename(own.archive, `${own.archive}-away`)
  await expect(own.read(own.old, whole)).rejects.toThrow(says)
  await expect(own.read(own.old, opened)).rejects.toBeInstanceOf(LogUnavailableError)
  await rename(`${own.archive}-away`, own.archive)
  expect(await own.read(own.old, opened)).toBe(own.old.report)
  expect(await own.read(own.old, await openWhole())).toBe(own.old.report)
})

test.each([
  'before:retention.begin:1',
  'after:retention.begin:1',
  'before:retention.cut:1',
  'after:retention.cut:1',
  'before:retention.cut:2',
  'after:retention.cut:2',
])('a cut that dies %s is gone on with, and told once', async (point) => {
  await takeDocuments()
  await crashAt(point, () => apply('--log', '--accept', '1', ...REASON))
  const whole = await openWhole()
  expect(await own.read(own.old, whole)).toBe(own.old.report)
  const { records } = JSON.parse((await apply('--log')).out) as { records: number }
  expect((await apply('--log', '--accept', String(records), ...REASON)).error).toBeNull()
  expect(await start()).toBe(1)
  expect(await own.read(own.old, whole)).toBe(own.old.report)
  await until(async () => expect(await own.retired()).toHaveLength(2))
  const open = await own.database.query('SELECT FROM projection.retired_month WHERE ended_at IS NULL')
  expect(open).toEqual([])
})

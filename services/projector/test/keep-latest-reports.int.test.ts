/** The topic of the latest reports: after any repeat, delay, kill or double, the last record of a key is its latest report. */
import { derivedTopicGroups, topicOf } from '@cupel/contracts'
import { LogUnavailableError, type EventLog, type NewRecord } from '@cupel/event-log'
import { fileURLToPath } from 'node:url'
import { forgetCheckpoints } from '@cupel/projections'
import { readModels } from '@cupel/operation/read-models'
import { reportView } from '@cupel/reports/read-model'
import { until } from '@cupel/testkit'
import { diesAt, openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keepLatestReports, type LatestReports } from '@cupel/reports/worker'
import {
  eraseAccount,
  erasureEvent,
  expectedLatest,
  isSettled,
  lastOfKeys,
  latestRecords,
  reportEvent,
  type LatestRecord,
  type MadeReport,
} from './latest-reports.js'

let installation: TestInstallation
beforeAll(async () => {
  const directory = fileURLToPath(new URL('../../../packages/personal-data/src/sql', import.meta.url))
  installation = await openTestInstallation({
    readModels,
    migrations: [{ owner: 'personal-data', directory }],
  })
  installation.run(reportView)
})
afterAll(() => installation.close())

let accounts = 0
const nextAccount = (): string => `acc_${(accounts += 1)}`
let reports = 0
const nextId = (): string => (reports += 1).toString(16).padStart(16, '0')

function made(more: Partial<MadeReport> = {}): MadeReport {
  return {
    ...{ reportId: nextId(), livemode: true, accountId: 'acc_1', address: '0xaa', chain: 'ETH', score: 1 },
    generatedAt: '2026-11-21T09:00:00.000Z',
    ...more,
  }
}

const append = (...all: readonly MadeReport[]): Promise<void> => installation.append(...all.map(reportEvent))

const diesKeeping = (point: string): Promise<void> =>
  diesAt(installation.connectionString, point, ({ fail, ...deps }) =>
    keepLatestReports({ ...deps, restMs: 5, onStopped: (error) => fail('stopped', error) }),
  )

function keep(log: EventLog = installation.log): LatestReports {
  return keepLatestReports({
    ...installation.deps,
    log,
    restMs: 5,
    onStopped: (error) => expect(error).toBe(null),
  })
}

async function withKeeper(work: () => Promise<void>, log?: EventLog): Promise<void> {
  const keeper = keep(log)
  try {
    await work()
  } finally {
    await keeper.stop()
  }
}

const settled = (): Promise<void> => until(async () => expect(await isSettled(installation)).toBe(true))

/** Checks the final state of the topic for the accounts of these reports. */
async function expectLatestOf(appended: readonly MadeReport[]): Promise<void> {
  const own = new Set(appended.map(({ accountId }) => accountId))
  const said = [...(await lastOfKeys(installation))].filter(([key]) => own.has(key.split(/[ /]/)[1]!))
  const expected = [...expectedLatest(appended)]
  expect(
    new Map(
      said.map(([key, event]) => [key, [event?.data.reportId, event?.data.generatedAt, event?.data.score]]),
    ),
  ).toEqual(
    new Map(expected.map(([key, { reportId, generatedAt, score }]) => [key, [reportId, generatedAt, score]])),
  )
}

/** Returns the records of an account, in the order of each partition. */
async function recordsOf(accountId: string) {
  const records = await latestRecords(installation)
  return records.filter(({ record }) => record.key.startsWith(`${accountId}/`))
}

test('a record says what the report says, and no word of the customer', async () => {
  const accountId = nextAccount()
  const live = made({ accountId, score: 92.4 })
  const sandbox = made({ accountId, livemode: false })
  await append(live, sandbox)
  await withKeeper(settled)
  const found = await recordsOf(accountId)
  expect(found.map(({ record: { topic, key } }) => [topic, key])).toEqual([
    ['screening.latest-report.events.v1', `${accountId}/ETH/0xaa`],
    ['sandbox.screening.latest-report.events.v1', `${accountId}/ETH/0xaa`],
  ])
  const [place] = (await installation.records(topicOf('ReportGenerated'))).filter(
    ({ key }) => key === live.reportId,
  )
  expect(found[0]!.event!.data).toEqual({
    ...{ accountId, livemode: true, chain: 'ETH', canonicalAddress: '0xaa', address: '0XAA' },
    ...{ reportId: live.reportId, level: 'red', score: 92.4, generatedAt: live.generatedAt, jobId: null },
    ...{ reportPartition: place!.partition, reportOffset: place!.offset },
  })
  expect(JSON.stringify(found.map(({ event }) => event))).not.toContain('of a customer')
})

test('a report that is older than the latest is not appended, and neither is a later record with the id of one', async () => {
  const accountId = nextAccount()
  const [first, latest] = [made({ accountId }), made({ accountId, generatedAt: '2026-11-21T10:00:00.000Z' })]
  const late = { ...first, generatedAt: '2026-11-21T11:00:00.000Z', score: 2 }
  await withKeeper(async () => {
    await append(latest)
    await settled()
    await append(first, late)
    await settled()
  })
  const found = await recordsOf(accountId)
  expect(found.map(({ event }) => event!.data.reportId)).toEqual([latest.reportId])
})

/** The fate of an append: it is acknowledged, or it fails for its process and the log holds it later, or twice. */
type Fate = 'acknowledged' | 'late' | 'doubled'

function shakyLog(fates: readonly Fate[]): { readonly log: EventLog; land(): Promise<void> } {
  const waiting: (readonly NewRecord[])[] = []
  let turn = 0
  const log: EventLog = {
    ...installation.log,
    async append(at, records) {
      if (at !== 'latest-reports.append' || records.length === 0)
        return await installation.log.append(at, records)
      const fate = fates[turn++]
      if (fate === 'late' || fate === 'doubled') waiting.push(records)
      if (fate === 'late') throw new LogUnavailableError('an append of the test is late')
      return await installation.log.append(at, records)
    },
  }
  return {
    log,
    async land() {
      for (const records of waiting.splice(0).reverse()) await installation.log.append('test', records)
    },
  }
}

test('an append that comes too late is followed by the latest report', async () => {
  const accountId = nextAccount()
  const [older, latest] = [made({ accountId }), made({ accountId, generatedAt: '2026-11-21T10:00:00.000Z' })]
  const shaky = shakyLog(['late'])
  await withKeeper(async () => {
    await append(older)
    await settled()
    await append(latest)
    await settled()
    await shaky.land()
    await settled()
  }, shaky.log)
  expect((await recordsOf(accountId)).map(({ event }) => event!.data.reportId)).toEqual(
    [older, latest, older, latest].map(({ reportId }) => reportId),
  )
})

test('with two processes, repeats, late appends and a restart, the last record of each key is the latest report', async () => {
  const step = fc.record({
    address: fc.constantFrom('0xaa', '0xbb'),
    // Few keys, so that reports share them.
    chain: fc.constantFrom('ETH', 'ETH', 'ETH', 'BSC'),
    livemode: fc.constantFrom(true, true, true, false),
    // Few times, so that ids decide between equal ones.
    hour: fc.integer({ min: 10, max: 13 }),
    repeats: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat() }),
    // Before this report, everything is read, or the late appends land, or neither happens.
    before: fc.constantFrom('settled', 'landed', 'nothing'),
    score: fc.integer({ min: 0, max: 100 }),
  })
  const fate = fc.constantFrom<Fate>('acknowledged', 'late', 'doubled')
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 8, maxLength: 16 }),
      fc.array(fate, { minLength: 8, maxLength: 12 }),
      async (steps, fates) => {
        const accountId = nextAccount()
        const shaky = shakyLog(fates)
        const keepers = [keep(shaky.log), keep(shaky.log)]
        const appended: MadeReport[] = []
        try {
          for (const [index, { hour, repeats, before, ...about }] of steps.entries()) {
            if (before === 'settled') await settled()
            if (before === 'landed') await shaky.land()
            const again = repeats === null ? undefined : appended[repeats % Math.max(1, appended.length)]
            const generatedAt = `2026-11-21T${hour}:00:00.000Z`
            const { score, ...place } = about
            const next = made({ accountId, ...place, ...again, score, generatedAt })
            appended.push(next)
            await append(next)
            if (index === 8) await keepers.shift()!.stop()
          }
          await settled()
          await shaky.land()
          await settled()
          await expectLatestOf(appended)
        } finally {
          await Promise.all(keepers.map((keeper) => keeper.stop()))
        }
      },
    ),
    { numRuns: 5, endOnFailure: true },
  )
})

const ERASED_AT = '2026-11-22T09:00:00.000Z'

test('each key of an erased account ends with one record without a value, and nothing brings a state back', async () => {
  const [accountId, other] = [nextAccount(), nextAccount()]
  const reports = [
    made({ accountId }),
    made({ accountId, address: '0xbb' }),
    made({ accountId, livemode: false }),
  ]
  const left = made({ accountId: other })
  await append(...reports, left)
  const keepers = [keep(), keep()]
  try {
    await settled()
    // The erasure of only one reference keeps the states.
    await installation.append(erasureEvent(accountId, ERASED_AT, 'reference'))
    await settled()
    await expectLatestOf(reports)
    await eraseAccount(installation, accountId, ERASED_AT)
    await settled()
    const found = await recordsOf(accountId)
    const forgotten = found.filter(({ event }) => event === null).map(({ record }) => record)
    expect(new Set(forgotten.map(({ topic, key }) => `${topic} ${key}`)).size).toBe(reports.length)
    expect(forgotten.length).toBe(reports.length)
    expect(forgotten[0]!.headers).toMatchObject({ ce_type: 'LatestReportRecorded', ce_time: ERASED_AT })
    // A later report, and a state that was on its way when the account was erased.
    await append(made({ accountId, generatedAt: '2026-11-23T09:00:00.000Z' }))
    const { topic, key, value, headers } = found[0]!.record
    await installation.log.append('test', [{ topic, key, value, headers }])
    await settled()
  } finally {
    await Promise.all(keepers.map((keeper) => keeper.stop()))
  }
  await expectForgotten(accountId, reports.length)
  expect((await recordsOf(accountId)).length).toBe(2 * reports.length + 2)
  await expectLatestOf([left])
  const before = await recordsOf(accountId)
  expect(await forgetCheckpoints(installation.database, derivedTopicGroups)).toBe(true)
  await withKeeper(settled)
  const again = (await recordsOf(accountId)).filter(since(before))
  expect(again.every(({ event }) => event === null)).toBe(true)
  await expectForgotten(accountId, reports.length)
})

/** Whether a record is new since then. */
function since(before: readonly LatestRecord[]): (one: LatestRecord) => boolean {
  const placeOf = ({ record: { topic, partition, offset } }: LatestRecord): string =>
    `${topic} ${partition} ${offset}`
  const known = new Set(before.map(placeOf))
  return (one) => !known.has(placeOf(one))
}

/** Checks that the last record of each of its keys has no value. */
async function expectForgotten(accountId: string, keys: number): Promise<void> {
  const last = [...(await lastOfKeys(installation))].filter(([key]) => key.split(/[ /]/)[1] === accountId)
  expect(last.map(([, event]) => event)).toEqual(Array.from({ length: keys }, () => null))
}

test.each([
  'after:latest-reports.append:1',
  'before:latest-reports.erased:1',
  'after:latest-reports.erased:1',
])('a process that is killed %s while it forgets an account is followed by one that does', async (point) => {
  const accountId = nextAccount()
  await append(made({ accountId }), made({ accountId, address: '0xbb' }))
  await withKeeper(settled)
  await eraseAccount(installation, accountId, ERASED_AT)
  await diesKeeping(point)
  await withKeeper(settled)
  await expectForgotten(accountId, 2)
})

test('the addresses of a large account are forgotten in pages', async () => {
  const accountId = nextAccount()
  const many = Array.from({ length: 2_100 }, (_, index) => made({ accountId, address: `0x${index}` }))
  await append(...many)
  await withKeeper(settled)
  await eraseAccount(installation, accountId, ERASED_AT)
  await withKeeper(settled)
  await expectForgotten(accountId, many.length)
})

test('a record of another producer is followed by the latest report', async () => {
  const accountId = nextAccount()
  const report = made({ accountId })
  await append(report)
  await withKeeper(async () => {
    await settled()
    const [own] = await recordsOf(accountId)
    const { topic, key, headers } = own!.record
    const green = installation.codec.encode(
      { ...own!.event!, data: { ...own!.event!.data, level: 'green', score: 0 } },
      { topic, key },
    )
    // None of these has a MAC, and no report tells the value of an unknown key.
    const empty = { topic, key, value: Buffer.alloc(0), headers }
    await installation.log.unchecked.append('test', [green, empty, { ...empty, key: 'no key of ours' }])
    await settled()
  })
  await expectLatestOf([report])
})

test.each([
  'after:latest-reports.append:1',
  'after:latest-reports.commit:1',
  'before:latest-reports.checked:1',
])('a process that is killed %s leaves nothing behind that stays', async (point) => {
  const accountId = nextAccount()
  const reports = [10, 12, 11].map((hour) =>
    made({ accountId, generatedAt: `2026-11-21T${hour}:00:00.000Z` }),
  )
  await append(...reports)
  await diesKeeping(point)
  await withKeeper(settled)
  await expectLatestOf(reports)
})

test('without its checkpoints the topic is made again, with the same bytes', async () => {
  const accountId = nextAccount()
  const reports = ['0xaa', '0xbb'].map((address) => made({ accountId, address }))
  await append(...reports, made({ accountId, generatedAt: '2026-11-21T08:00:00.000Z' }))
  await withKeeper(settled)
  const before = await recordsOf(accountId)
  expect(await forgetCheckpoints(installation.database, derivedTopicGroups)).toBe(true)
  await withKeeper(settled)
  const after = (await recordsOf(accountId)).filter(since(before))
  const bytesOf = (records: typeof before) =>
    new Map(records.map(({ record: { key, value } }) => [key, value]))
  expect(bytesOf(after)).toEqual(bytesOf(before))
  await expectLatestOf(reports)
})

test('many reports are asked for and appended in few pieces', async () => {
  const accountId = nextAccount()
  const many = Array.from({ length: 1_500 }, (_, index) =>
    made({ accountId, address: `0x${index % 700}`, generatedAt: new Date(1.8e12 + index).toISOString() }),
  )
  await append(...many)
  await installation.caughtUp(reportView)
  let appends = 0
  const counting: EventLog = {
    ...installation.log,
    append: (at, records) => {
      appends += at === 'latest-reports.append' && records.length > 0 ? 1 : 0
      return installation.log.append(at, records)
    },
  }
  await withKeeper(settled, counting)
  await expectLatestOf(many)
  // 16 partitions with some hundred reports in each.
  expect(appends).toBeLessThanOrEqual(32)
})

import type { BulkSubmitted, DomainEvent } from '@cupel/contracts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { event, openFixture, type Fixture } from './fixture.js'
import {
  chooseResults,
  jobView,
  readEndedResults,
  readItemReports,
  readJob,
  readOverview,
  type JobItem,
  type JobReading,
} from '@cupel/bulk/read-model'
import { documentReader, reportView } from '@cupel/reports/read-model'

const JOB = 'job_1'
const OWNER = { accountId: 'acc_1', livemode: true }
const AT = '2026-11-21T09:00:00.000Z'
const LATER = '2026-11-21T09:00:01.000Z'
const R1 = 'aaaaaaaaaaaaaa08'
const R2 = 'bbbbbbbbbbbbbb09'

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
  fixture.run(jobView)
  fixture.run(reportView)
})
afterEach(() => fixture.close())

const item = (address: string, reportId: string | null): BulkSubmitted['items'][number] => ({
  ...{ reportId, reference: null, canonicalAddress: address, chain: 'ETH', candidateChains: [] },
  ...(reportId === null
    ? { address: '', refusedText: address, errorCode: 'invalid_address', errorDetail: 'It fits no chain.' }
    : { address, refusedText: null, errorCode: null, errorDetail: null }),
})
const submitted = (
  items: BulkSubmitted['items'],
  more: Partial<BulkSubmitted> = {},
): DomainEvent<'BulkSubmitted'> =>
  event('BulkSubmitted', JOB, {
    jobId: JOB,
    ...OWNER,
    name: null,
    items,
    submittedAt: AT,
    reportPageUrl: '',
    call: null,
    ...more,
  })
const failed = (reportId: string, accountId = OWNER.accountId): DomainEvent<'ScreeningFailed'> =>
  event('ScreeningFailed', reportId, {
    ...{ reportId, accountId, livemode: true, code: 'screening_failed', detail: 'no', failedAt: LATER },
    ...{ isTransfer: false, jobId: null, jobIndex: null },
  })
const completed = (more: object): DomainEvent<'BulkCompleted'> =>
  event('BulkCompleted', JOB, {
    ...{
      jobId: JOB,
      ...OWNER,
      status: 'completed_with_errors',
      total: 3,
      completed: 0,
      failed: 3,
      cancelled: 0,
    },
    completedAt: LATER,
    ...more,
  })
const read = async (): Promise<JobReading> => (await readJob(fixture.database, OWNER, JOB))!
const three = [item('one', R1), item('bad', null), item('two', R2)]

describe('a job', () => {
  test('is queued with its refused items, then runs, and each item is told', async () => {
    await fixture.project(jobView, submitted(three))
    expect(await read()).toMatchObject({ status: 'queued', total: 3, failed: 1, startedAt: null, refused: 1 })
    await fixture.project(reportView, failed(R1))
    const job = await read()
    expect(job).toMatchObject({
      status: 'running',
      failed: 2,
      completed: 0,
      startedAt: LATER,
      completedAt: null,
    })
    expect(job.items).toMatchObject([
      { status: 'failed', code: 'screening_failed' },
      { status: 'failed', code: 'invalid_address', detail: 'It fits no chain.' },
      { status: 'pending', address: 'two' },
    ])
  })

  test('whose end came through before its reports is not shown as ended, and names what it waits for', async () => {
    await fixture.project(jobView, submitted(three), completed({}))
    expect(await read()).toMatchObject({ status: 'queued', isTerminal: false, awaitedReportIds: [R1, R2] })
    await fixture.project(reportView, failed(R1), failed(R2))
    expect(await read()).toMatchObject({
      ...{ status: 'completed_with_errors', isTerminal: true, awaitedReportIds: [] },
      ...{ failed: 3, createdAt: AT, startedAt: LATER, completedAt: LATER },
    })
  })

  test('shows a failure that belongs to no account, because nobody could read its request, to whose job it is', async () => {
    await fixture.project(jobView, submitted([item('one', R1)]), completed({ total: 1, failed: 1 }))
    await fixture.project(reportView, failed(R1, ''))
    expect(await read()).toMatchObject({ isTerminal: true, items: [{ status: 'failed' }] })
  })

  test('that was cancelled shows what was cancelled, whatever was recorded of it later', async () => {
    const end = event('BulkCancelled', JOB, {
      ...{ jobId: JOB, ...OWNER, total: 3, completed: 0, failed: 1, cancelled: 2 },
      ...{ cancelledIndices: [0, 2], cancelledAt: LATER },
    })
    await fixture.project(jobView, submitted(three), end)
    await fixture.project(reportView, failed(R1))
    const job = await read()
    expect(job).toMatchObject({
      status: 'cancelled',
      cancelled: 2,
      failed: 1,
      isTerminal: true,
      completedAt: LATER,
    })
    expect(job.items.map(({ status }) => status)).toEqual(['cancelled', 'failed', 'cancelled'])
    expect(job.startedAt).toBe(AT)
  })

  test('that could not run has ended, with every item failed', async () => {
    await fixture.project(
      jobView,
      submitted([item('one', R1)]),
      completed({ status: 'failed', total: 1, failed: 1 }),
    )
    expect(await read()).toMatchObject({ status: 'failed', isTerminal: true, items: [{ status: 'failed' }] })
  })

  test('is the first submission of its id, and ends once', async () => {
    await fixture.project(jobView, submitted(three), submitted([item('other', R2)]), completed({}))
    await fixture.project(jobView, completed({ status: 'completed', failed: 0, completed: 3 }))
    await fixture.project(reportView, failed(R1), failed(R2))
    expect(await read()).toMatchObject({ total: 3, status: 'completed_with_errors', failed: 3 })
  })

  test('of another account, or of the other environment, does not exist', async () => {
    await fixture.project(jobView, submitted(three))
    for (const other of [
      { ...OWNER, accountId: 'acc_2' },
      { ...OWNER, livemode: false },
    ])
      expect(await readJob(fixture.database, other, JOB)).toBeNull()
  })
})

test('rebuilding the view gives the same table', async () => {
  await fixture.project(jobView, submitted(three), completed({}))
  const { comparison } = await fixture.rebuild(jobView)
  expect(comparison).toMatchObject([{ table: 'job', rowsBefore: 1, rowsAfter: 1, isEqual: true }])
})

test('nothing is asked for where no item has a report', async () => {
  expect(await readItemReports({ ...fixture, readDocuments: documentReader(fixture) }, OWNER, [])).toEqual(
    new Map(),
  )
})

describe('a stretch of the results', () => {
  const stretch = (from: number, size: number) =>
    readEndedResults(fixture.database, OWNER, { jobId: JOB, from, size })
  const named = ['one', 'bad\u0000"', 'two', 'one', 'three', 'two', 'one']
  const ids: Readonly<Record<string, string>> = { one: R1, two: R2, three: 'cccccccccccccc0a' }
  const seven = named.map((address) => item(address, ids[address] ?? null))

  test.each([
    ['completed', completed({ total: 7, failed: 7 }), ['one', 'two', 'three']],
    [
      'cancelled',
      event('BulkCancelled', JOB, {
        ...{ jobId: JOB, ...OWNER, total: 7, completed: 0, failed: 4, cancelled: 3 },
        ...{ cancelledIndices: [2, 4, 5], cancelledAt: LATER },
      }),
      ['one', 'two'],
    ],
    ['unable to run', completed({ status: 'failed', total: 7, failed: 7 }), []],
  ] as const)(
    'of a job that is %s is that of the whole job, wherever it begins',
    async (_what, end, decided) => {
      await fixture.project(jobView, submitted(seven), end)
      await fixture.project(reportView, ...decided.map((address) => failed(ids[address]!)))
      const { items, isTerminal } = await read()
      expect(isTerminal).toBe(true)
      for (let from = 0; from <= 8; from += 1)
        for (let size = 1; size <= 8; size += 1)
          expect(await stretch(from, size)).toEqual({ items: items.slice(from, from + size), total: 7 })
    },
  )

  test('reads the outcomes of its own items and no others', async () => {
    await fixture.project(jobView, submitted(three), completed({}))
    await fixture.project(reportView, failed(R1), failed(R2))
    const asked: unknown[] = []
    const watched = {
      query: (statement: Parameters<typeof fixture.database.query>[0], values: readonly unknown[]) => {
        asked.push(values[0])
        return fixture.database.query(statement, values)
      },
    } as typeof fixture.database
    await readEndedResults(watched, OWNER, { jobId: JOB, from: 2, size: 1 })
    expect(asked).toEqual([JOB, [R2]])
  })

  test('is unknown while the job runs, and while its reports cannot be read', async () => {
    await fixture.project(jobView, submitted(three))
    await fixture.project(reportView, failed(R1))
    expect(await stretch(0, 1)).toBeNull()
    await fixture.project(jobView, completed({}))
    expect(await stretch(0, 2)).toMatchObject({ items: [{ index: 0 }, { index: 1 }] })
    expect(await stretch(2, 1)).toBeNull()
  })
})

describe('chosen results', () => {
  const levels = ['green', 'red', 'orange', 'grey', 'red', 'unheard-of', 'green', 'red']
  const many = levels.map((_, index) => item(`bad\u0000"${index}`, `aaaaaaaaaaaaaa${10 + index}`))
  // A refused item, an item whose screening failed, a repeated address, and a cancelled item.
  const order = [...many, item('refused', null), item('one', R1), many[1]!, item('late', R2)]
  const end = event('BulkCancelled', JOB, {
    ...{ jobId: JOB, ...OWNER, total: 12, completed: 9, failed: 2, cancelled: 1 },
    ...{ cancelledIndices: [11], cancelledAt: LATER },
  })
  beforeEach(async () => {
    await fixture.project(jobView, submitted(order), end)
    await fixture.project(reportView, failed(R1))
    for (const [index, level] of levels.entries())
      await fixture.database.execute(
        `INSERT INTO report_view.report
           (report_id, account_id, livemode, state, level, score, document, ended_at, log_partition, log_offset)
         VALUES ($1, $2, true, 'generated', $3, $4, '{}', now(), 9, $5)`,
        [many[index]!.reportId, OWNER.accountId, level, [0, 80, 50, 0, 90, 7, 0, 80][index], index],
      )
  })

  const walk = async (
    choice: { sort: 'submission' | 'risk'; level?: string; status?: string },
    size: number,
  ) => {
    const pages: (readonly JobItem[])[] = []
    for (let after: number[] | null = null; ;) {
      const order = { jobId: JOB, pendingToo: true, after, size, ...choice }
      const page = await chooseResults(fixture.database, OWNER, order)
      if (page.kind !== 'chosen') throw new Error(`The page is ${page.kind}`)
      if (page.items.length === 0) return pages.flat()
      expect(page.items.length).toBeLessThanOrEqual(size)
      pages.push(page.items)
      after = placeOf(page.items.at(-1)!, choice.sort)
    }
  }
  const ranks: Readonly<Record<string, number>> = {
    red: 0,
    orange: 1,
    green: 4,
    failed: 3,
    cancelled: 5,
    pending: 6,
  }
  const placeOf = (of: JobItem, sort: string): number[] => {
    if (sort === 'submission') return [of.index]
    return of.status === 'completed'
      ? [ranks[of.level] ?? 2, -of.score, of.index]
      : [ranks[of.status]!, 0, of.index]
  }
  const compared = (one: JobItem, other: JobItem): number => {
    const [a, b] = [placeOf(one, 'risk'), placeOf(other, 'risk')]
    return a[0]! - b[0]! || a[1]! - b[1]! || a[2]! - b[2]!
  }

  test.each([1, 3, 20])('are those of the whole job, in pages of %i', async (size) => {
    const { items } = await read()
    expect(items.map(({ status }) => status)).toContain('cancelled')
    expect(await walk({ sort: 'submission' }, size)).toEqual(items)
    expect(await walk({ sort: 'risk' }, size)).toEqual([...items].sort(compared))
    for (const level of ['red', 'orange', 'grey', 'green'])
      for (const sort of ['submission', 'risk'] as const) {
        const wanted = items.filter((each) => each.status === 'completed' && each.level === level)
        expect(await walk({ sort, level }, size)).toEqual(
          sort === 'risk' ? [...wanted].sort(compared) : wanted,
        )
      }
    for (const status of ['completed', 'failed', 'cancelled', 'pending'])
      expect(await walk({ sort: 'submission', status }, size)).toEqual(
        items.filter((each) => each.status === status),
      )
  })

  test('read the outcomes of their own page and no others', async () => {
    const asked: unknown[] = []
    let rows = 0
    const watched = {
      query: async (statement: Parameters<typeof fixture.database.query>[0], values: readonly unknown[]) => {
        asked.push(values[0])
        const found = await fixture.database.query(statement, values)
        rows += found.length
        return found
      },
    } as typeof fixture.database
    const choice = { jobId: JOB, sort: 'risk', pendingToo: false, after: null, size: 1 } as const
    expect(await chooseResults(watched, OWNER, choice)).toMatchObject({
      items: [{ level: 'red', score: 90 }],
    })
    expect([asked, rows]).toEqual([[JOB, [many[4]!.reportId]], 2])
  })

  test('are unknown to others, and while a report cannot be read', async () => {
    const choice = { jobId: JOB, sort: 'risk', pendingToo: true, after: null, size: 5 } as const
    for (const other of [
      { ...OWNER, accountId: 'acc_2' },
      { ...OWNER, livemode: false },
    ])
      expect(await chooseResults(fixture.database, other, choice)).toEqual({ kind: 'unknown' })
    await fixture.database.execute('DELETE FROM report_view.report WHERE report_id = $1', [R1])
    expect(await chooseResults(fixture.database, OWNER, choice)).toEqual({ kind: 'whole' })
    expect(await readOverview(fixture.database, OWNER, JOB)).toEqual({ kind: 'whole' })
  })
})

/** A running job, read page by page and as a whole: the results are the same, and a page costs only a page. */
import type { DomainEvent } from '@cupel/contracts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { event, openFixture, type Fixture } from './fixture.js'
import {
  chooseResults,
  findJob,
  findResults,
  jobView,
  readJob,
  readOverview,
  type JobItem,
  type ResultChoice,
} from '@cupel/bulk/read-model'
import { reportView } from '@cupel/reports/read-model'

const JOB = 'job_1'
const OWNER = { accountId: 'acc_1', livemode: true }
const AT = '2026-11-21T09:00:00.000Z'
const LATER = '2026-11-21T09:00:02.000Z'
const idOf = (index: number): string => `aaaaaaaaaaaaaa${10 + index}`

/** Levels and scores of decided items; null means no report yet. */
const decided = [
  ...[['green', 0], null, ['red', 80], ['unheard-of', 7], null, ['red', 90], ['orange', 50]],
] as const
const items = decided.map((_, index) => ({
  ...{ address: `bad\u0000"${index}`, reportId: idOf(index), canonicalAddress: '', chain: 'ETH' },
  ...{ candidateChains: [], reference: null, refusedText: null, errorCode: null, errorDetail: null },
}))
const refused = {
  ...items[0]!,
  address: '',
  // Looks like a field of a report, although the item has no report.
  refusedText: `no","report_id":"${idOf(0)}","`,
  reportId: null,
  errorCode: 'invalid_address',
  errorDetail: 'It fits no chain.',
}
/** A refused item, repeats of a decided and of an open item, and an item whose screening fails. */
const order = [
  ...items,
  refused,
  items[2]!,
  items[1]!,
  { ...items[0]!, address: 'fails', reportId: idOf(20) },
]

const submitted = event('BulkSubmitted', JOB, {
  ...{ jobId: JOB, ...OWNER, name: null, items: order, submittedAt: AT, reportPageUrl: '', call: null },
})
const failed = (index: number, accountId: string): DomainEvent<'ScreeningFailed'> =>
  event('ScreeningFailed', idOf(index), {
    ...{ reportId: idOf(index), accountId, livemode: true, code: 'screening_failed', detail: 'no' },
    ...{ failedAt: LATER, isTransfer: false, jobId: null, jobIndex: null },
  })

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
  fixture.run(jobView)
  fixture.run(reportView)
  await fixture.project(jobView, submitted)
})
afterEach(() => fixture.close())

async function decide(): Promise<void> {
  await fixture.project(reportView, failed(20, OWNER.accountId))
  for (const [index, report] of decided.entries())
    if (report !== null)
      await fixture.database.execute(
        `INSERT INTO report_view.report
           (report_id, account_id, livemode, state, level, score, document, ended_at, log_partition, log_offset)
         VALUES ($1, $2, true, 'generated', $3, $4, '{}', $5::timestamptz + $6 * interval '1 second', 9, $6)`,
        [idOf(index), OWNER.accountId, ...report, AT, index],
      )
}

const choose = (more: Partial<ResultChoice>) =>
  chooseResults(fixture.database, OWNER, {
    ...{ jobId: JOB, sort: 'submission', pendingToo: true, after: null, size: 100, ...more },
  })

const ranks: Readonly<Record<string, number>> = { red: 0, orange: 1, green: 4, failed: 3, pending: 6 }
function placeOf(item: JobItem, sort: ResultChoice['sort']): readonly number[] {
  if (sort === 'submission') return [item.index]
  return item.status === 'completed'
    ? [ranks[item.level] ?? 2, -item.score, item.index]
    : [ranks[item.status]!, 0, item.index]
}
function sortedAs(sort: ResultChoice['sort'], list: readonly JobItem[]): readonly JobItem[] {
  return [...list].sort((one, other) => {
    const [a, b] = [placeOf(one, sort), placeOf(other, sort)]
    return a[0]! - b[0]! || (a[1] ?? 0) - (b[1] ?? 0) || (a[2] ?? 0) - (b[2] ?? 0)
  })
}

async function walk(choice: Partial<ResultChoice> & Pick<ResultChoice, 'sort'>): Promise<readonly JobItem[]> {
  const met: JobItem[] = []
  for (;;) {
    const last = met.at(-1)
    const page = await choose({ ...choice, after: last === undefined ? null : placeOf(last, choice.sort) })
    if (page.kind !== 'chosen') throw new Error(`The page is ${page.kind}`)
    expect(page.hasEnded).toBe(false)
    if (page.items.length === 0) return met
    met.push(...page.items)
  }
}

test.each([1, 3, 100])(
  'pages of %i show what the whole job shows, in every order and choice',
  async (size) => {
    await decide()
    const whole = (await readJob(fixture.database, OWNER, JOB))!.items
    expect(new Set(whole.map(({ status }) => status))).toEqual(new Set(['completed', 'failed', 'pending']))
    for (const sort of ['submission', 'risk'] as const) {
      const sorted = sortedAs(sort, whole)
      expect(await walk({ sort, size })).toEqual(sorted)
      const done = sorted.filter(({ status }) => status !== 'pending')
      expect(await walk({ sort, size, pendingToo: false })).toEqual(done)
      for (const status of ['completed', 'failed', 'cancelled', 'pending'])
        expect(await walk({ sort, size, status })).toEqual(sorted.filter((item) => item.status === status))
      for (const level of ['red', 'grey'])
        expect(await walk({ sort, size, level })).toEqual(
          sorted.filter((item) => item.status === 'completed' && item.level === level),
        )
    }
  },
)

test('a page of one costs one row of the job and one outcome, however many items are done', async () => {
  await decide()
  const rows: number[] = []
  const watched = {
    query: async (statement: Parameters<typeof fixture.database.query>[0], values: readonly unknown[]) => {
      const found = await fixture.database.query(statement, values)
      rows.push(found.length)
      return found
    },
  } as typeof fixture.database
  const choice = { jobId: JOB, sort: 'risk', pendingToo: false, after: null, size: 1 } as const
  expect(await chooseResults(watched, OWNER, choice)).toMatchObject({ items: [{ level: 'red', score: 90 }] })
  // The job, whether an item failed that belongs to no account, and the outcome.
  expect(rows).toEqual([1, 1, 1])
  rows.length = 0
  expect(await readOverview(watched, OWNER, JOB)).toMatchObject({ job: { completed: 6 } })
  expect(rows).toEqual([1, 1])
})

test('the overview says of a job what the whole job says, before, while and after it runs', async () => {
  const expectSame = async (status: string): Promise<void> => {
    const whole: Record<string, unknown> = { ...(await readJob(fixture.database, OWNER, JOB))! }
    delete whole['items']
    delete whole['awaitedReportIds']
    expect(whole['status']).toBe(status)
    expect(await readOverview(fixture.database, OWNER, JOB)).toEqual({ kind: 'overview', job: whole })
  }
  await expectSame('queued')
  await decide()
  await expectSame('running')
  const end = { jobId: JOB, ...OWNER, total: 11, completed: 6, failed: 2, cancelled: 3 }
  await fixture.project(
    jobView,
    event('BulkCancelRequested', JOB, { jobId: JOB, ...OWNER, requestedAt: LATER, call: null }),
  )
  await expectSame('running')
  await fixture.project(
    jobView,
    event('BulkCancelled', JOB, { ...end, cancelledIndices: [1, 4, 9], cancelledAt: LATER }),
  )
  await expectSame('cancelled')
  // A cancelled item that was under way starts no job.
  await fixture.database.execute(
    `INSERT INTO report_view.report
       (report_id, account_id, livemode, state, level, score, document, ended_at, log_partition, log_offset)
     VALUES ($1, $2, true, 'generated', 'red', 99, '{}', $3::timestamptz - interval '1 day', 9, 99)`,
    [idOf(4), OWNER.accountId, AT],
  )
  await expectSame('cancelled')
})

test('a failure that belongs to no account is told, as the whole job tells it', async () => {
  await decide()
  expect((await choose({ status: 'pending' })).kind).toBe('chosen')
  await fixture.project(reportView, failed(1, ''))
  expect(await choose({ status: 'failed' })).toEqual({ kind: 'whole' })
  expect(await readOverview(fixture.database, OWNER, JOB)).toEqual({ kind: 'whole' })
  expect((await readJob(fixture.database, OWNER, JOB))!.failed).toBe(4)
})

test('an item that is done between choice and reading stays pending on its page', async () => {
  await decide()
  const late = {
    query: async (statement: Parameters<typeof fixture.database.query>[0], values: readonly unknown[]) => {
      const found = await fixture.database.query(statement, values)
      await fixture.database.execute(
        `INSERT INTO report_view.report
           (report_id, account_id, livemode, state, level, score, document, ended_at, log_partition, log_offset)
         VALUES ($1, $2, true, 'generated', 'red', 99, '{}', now(), 9, 99) ON CONFLICT DO NOTHING`,
        [idOf(1), OWNER.accountId],
      )
      return found
    },
  } as typeof fixture.database
  const choice = {
    jobId: JOB,
    sort: 'risk',
    status: 'pending',
    pendingToo: true,
    after: null,
    size: 9,
  } as const
  expect(await chooseResults(late, OWNER, choice)).toMatchObject({
    items: [
      { index: 1, status: 'pending' },
      { index: 4, status: 'pending' },
      { index: 9, status: 'pending' },
    ],
  })
})

test('nobody else sees the job', async () => {
  for (const other of [
    { ...OWNER, accountId: 'acc_2' },
    { ...OWNER, livemode: false },
  ])
    expect(await readOverview(fixture.database, other, JOB)).toEqual({ kind: 'unknown' })
})

test.each(['some results', 'the whole job'])(
  'a read of %s takes its turn, and waits for the read models without one',
  async (what) => {
    let [turns, isInTurn] = [0, false]
    const options = {
      ...{ database: fixture.database, timeoutMs: 20 },
      log: {
        partitionFor: () => Promise.resolve(0),
        endOffset: () => {
          expect(isInTurn).toBe(false)
          // No projection reaches this offset.
          return Promise.resolve(1_000_000)
        },
      },
      async turn<Result>(work: () => Promise<Result>): Promise<Result> {
        turns += 1
        isInTurn = true
        const result = await work()
        isInTurn = false
        return result
      },
    }
    const choice = { jobId: JOB, sort: 'risk', pendingToo: true, after: null, size: 100 } as const
    const found =
      what === 'some results' ? await findResults(options, OWNER, choice) : await findJob(options, OWNER, JOB)
    expect([found.kind, turns]).toEqual(['behind', what === 'some results' ? 1 : 2])
  },
)

test('the state of a job reads the reports of its items, and no others of an account that has many', async () => {
  await fixture.database.execute(
    `INSERT INTO report_view.report
       (report_id, account_id, livemode, state, level, score, document, ended_at, log_partition, log_offset)
     SELECT to_hex(n), $1, true, 'generated', 'green', 0, '{}', $2::timestamptz, 8, n FROM generate_series(1, 20000) n`,
    [OWNER.accountId, AT],
  )
  await fixture.database.execute('ANALYZE report_view.report')
  const plans: string[] = []
  const explaining = {
    query: async (statement: Parameters<typeof fixture.database.query>[0], values: readonly unknown[]) => {
      if (typeof statement !== 'string') {
        const plan = await fixture.database.query(`EXPLAIN ${statement.text}`, values)
        plans.push(plan.map((row) => String(row['QUERY PLAN'])).join('\n'))
      }
      return await fixture.database.query(statement, values)
    },
  } as typeof fixture.database
  expect(await readOverview(explaining, OWNER, JOB)).toMatchObject({ kind: 'overview' })
  expect(plans).toHaveLength(2)
  for (const plan of plans) {
    expect(plan).toContain('Index Scan using report_pkey')
    expect(plan).not.toContain('Seq Scan on report')
  }
})

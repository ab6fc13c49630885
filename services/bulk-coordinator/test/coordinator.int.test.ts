import {
  laneOfReportPartition,
  noMetrics,
  reportPartition,
  screenTopic,
  topicOf,
  type Metrics,
} from '@cupel/contracts'
import { INITIAL_WINDOW_ITEMS, MIN_WINDOW_ITEMS } from '@cupel/domain'
import { listDeadLetters } from '@cupel/event-log'
import { tellDwells } from '@cupel/projections/heartbeats'
import type { RunningService } from '@cupel/kit/service'
import { until } from '@cupel/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { COORDINATOR_GROUP } from '@cupel/bulk/worker'
import {
  addresses,
  bulkReportId,
  ETH,
  openInstallation,
  outcomeRecord,
  submission,
  SUBMITTED_AT,
  type Installation,
} from './installation.js'

let installation: Installation
beforeEach(async () => {
  installation = await openInstallation()
})
afterEach(() => installation.close())

const distinct = (values: readonly string[]): number => new Set(values).size

describe('a job', () => {
  test('of one address is screened once and ends once', async () => {
    await installation.coordinator()
    const jobId = await installation.submit([ETH])
    const { type, data } = await installation.ended(jobId)
    expect({ type, data }).toMatchObject({
      type: 'BulkCompleted',
      data: { jobId, accountId: 'acc_1', livemode: true, status: 'completed' },
    })
    expect(data).toMatchObject({ total: 1, completed: 1, failed: 0, cancelled: 0 })
    const [request] = await installation.requests()
    expect(request!.data).toMatchObject({
      ...{ address: ETH, chain: 'ETH', lane: 'bulk', jobId, jobIndex: 0, requestedAt: SUBMITTED_AT },
      reportUrl: `https://cupel.example.com/reports/${request!.data.reportId}`,
    })
  })

  test('of 1,000 addresses is released in windows and every address screened exactly once', async () => {
    await installation.coordinator()
    const jobId = await installation.submit(addresses(1_000))
    expect((await installation.ended(jobId)).data).toMatchObject({
      total: 1_000,
      completed: 1_000,
      failed: 0,
    })
    const ids = (await installation.requests()).map(({ data }) => data.reportId)
    expect([ids.length, distinct(ids)]).toEqual([1_000, 1_000])
  })

  test('with nothing but bad addresses ends at once, with errors, at the time it was submitted', async () => {
    await installation.coordinator()
    const jobId = await installation.submit(['nonsense', 'more of it'])
    expect((await installation.ended(jobId)).data).toMatchObject({
      ...{ status: 'completed_with_errors', total: 2, failed: 2, completed: 0, completedAt: SUBMITTED_AT },
    })
    expect(await installation.requests()).toEqual([])
  })

  test('with equal addresses screens them once and counts each', async () => {
    await installation.coordinator()
    const jobId = await installation.submit([ETH, 'bad', ETH, ETH.toLowerCase(), ETH])
    expect((await installation.ended(jobId)).data).toMatchObject({ total: 5, completed: 4, failed: 1 })
    const requests = await installation.requests()
    expect(requests.map(({ data }) => [data.jobIndex, data.address])).toEqual(
      expect.arrayContaining([
        [0, ETH],
        [3, ETH.toLowerCase()],
      ]),
    )
    expect(requests).toHaveLength(2)
  })

  test('ends with errors where a screening cannot be decided, and the others are not held up', async () => {
    const texts = addresses(100)
    installation.scorer.decide = ({ address }) => (address === texts[17] ? 'fail' : 'report')
    await installation.coordinator()
    const { data } = await installation.ended(await installation.submit(texts))
    expect(data).toMatchObject({ status: 'completed_with_errors', completed: 99, failed: 1, cancelled: 0 })
  })

  test('stands by the first record of a report id', async () => {
    installation.scorer.decide = () => 'twice'
    await installation.coordinator()
    const { data } = await installation.ended(await installation.submit(addresses(40)))
    expect(data).toMatchObject({ status: 'completed', completed: 40, failed: 0 })
  })

  test('submitted twice under one id is the first submission', async () => {
    const first = submission(addresses(3))
    const { jobId } = first.data
    await installation.append(first)
    await installation.append(submission(addresses(5), { jobId }))
    await installation.coordinator()
    expect((await installation.ended(jobId)).data).toMatchObject({ total: 3, completed: 3 })
    expect(await installation.requests()).toHaveLength(3)
  })

  test('whose outcomes are read before it counts them', async () => {
    const event = submission(addresses(2))
    const [one, other] = event.data.items.map((item) => item.reportId!)
    await installation.coordinator()
    await installation.log.append('test', [
      outcomeRecord(one!, 'ReportGenerated'),
      outcomeRecord(other!, 'ScreeningFailed'),
    ])
    await until(async () =>
      expect(await installation.database.query('SELECT FROM bulk.early_outcome')).toHaveLength(2),
    )
    await installation.append(event)
    expect((await installation.ended(event.data.jobId)).data).toMatchObject({ completed: 1, failed: 1 })
  })

  test('counts no outcome of another producer, and starts nothing that another producer submitted', async () => {
    const event = submission(addresses(2))
    const forged = event.data.items.map((item) => outcomeRecord(item.reportId!, 'ScreeningFailed'))
    const intruder = submission(addresses(3))
    const target = { topic: topicOf('BulkSubmitted'), key: intruder.data.jobId }
    await installation.coordinator()
    await installation.log.unchecked.append('test', [...forged, installation.codec.encode(intruder, target)])
    await until(async () =>
      expect(await listDeadLetters(installation.log, COORDINATOR_GROUP)).toMatchObject(
        Array.from({ length: 3 }, () => ({ cause: 'forged_record: no-mac' })),
      ),
    )
    await installation.append(event)
    expect((await installation.ended(event.data.jobId)).data).toMatchObject({ completed: 2, failed: 0 })
    expect(await installation.requests()).toHaveLength(2)
  })

  test('of the sandbox runs on the sandbox topics', async () => {
    await installation.coordinator()
    const jobId = await installation.submit(addresses(3), { livemode: false })
    expect((await installation.ended(jobId)).data).toMatchObject({ livemode: false, completed: 3 })
    expect(
      [await installation.requests(false), await installation.requests(true)].map((all) => all.length),
    ).toEqual([3, 0])
    expect(await installation.records(topicOf('BulkCompleted', true))).toEqual([])
  })
})

test('no report of an interactive screen is read', async () => {
  const reportId = 'a'.repeat(14) + '03'
  expect(laneOfReportPartition(reportPartition(reportId))).toBe('interactive')
  await installation.log.append('test', [outcomeRecord(reportId, 'ReportGenerated')])
  await installation.coordinator()
  await installation.ended(await installation.submit([ETH]))
  const read = await installation.database.query<{ partition: number }>(
    'SELECT partition FROM projection.checkpoint WHERE group_name = $1 AND topic LIKE $2',
    [COORDINATOR_GROUP, '%report%'],
  )
  expect(read.length).toBeGreaterThan(0)
  expect(new Set(read.map(({ partition }) => laneOfReportPartition(partition)))).toEqual(new Set(['bulk']))
})

test('the window closes to its least while scorers say that interactive screens are late', async () => {
  const errors: unknown[] = []
  let window = INITIAL_WINDOW_ITEMS
  const gauge: Metrics['gauge'] = (name) => ({
    set: (value) => void (name === 'bulk_window_items' && (window = value)),
  })
  installation.scorer.decide = () => 'hold'
  await installation.coordinator({ ...noMetrics, gauge })
  const dwells = tellDwells(installation.database, { targetMs: 25, onError: (error) => errors.push(error) })
  const telling = setInterval(() => dwells.decided(100), 20)
  try {
    await installation.submit(addresses(1_000))
    await until(() => expect(window).toBe(MIN_WINDOW_ITEMS))
  } finally {
    clearInterval(telling)
    await dwells.stop()
  }
  expect(errors).toEqual([])
})

describe('cancelling', () => {
  test('ends a job though what it released never comes back, leaves what was done, and releases nothing more', async () => {
    const texts = addresses(1_000)
    installation.scorer.decide = ({ jobIndex }) => (jobIndex! < 10 ? 'report' : 'hold')
    await installation.coordinator()
    const jobId = await installation.submit(texts)
    // All outcomes are counted, and the open items fill the window: the coordinator has nothing left to do.
    await until(async () =>
      expect(await installation.progress(jobId)).toEqual({
        released: INITIAL_WINDOW_ITEMS,
        endedUnits: 10,
      }),
    )
    const began = performance.now()
    await installation.cancel(jobId)
    const { type, data } = await installation.ended(jobId)
    process.stdout.write(
      `A job of 1,000 ended ${Math.round(performance.now() - began)} ms after its cancel\n`,
    )
    expect(type).toBe('BulkCancelled')
    expect(data).toMatchObject({ total: 1_000, completed: 10, failed: 0, cancelled: 990 })
    expect('cancelledIndices' in data && data.cancelledIndices).toEqual(
      Array.from({ length: 990 }, (_, n) => n + 10),
    )
    // Its place is free: another job is screened completely, although the held items of the first one never came back.
    installation.scorer.decide = () => 'report'
    const next = await installation.submit(addresses(300))
    expect((await installation.ended(next)).data).toMatchObject({ completed: 300 })
    const jobs = (await installation.requests()).map((request) => request.data.jobId)
    expect(jobs.filter((id) => id === jobId)).toHaveLength(INITIAL_WINDOW_ITEMS)
    expect(jobs.filter((id) => id === next)).toHaveLength(300)
  })

  test('an ended job changes nothing, and what comes in after a cancellation neither', async () => {
    await installation.coordinator()
    const done = await installation.submit([ETH])
    await installation.ended(done)
    await installation.cancel(done)
    installation.scorer.decide = () => 'hold'
    const cancelled = await installation.submit([ETH])
    await until(async () => expect(await installation.progress(cancelled)).toMatchObject({ released: 1 }))
    await installation.cancel(cancelled)
    await installation.ended(cancelled)
    installation.scorer.decide = () => 'report'
    await installation.scorer.release()
    const last = await installation.submit([ETH])
    await installation.ended(last)
    expect((await installation.endings(done)).map(({ type }) => type)).toEqual(['BulkCompleted'])
    expect((await installation.endings(cancelled)).map(({ type }) => type)).toEqual(['BulkCancelled'])
  })
})

describe('accounts', () => {
  test('get equal shares: a small job does not wait for the large ones of others', async () => {
    for (let n = 0; n < 5; n += 1) await installation.submit(addresses(1_000), { accountId: 'acc_large' })
    const small = await installation.submit(addresses(20), { accountId: 'acc_small' })
    await installation.coordinator()
    await installation.ended(small)
    // Within a partition the log keeps the order of release; between partitions there is no order.
    const places = new Map<number, number>()
    for (const record of await installation.records(screenTopic('bulk')))
      if (installation.codec.decodeAs('ScreenRequested', record)?.data.jobId === small)
        places.set(record.partition, record.offset)
    const before = [...places.values()].reduce((sum, offset) => sum + offset, 0)
    expect(places.size).toBeGreaterThan(0)
    expect(before).toBeLessThan(1_000)
  })
})

describe('what cannot be handled', () => {
  test('is dead-lettered with its cause, and the jobs behind it go on', async () => {
    const poison = {
      topic: topicOf('BulkSubmitted'),
      key: 'job_poison',
      value: Buffer.from('poison'),
      headers: { ce_type: 'BulkSubmitted' },
    }
    await installation.log.append(
      'test',
      Array.from({ length: 4 }, (_, partition) => ({ ...poison, partition })),
    )
    await installation.coordinator()
    expect((await installation.ended(await installation.submit([ETH]))).data).toMatchObject({ completed: 1 })
    const letters = await listDeadLetters(installation.log, COORDINATOR_GROUP)
    expect(letters).toHaveLength(4)
    expect(letters[0]).toMatchObject({
      key: 'job_poison',
      cause: expect.stringContaining('schema id') as string,
    })
    expect(letters[0]!.value!.toString()).toBe('poison')
  })

  test.each([
    [
      'whose equal addresses do not share a report',
      (texts: string[]) => {
        const event = submission([...texts, ETH, ETH])
        const items = event.data.items.map((item, index) =>
          index === 1 ? { ...item, reportId: bulkReportId() } : item,
        )
        return { ...event, data: { ...event.data, items } }
      },
    ],
    [
      'whose items share a report although their references differ',
      (texts: string[]) => {
        const event = submission([...texts, ETH, ETH])
        const items = event.data.items.map((item, index) => ({ ...item, reference: `sealed ${index}` }))
        return { ...event, data: { ...event.data, items } }
      },
    ],
    [
      'whose report ids belong to interactive screens',
      (texts: string[]) => {
        const event = submission([...texts, ETH])
        return {
          ...event,
          data: {
            ...event.data,
            items: event.data.items.map((item) => ({ ...item, reportId: '0123456789abcd00' })),
          },
        }
      },
    ],
  ])('a submission %s is a failed job, not one that hangs', async (_, make) => {
    const event = make([])
    await installation.append(event)
    await installation.coordinator()
    const { total } = { total: event.data.items.length }
    expect((await installation.ended(event.data.jobId)).data).toMatchObject({
      status: 'failed',
      total,
      failed: total,
      completed: 0,
    })
    expect(await listDeadLetters(installation.log, COORDINATOR_GROUP)).toHaveLength(1)
  })

  test('a submission with a report id of another job is a failed job, and the other job keeps its report', async () => {
    const [first, second] = [submission([ETH]), submission([ETH])]
    await installation.append(first)
    await installation.coordinator()
    expect((await installation.ended(first.data.jobId)).data).toMatchObject({ completed: 1 })
    const { reportId } = first.data.items[0]!
    const items = second.data.items.map((item) => ({ ...item, reportId }))
    await installation.append({ ...second, data: { ...second.data, items } })
    expect((await installation.ended(second.data.jobId)).data).toMatchObject({
      ...{ status: 'failed', total: 1, failed: 1, completed: 0 },
    })
    expect((await installation.requests()).map(({ data }) => data.jobId)).toEqual([first.data.jobId])
  })
})

describe('two instances', () => {
  test('work one at a time, and the second takes over when the first stops', async () => {
    const services = [await installation.coordinator(), await installation.coordinator()]
    const doing = (what: string): RunningService[] =>
      services.filter((one) => one.checks()[0]!.detail === what)
    installation.scorer.decide = () => 'hold'
    const jobId = await installation.submit(addresses(600))
    await until(async () => expect((await installation.progress(jobId))?.released).toBe(INITIAL_WINDOW_ITEMS))
    const [holder] = await until(() => {
      expect([doing('holds the lease').length, doing('stands by').length]).toEqual([1, 1])
      return doing('holds the lease')
    })
    await holder!.stop()
    installation.scorer.decide = () => 'report'
    await installation.scorer.release()
    expect((await installation.ended(jobId)).data).toMatchObject({ completed: 600 })
    expect(await installation.endingRecords(jobId)).toHaveLength(1)
  })

  test('take over from one whose session the server ends, and nothing is released twice under another id', async () => {
    const services = [await installation.coordinator(), await installation.coordinator()]
    await until(() =>
      expect(services.filter((one) => one.checks()[0]!.detail === 'holds the lease')).toHaveLength(1),
    )
    installation.scorer.decide = ({ jobIndex }) => (jobIndex! < 100 ? 'report' : 'hold')
    const jobId = await installation.submit(addresses(500))
    await until(() => expect(installation.scorer.seen.length).toBeGreaterThan(100))
    const ended = await installation.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
       AND (classid::int8 << 32) | objid::int8 = hashtextextended('cupel.bulk-coordinator', 0)
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    )
    expect(ended).toHaveLength(1)
    installation.scorer.decide = () => 'report'
    await installation.scorer.release()
    expect((await installation.ended(jobId)).data).toMatchObject({ completed: 500 })
    expect(distinct((await installation.requests()).map((request) => JSON.stringify(request)))).toBe(500)
    // For a moment there were two coordinators. Both may have appended the end, with the same bytes.
    const endings = (await installation.endingRecords(jobId)).map(({ key, value, headers }) =>
      JSON.stringify([key, value?.toString('base64'), headers]),
    )
    expect(distinct(endings)).toBe(1)
  })
})

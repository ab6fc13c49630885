import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  decideAttempt,
  JITTER_SHARE,
  jobWebhookBody,
  MAX_FULL_BODY_BYTES,
  MAX_RETRY_AFTER_MS,
  RETRY_DELAYS_MS,
  retryAfterMs,
  retryDelayMs,
  testWebhookBody,
  type AttemptOutcome,
  type EndedItem,
} from './index.js'

const MAX_ATTEMPTS = RETRY_DELAYS_MS.length + 1

const outcome: fc.Arbitrary<AttemptOutcome> = fc.record({
  statusCode: fc.option(fc.integer({ min: 100, max: 599 })),
  retryAfterMs: fc.option(fc.integer({ min: 0, max: 10 * MAX_RETRY_AFTER_MS })),
})

const TEN_DAYS_MS = 10 * 86_400_000

describe('a delivery', () => {
  test('ends, whatever its receiver answers, after at most ten attempts within ten days', () => {
    fc.assert(
      fc.property(
        fc.array(outcome, { minLength: MAX_ATTEMPTS, maxLength: MAX_ATTEMPTS }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (script, lot) => {
          let waitedMs = 0
          for (const [index, answer] of script.entries()) {
            const decision = decideAttempt(answer, { attempts: index + 1, lot })
            if (decision.kind !== 'retry') return
            waitedMs += decision.delayMs
            if (decision.delayMs <= 0 || waitedMs > TEN_DAYS_MS) throw new Error(`waited ${waitedMs} ms`)
          }
          throw new Error(`never ended, after ${waitedMs} ms`)
        },
      ),
      { numRuns: 100_000 },
    )
  }, 60_000)

  test.each([
    [200, 'delivered'],
    [204, 'delivered'],
    [299, 'delivered'],
    [300, 'retry'],
    [301, 'retry'],
    [307, 'retry'],
    [400, 'retry'],
    [404, 'retry'],
    [410, 'gone'],
    [429, 'retry'],
    [500, 'retry'],
    [199, 'retry'],
    [null, 'retry'],
  ] as const)('whose receiver answers %s is %s', (statusCode, kind) => {
    expect(decideAttempt({ statusCode, retryAfterMs: null }, { attempts: 1, lot: 0.5 }).kind).toBe(kind)
  })

  test('that a mail server refuses for good is exhausted at once', () => {
    const refused = { statusCode: 550, retryAfterMs: null, isRefused: true }
    expect(decideAttempt(refused, { attempts: 1, lot: 0.5 })).toEqual({ kind: 'exhausted' })
  })

  test('that fails ten times is exhausted', () => {
    const failed = { statusCode: 500, retryAfterMs: null }
    expect(decideAttempt(failed, { attempts: MAX_ATTEMPTS, lot: 0.5 })).toEqual({ kind: 'exhausted' })
    expect(decideAttempt(failed, { attempts: MAX_ATTEMPTS - 1, lot: 0.5 })).toEqual({
      kind: 'retry',
      delayMs: 86_400_000,
    })
  })
})

describe('a retry', () => {
  test('comes at the published times, within a fifth of them', () => {
    for (const [index, step] of RETRY_DELAYS_MS.entries()) {
      const delay = (lot: number) => retryDelayMs({ failedAttempts: index + 1, retryAfterMs: null, lot })
      expect(delay(0)).toBe(Math.round(step * (1 - JITTER_SHARE)))
      expect(delay(0.5)).toBe(step)
      expect(delay(0.999999)! / step).toBeCloseTo(1 + JITTER_SHARE, 4)
    }
    expect(RETRY_DELAYS_MS).toEqual(
      [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map((s) => s * 1_000),
    )
  })

  test('comes no earlier than the receiver asks, and no later than a day for it', () => {
    const delay = (retryAfter: number) =>
      retryDelayMs({ failedAttempts: 1, retryAfterMs: retryAfter, lot: 0.5 })
    expect(delay(1_000)).toBe(5_000)
    expect(delay(60_000)).toBe(60_000)
    expect(delay(1e12)).toBe(MAX_RETRY_AFTER_MS)
  })

  test.each([
    ['120', 120_000],
    ['0', 0],
    ['Sat, 21 Nov 2026 09:01:00 GMT', 60_000],
    ['Sat, 21 Nov 2026 08:00:00 GMT', 0],
    ['-1', null],
    ['1.5', null],
    ['soon', null],
    ['2026-11-21', null],
    ['Sat, 99 Nov 2026 09:01:00 GMT', null],
    ['', null],
    [null, null],
  ])('after %s waits %s ms', (header, expected) => {
    expect(retryAfterMs(header, Date.parse('2026-11-21T09:00:00Z'))).toBe(expected)
  })
})

describe('a body', () => {
  const job = {
    jobId: 'j1',
    status: 'completed_with_errors',
    total: 3,
    completed: 1,
    failed: 1,
    cancelled: 1,
    name: 'sealed name',
    livemode: true,
    endedAt: '2026-11-21T09:00:00.000Z',
  }
  const report = '{"report_id":"622f9400217f0c00","risk":{"level":"red","score":95.10}}'
  const none = { reportId: null, report: null, error: null }
  const items: readonly EndedItem[] = [
    {
      number: 1,
      address: '0xA"b',
      reference: 'sealed reference',
      status: 'completed',
      reportId: '622f9400217f0c00',
      report,
      error: null,
    },
    { ...none, number: 2, address: 'x', status: 'failed', error: { code: 'invalid_address', detail: 'no' } },
    { ...none, number: 3, address: 'y', status: 'cancelled' },
  ]
  const url = 'https://cupel.example/v1/bulk/j1/results'

  test('that is full holds each report as it was answered, to the byte', () => {
    const body = jobWebhookBody('bulk.completed', 'full', job, items, url)
    expect(body).toContain(`"report":${report}`)
    expect(JSON.parse(body)).toEqual({
      type: 'bulk.completed',
      timestamp: job.endedAt,
      data: {
        ...{
          job_id: 'j1',
          name: 'sealed name',
          livemode: true,
          status: 'completed_with_errors',
          total: 3,
          completed: 1,
          failed: 1,
          cancelled: 1,
          results_url: url,
        },
        results: [
          {
            ...{ number: 1, address: '0xA"b', reference: 'sealed reference' },
            ...{ status: 'completed', report: JSON.parse(report) as object },
          },
          {
            ...{ number: 2, address: 'x', status: 'failed' },
            error: { code: 'invalid_address', detail: 'no' },
          },
          { number: 3, address: 'y', status: 'cancelled' },
        ],
      },
    })
  })

  test('that is thin says where the results are and holds none', () => {
    const { data } = JSON.parse(jobWebhookBody('bulk.cancelled', 'thin', job, items, url)) as { data: object }
    expect(data).toMatchObject({ results_url: url, total: 3 })
    expect(data).not.toHaveProperty('results')
  })

  test('that would be too large carries level and score instead of reports, and every item still', () => {
    const large = `{"report_id":"622f9400217f0c00","risk":{"level":"red","score":95.1},"filler":"${'ü'.repeat(3_000)}"}`
    const many = Array.from({ length: 1_000 }, (_, index): EndedItem => ({
      ...items[0]!,
      number: index + 1,
      report: large,
    }))
    const body = jobWebhookBody('bulk.completed', 'full', job, many, url)
    expect(Buffer.byteLength(body)).toBeLessThan(MAX_FULL_BODY_BYTES)
    const { results } = (JSON.parse(body) as { data: { results: object[] } }).data
    expect(results).toHaveLength(1_000)
    expect(results[999]).toEqual({
      number: 1_000,
      address: '0xA"b',
      reference: 'sealed reference',
      status: 'completed',
      report_id: '622f9400217f0c00',
      level: 'red',
      score: 95.1,
    })
  })

  test('of a test ping names its endpoint', () => {
    expect(JSON.parse(testWebhookBody('we_1', job.endedAt, 'full'))).toEqual({
      type: 'endpoint.test',
      timestamp: job.endedAt,
      data: { endpoint_id: 'we_1' },
    })
  })
})

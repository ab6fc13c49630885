/** Bulk jobs as callers see them, on every real service. */
import { requestedEventId, screenTopic, topicOf, type DomainEvent } from '@cupel/contracts'
import { magicProblems } from '@cupel/domain'
import { listDeadLetters } from '@cupel/event-log'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startInstallation, type Installation, type Reply } from './installation.js'

const ETH = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const BTC = '12cbQLTFMXRnSzktFkuoG3eHoMeFtpTu3S'

interface Job {
  readonly job_id: string
  readonly status: string
  readonly total: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  readonly created_at: string
  readonly started_at: string | null
  readonly completed_at: string | null
  readonly results_url: string
  readonly results: readonly Result[] | null
}
interface Page {
  readonly items: readonly Result[]
  readonly next_page_token: string | null
}
interface Result {
  readonly number: number
  readonly address: string
  readonly status: string
  readonly report?: { report_id: string; address: string; chain: string }
  readonly error?: { code: string; detail: string }
}

let installation: Installation
let key: string
beforeAll(async () => {
  installation = await startInstallation()
  key = (await installation.key()).key
})
afterAll(() => installation.close())

const addresses = (count: number, from = 1): string[] =>
  Array.from({ length: count }, (_, n) => `0x${(n + from).toString(16).padStart(40, '0')}`)
const submit = (body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  installation.call('POST', '/v1/bulk', { key, body, headers })
const get = (path: string, headers: Record<string, string> = {}, by = key): Promise<Reply> =>
  installation.call('GET', path, { key: by, headers })
const ended = (jobId: string, by = key): Promise<Job> =>
  until(async () => {
    const reply = await get(`/v1/bulk/${jobId}`, {}, by)
    expect(reply.status, reply.text).toBe(200)
    const job = reply.json<Job>()
    if (job.completed_at === null) throw new Error(`${jobId} is ${job.status}`)
    return job
  })
async function run(body: unknown): Promise<Job> {
  const reply = await submit(body)
  expect(reply.status, reply.text).toBe(202)
  return await ended(reply.json<Job>().job_id)
}

describe('a job', () => {
  test('is accepted, runs, and shows a result for each address in its position', async () => {
    const reply = await submit({ addresses: [ETH, 'nonsense', BTC, ETH] })
    const accepted = reply.json<Job>()
    expect(reply.status).toBe(202)
    expect(reply.headers.get('location')).toBe(`/v1/bulk/${accepted.job_id}`)
    expect(accepted).toMatchObject({
      ...{ status: 'queued', total: 4, completed: 0, failed: 1, cancelled: 0, livemode: true },
      ...{ started_at: null, completed_at: null, results: null },
      results_url: `${installation.url}/v1/bulk/${accepted.job_id}/results`,
    })
    const job = await ended(accepted.job_id)
    expect(job).toMatchObject({
      status: 'completed_with_errors',
      total: 4,
      completed: 3,
      failed: 1,
      cancelled: 0,
    })
    expect(job.created_at <= job.started_at! && job.started_at! <= job.completed_at!).toBe(true)
    expect(job.results!.map(({ number, address, status }) => [number, address, status])).toEqual([
      [1, ETH, 'completed'],
      [2, 'nonsense', 'failed'],
      [3, BTC, 'completed'],
      [4, ETH, 'completed'],
    ])
    expect(job.results![1]!.error).toMatchObject({ code: 'invalid_address' })
    expect(job.results![2]!.report).toMatchObject({ address: BTC, chain: 'BTC' })
    expect(job.results![3]!.report).toEqual(job.results![0]!.report)
  })

  test('shows each report byte for byte as GET /v1/reports does', async () => {
    const job = await run({ addresses: [ETH] })
    const { text } = await get(`/v1/bulk/${job.job_id}`)
    const report = await get(`/v1/reports/${job.results![0]!.report!.report_id}`)
    expect(text).toContain(report.text)
  })

  test('with one address in two forms makes a report for each, with its own form', async () => {
    const job = await run({ addresses: [ETH, ETH.toLowerCase()] })
    const reports = job.results!.map(({ report }) => report!)
    expect(reports.map(({ address }) => address)).toEqual([ETH, ETH.toLowerCase()])
    expect(reports[0]!.report_id).not.toBe(reports[1]!.report_id)
  })

  test('of 1,000 addresses has 1,000 reports of its own', async () => {
    const texts = addresses(1_000)
    const job = await run({ addresses: texts })
    expect(job).toMatchObject({
      status: 'completed',
      total: 1_000,
      completed: 1_000,
      failed: 0,
      cancelled: 0,
    })
    expect(job.results!.map(({ report }) => report!.address)).toEqual(texts)
    expect(new Set(job.results!.map(({ report }) => report!.report_id)).size).toBe(1_000)
  })

  test('of 1,000 bad texts of 256 characters fails every item and ends at once', async () => {
    const job = await run({ addresses: Array.from({ length: 1_000 }, (_, n) => `${n}`.padStart(256, 'x')) })
    expect(job).toMatchObject({ status: 'completed_with_errors', total: 1_000, completed: 0, failed: 1_000 })
    expect(job.completed_at).toBe(job.created_at)
  })

  test('with a chain judges every address by it', async () => {
    const job = await run({ addresses: [ETH, BTC], chain: 'matic' })
    expect(job.results![0]!.report).toMatchObject({ chain: 'MATIC' })
    expect(job.results![1]!.error).toMatchObject({ code: 'chain_mismatch' })
  })

  test('with one undecodable item fails only that item; the other 999 are screened and the job ends', async () => {
    const owner = await installation.key()
    const jobId = `job_${'5'.repeat(32)}`
    const texts = addresses(1_000, 40_000)
    const items = texts.map((address, n) => ({
      ...{ address, canonicalAddress: address, chain: 'ETH', candidateChains: [] },
      ...{
        reference: null,
        refusedText: null,
        errorCode: null,
        errorDetail: null,
        reportId: `5${(n + 1).toString(16).padStart(13, '0')}0f`,
      },
    }))
    const poisoned = items[417]!
    const at = new Date().toISOString()
    const id = requestedEventId()
    // The record of the poisoned item comes before that of the coordinator: the first record of a report id counts.
    await installation.log.append('test', [
      {
        topic: screenTopic('bulk'),
        key: poisoned.reportId,
        value: Buffer.from('poison'),
        headers: { ce_type: 'ScreenRequested' },
      },
    ])
    await until(async () => {
      const failures = 'SELECT FROM report_view.report WHERE report_id = $1'
      expect(await installation.database.query(failures, [poisoned.reportId])).toHaveLength(1)
    })
    const event: DomainEvent<'BulkSubmitted'> = {
      type: 'BulkSubmitted',
      data: {
        ...{ jobId, accountId: owner.accountId, livemode: true, name: null, items, submittedAt: at },
        reportPageUrl: 'https://cupel.example.com/reports/',
        call: null,
      },
      envelope: { id, source: 'test', time: at, subject: jobId, correlationId: id, causationId: id },
    }
    const target = { topic: topicOf('BulkSubmitted'), key: jobId }
    await installation.log.append('test', [installation.codec.encode(event, target)])
    const job = await ended(jobId, owner.key)
    expect(job).toMatchObject({ status: 'completed_with_errors', completed: 999, failed: 1, cancelled: 0 })
    const sound = await run({ addresses: addresses(1_000, 60_000) })
    const tookMs = (one: Job): number => Date.parse(one.completed_at!) - Date.parse(one.created_at)
    process.stdout.write(
      `1,000 items ended after ${tookMs(sound)} ms, with one poisoned after ${tookMs(job)} ms\n`,
    )
    const failed = job.results!.filter(({ status }) => status === 'failed')
    expect(failed).toMatchObject([{ number: 418, error: { code: 'screening_failed' } }])
    const [letter] = await listDeadLetters(installation.log, 'scorer.bulk.v1')
    expect(letter).toMatchObject({ key: poisoned.reportId, origin: { topic: screenTopic('bulk') } })
  })
})

describe('a submission', () => {
  test.each([
    ['no addresses', { addresses: [] }, '/addresses'],
    ['1,001 addresses', { addresses: addresses(1_001) }, '/addresses'],
    ['addresses that are not a list', { addresses: ETH }, '/addresses'],
    ['an address of 257 characters', { addresses: [ETH, 'x'.repeat(257)] }, '/addresses/1'],
    ['an address that is not text', { addresses: [ETH, 7] }, '/addresses/1'],
    ['a field that is not known', { addresses: [ETH], webhook: 'https://example.org' }, '/webhook'],
  ])('with %s is refused at its place', async (_, body, pointer) => {
    const reply = await submit(body)
    expect(reply.json()).toMatchObject({ status: 400, code: 'invalid_request', errors: [{ pointer }] })
  })

  test('with an unknown chain is refused as a whole', async () => {
    const reply = await submit({ addresses: [ETH], chain: 'nope' })
    expect(reply.json()).toMatchObject({
      status: 422,
      code: 'unsupported_chain',
      errors: [{ pointer: '/chain' }],
    })
  })

  test('repeated under its Idempotency-Key is answered as the first time, also when the job has ended', async () => {
    const body = { addresses: [ETH, 'nonsense'] }
    const headers = { 'idempotency-key': 'bulk-1' }
    const first = await submit(body, headers)
    const { job_id: jobId } = first.json<Job>()
    const again = await submit(body, headers)
    await ended(jobId)
    const late = await submit(body, headers)
    for (const reply of [again, late]) {
      expect([reply.status, reply.text]).toEqual([202, first.text])
      expect(reply.headers.get('idempotency-replayed')).toBe('true')
      expect(reply.headers.get('location')).toBe(`/v1/bulk/${jobId}`)
    }
    expect((await submit({ addresses: [BTC] }, headers)).json()).toMatchObject({
      code: 'idempotency_mismatch',
    })
  })

  test('needs a key that may write, and an id of another tenant is unknown', async () => {
    const { job_id: jobId } = await run({ addresses: [ETH] })
    const readOnly = await installation.key({ scope: 'read-only' })
    expect(
      (await installation.call('POST', '/v1/bulk', { key: readOnly.key, body: { addresses: [ETH] } })).status,
    ).toBe(403)
    for (const path of ['', '/results']) {
      const foreign = await get(`/v1/bulk/${jobId}${path}`, {}, readOnly.key)
      const unknown = await get(`/v1/bulk/job_${'0'.repeat(32)}${path}`, {}, readOnly.key)
      expect([foreign.status, { ...foreign.json(), request_id: '' }]).toEqual([
        404,
        { ...unknown.json(), request_id: '' },
      ])
    }
    const other = await installation.key()
    const cancelled = await installation.call('POST', `/v1/bulk/${jobId}/cancel`, { key: other.key })
    expect(cancelled.status).toBe(404)
  })
})

describe('results', () => {
  test('come in pages of JSON, each continuing after the previous one', async () => {
    const texts = [...addresses(120, 7_000), 'nonsense']
    const { job_id: jobId } = await run({ addresses: texts })
    const seen: string[] = []
    let token: string | null = null
    do {
      const query: string = token === null ? '' : `&page_token=${token}`
      const page: Page = (await get(`/v1/bulk/${jobId}/results?page_size=50${query}`)).json<Page>()
      expect(page.items.length).toBeLessThanOrEqual(50)
      seen.push(...page.items.map(({ address }) => address))
      token = page.next_page_token
    } while (token !== null)
    expect(seen).toEqual(texts)
  })

  test('come whole as lines of JSON and as a table, by Accept', async () => {
    const { job_id: jobId, results } = await run({ addresses: [ETH, 'nonsense'] })
    const lines = await get(`/v1/bulk/${jobId}/results`, { accept: 'application/x-ndjson' })
    expect(lines.headers.get('content-type')).toBe('application/x-ndjson')
    expect(
      lines.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(results)
    const table = await get(`/v1/bulk/${jobId}/results`, { accept: 'text/csv' })
    expect(table.headers.get('content-type')).toMatch(/^text\/csv/)
    const [head, one, other] = table.text.split('\r\n')
    expect(head).toMatch(/^number,address,status,report_id,chain,level,score,/)
    expect(one).toContain(`1,${ETH},completed,${results![0]!.report!.report_id},ETH,`)
    expect(other).toMatch(/^2,nonsense,failed,.*invalid_address,/)
    expect((await get(`/v1/bulk/${jobId}/results`, { accept: 'application/pdf' })).json()).toMatchObject({
      status: 406,
    })
    expect((await get(`/v1/bulk/${jobId}/results`, { accept: '*/*' })).headers.get('content-type')).toBe(
      'application/json',
    )
  })

  test('as a table contain nothing that a spreadsheet would execute', async () => {
    const { job_id: jobId } = await run({
      addresses: ['=HYPERLINK("http://x","y")', '@SUM(1)', '+1', '-1', ' =1'],
    })
    const { text } = await get(`/v1/bulk/${jobId}/results`, { accept: 'text/csv' })
    const cells = text
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((row) => row.split(',')[1]!)
    expect(cells).toEqual([expect.stringMatching(/^"'=/), `'@SUM(1)`, `'+1`, `'-1`, `' =1`])
  })
})

describe('cancelling', () => {
  test('ends a job; finished items keep their results, and every item has one', async () => {
    const before = await submit({ addresses: addresses(1_000, 20_000) })
    const { job_id: jobId } = before.json<Job>()
    const began = performance.now()
    const reply = await installation.call('POST', `/v1/bulk/${jobId}/cancel`, { key })
    expect(reply.status).toBe(202)
    const job = await ended(jobId)
    process.stdout.write(
      `A job of 1,000 ended ${Math.round(performance.now() - began)} ms after its cancel\n`,
    )
    expect(job.completed + job.failed + job.cancelled).toBe(1_000)
    expect(job.status).toBe(job.cancelled > 0 ? 'cancelled' : 'completed')
    const told = (status: string): number => job.results!.filter((result) => result.status === status).length
    expect([told('completed'), told('cancelled')]).toEqual([job.completed, job.cancelled])
    const again = await installation.call('POST', `/v1/bulk/${jobId}/cancel`, { key })
    expect([again.status, again.json<Job>().status]).toEqual([202, job.status])
  })
})

describe('the sandbox', () => {
  test('runs jobs of its own, and neither side knows the other’s', async () => {
    const live = await installation.key()
    const sandbox = await installation.key({ accountId: live.accountId, environment: 'test' })
    const call = (by: string) =>
      installation.call('POST', '/v1/bulk', { key: by, body: { addresses: [ETH, BTC] } })
    const { job_id: jobId } = (await call(sandbox.key)).json<Job>()
    const job = await ended(jobId, sandbox.key)
    expect(job).toMatchObject({ status: 'completed', completed: 2, livemode: false })
    expect((await get(`/v1/bulk/${jobId}`, {}, live.key)).status).toBe(404)
  })

  test('gives the item of a magic address the fixed answer of that address', async () => {
    const { key: sandbox } = await installation.key({ environment: 'test' })
    const [red, broken] = [
      '0xc0be100000000000000000000000000000000004',
      '0xc0be1000000000000000000000000000000e5002',
    ]
    const reply = await installation.call('POST', '/v1/bulk', {
      key: sandbox,
      body: { addresses: [red, broken, ETH] },
    })
    const job = await ended(reply.json<Job>().job_id, sandbox)
    expect(job.results).toMatchObject([
      { status: 'completed', report: { risk: { level: 'red' } } },
      { status: 'failed', error: { code: magicProblems.get(broken!) } },
      { status: 'completed', report: { risk: { level: 'grey' } } },
    ])
  })
})

/** Tests the reads of bulk jobs: the list, results worst first, and the event stream. */
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestJobs, type TestJob as Job, type TestJobs } from './bulk-jobs.js'
import { ADDRESS, call, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

const WORKBOOK = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

let installation: Installation
let url: string
let submit: TestJobs['submit']
let decide: TestJobs['decide']
let end: TestJobs['end']
beforeAll(async () => {
  installation = await startInstallation()
  url = (await installation.api({ streamLimits: {} })).url
  ;({ submit, decide, end } = createTestJobs(installation, url))
})
afterAll(() => installation.stop())

const OTHERS = ['0x1111111111111111111111111111111111111111', '0x2222222222222222222222222222222222222222']

interface StreamEvent {
  readonly type: string
  readonly id: string
  readonly data: Record<string, unknown>
}

function eventsIn(text: string): StreamEvent[] {
  return [...text.matchAll(/^event: (.+)\nid: (.+)\ndata: (.+)\n\n/gm)].map(([, type, id, data]) => ({
    ...{ type: type!, id: id! },
    data: JSON.parse(data!) as Record<string, unknown>,
  }))
}

/** Follows the event stream of a job like an EventSource. */
async function follow({ jobId, key }: Pick<Job, 'jobId' | 'key'>, lastEventId?: string) {
  const leaving = new AbortController()
  const response = await fetch(`${url}/v1/bulk/${jobId}/events`, {
    signal: leaving.signal,
    headers: {
      authorization: `Bearer ${key}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
  })
  let text = ''
  const whole = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? [])
      text += decoder.decode(chunk as Uint8Array, { stream: true })
  })().catch(() => undefined)
  return { response, whole, events: () => eventsIn(text), leave: () => leaving.abort() }
}

describe('the list of jobs', () => {
  const list = (key: string, query = ''): Promise<Reply> => call(url, 'GET', `/v1/bulk${query}`, { key })
  const items = (reply: Reply) => reply.json()['items'] as Record<string, unknown>[]

  test('is newest first, and new jobs do not move its pages', async () => {
    const { key } = await installation.key()
    const made: string[] = []
    for (let count = 0; count < 3; count += 1) made.unshift((await submit(key)).jobId)
    await until(async () => expect(items(await list(key))).toHaveLength(3))
    const first = await list(key, '?page_size=2')
    const newest = await submit(key)
    const token = encodeURIComponent(String(first.json()['next_page_token']))
    const second = await list(key, `?page_size=2&page_token=${token}`)
    expect([...items(first), ...items(second)].map(({ job_id }) => job_id)).toEqual(made)
    expect(second.json()['next_page_token']).toBeNull()
    await until(async () => expect(items(await list(key))[0]).toMatchObject({ job_id: newest.jobId }))
    const { key: other } = await installation.key()
    expect((await list(other, `?page_token=${token}`)).status).toBe(400)
    expect(items(await list(other))).toEqual([])
  })

  test('tells how each stands: one that runs is counted from its items, one that ended from its end', async () => {
    const { key } = await installation.key()
    const job = await submit(key, [ADDRESS, ...OTHERS, 'nonsense'])
    await decide(job, 0, 'green')
    await until(async () =>
      expect(items(await list(key))).toMatchObject([
        { job_id: job.jobId, status: 'running', total: 4, completed: 1, failed: 1, completed_at: null },
      ]),
    )
    for (const index of [1, 2]) await decide(job, index, 'red')
    await end(job, 3, 1)
    await until(async () =>
      expect(items(await list(key))).toMatchObject([
        { status: 'completed_with_errors', total: 4, completed: 3, failed: 1, cancelled: 0, livemode: true },
      ]),
    )
    const { levels } = (await call(url, 'GET', `/v1/bulk/${job.jobId}`, { key })).json()
    expect(levels).toEqual({ green: 1, orange: 0, red: 2, grey: 0 })
  })
})

test('the results of a long job are sent in slices, in every form, and a HEAD leaves nothing under way', async () => {
  const { key } = await installation.key()
  // Equal addresses share one report: one decision ends the job.
  const job = await submit(
    key,
    Array.from({ length: 100 }, () => ADDRESS),
  )
  await decide(job, 0, 'red')
  await end(job, 100, 0)
  const read = (path: string, accept: string, method = 'GET'): Promise<Reply> =>
    call(url, method, `/v1/bulk/${job.jobId}${path}`, { key, headers: { accept } })
  const inline = await until(async () => {
    const reply = await read('', 'application/json')
    expect(reply.json()['results']).toHaveLength(100)
    return reply
  })
  expect(inline.headers['transfer-encoding']).toBe('chunked')
  const results = inline.json()['results'] as { number: number }[]
  expect(results.map(({ number }) => number)).toEqual(Array.from({ length: 100 }, (_, at) => at + 1))
  const none = (await read('?results=none', 'application/json')).json()
  expect({ ...inline.json(), results: null }).toEqual(none)
  const lines = (await read('/results', 'application/x-ndjson')).text.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(results)
  const rows = (await read('/results', 'text/csv')).text.trimEnd().split('\r\n')
  const workbook = await read('/results', WORKBOOK)
  expect([workbook.status, workbook.headers['content-type']]).toEqual([200, WORKBOOK])
  expect(workbook.headers['content-disposition']).toMatch(/\.xlsx"$/)
  expect(workbook.text).toMatch(/^PK[^]*sheet1\.xml[^]*sheet2\.xml[^]*PK/)
  expect([rows.length, rows[0]!.split(',')[0], rows[100]!.split(',')[0]]).toEqual([101, 'number', '100'])
  // Send more HEAD requests than reads may run at once.
  for (let count = 0; count < 20; count += 1)
    expect((await read('/results', 'text/csv', 'HEAD')).status).toBe(200)
  expect((await read('/results', 'text/csv')).status).toBe(200)
})

test('results come worst first, level by level and page by page, and as a file', async () => {
  const { key } = await installation.key()
  const job = await submit(key, ['nonsense', ADDRESS, ...OTHERS])
  for (const [index, level] of [
    [1, 'green'],
    [2, 'red'],
    [3, 'grey'],
  ] as const)
    await decide(job, index, level)
  await end(job, 3, 1)
  const results = async (query: string, accept = 'application/json'): Promise<Reply> =>
    await call(url, 'GET', `/v1/bulk/${job.jobId}/results${query}`, { key, headers: { accept } })
  const numbersOf = (reply: Reply): unknown[] =>
    (reply.json()['items'] as { number: number }[]).map(({ number }) => number)
  await until(async () =>
    expect((await results('?status=pending')).json()).toMatchObject({ items: [], next_page_token: null }),
  )
  expect(numbersOf(await results('?sort=risk'))).toEqual([3, 4, 1, 2])
  expect(numbersOf(await results('?level=red'))).toEqual([3])
  expect(numbersOf(await results('?status=failed'))).toEqual([1])
  const met: unknown[] = []
  for (let query = '?sort=risk&page_size=1'; ;) {
    const page = await results(query)
    met.push(...numbersOf(page))
    const token = page.json()['next_page_token']
    if (token === null) break
    // A token continues only the list for which it was made.
    expect((await results(`?page_size=1&page_token=${encodeURIComponent(String(token))}`)).status).toBe(400)
    query = `?sort=risk&page_size=1&page_token=${encodeURIComponent(String(token))}`
  }
  expect(met).toEqual([3, 4, 1, 2])
  const table = await results('?sort=risk', 'text/csv')
  expect(table.text.split('\r\n').map((line) => line.split(',')[0])).toEqual([
    'number',
    '3',
    '4',
    '1',
    '2',
    '',
  ])
  expect((await results('?sort=risk', WORKBOOK)).text).toMatch(/^PK[^]*sheet2\.xml/)
  expect((await results('?sort=best')).status).toBe(400)
})

test('the results of a job that runs come page by page, those that wait last and only where they are asked for', async () => {
  const { key } = await installation.key()
  const job = await submit(key, ['nonsense', ADDRESS, ...OTHERS])
  await decide(job, 2, 'red')
  const page = (query: string): Promise<Reply> =>
    call(url, 'GET', `/v1/bulk/${job.jobId}/results?page_size=1${query}`, { key })
  const walk = async (query: string): Promise<unknown[]> => {
    const met: unknown[] = []
    for (let more = query; ;) {
      const { items, next_page_token: token } = (await page(more)).json() as {
        items: { number: number; status: string }[]
        next_page_token: string | null
      }
      met.push(...items.map(({ number, status }) => `${number} ${status}`))
      if (token === null) return met
      more = `${query}&page_token=${encodeURIComponent(token)}`
    }
  }
  await until(async () => expect(await walk('&status=completed')).toEqual(['3 completed']))
  expect(await walk('')).toEqual(['1 failed', '3 completed'])
  expect(await walk('&sort=risk')).toEqual(['3 completed', '1 failed'])
  expect(await walk('&include=pending')).toEqual(['1 failed', '2 pending', '3 completed', '4 pending'])
  expect(await walk('&sort=risk&include=pending')).toEqual([
    ...['3 completed', '1 failed', '2 pending', '4 pending'],
  ])
  expect(await walk('&status=pending')).toEqual(['2 pending', '4 pending'])
  expect(await walk('&level=green')).toEqual([])
  // A walk that began before the end of the job continues after it.
  const begun = (await page('&sort=risk')).json()
  for (const index of [1, 3]) await decide(job, index, 'green')
  await end(job, 3, 1)
  const token = encodeURIComponent(String(begun['next_page_token']))
  await until(async () =>
    expect((await call(url, 'GET', `/v1/bulk/${job.jobId}`, { key })).json()).toMatchObject({
      status: 'completed_with_errors',
      results: [{ number: 1 }, { number: 2 }, { number: 3 }, { number: 4 }],
    }),
  )
  expect((await page(`&sort=risk&page_token=${token}`)).json()['items']).toMatchObject([{ number: 1 }])
})

describe('the events of a job', () => {
  test('tell how it stands, then every change, then its end, to all who follow it', async () => {
    const { key } = await installation.key()
    const job = await submit(key, [ADDRESS, ...OTHERS])
    const followers = [await follow(job), await follow(job)]
    const [first, second] = [followers[0]!, followers[1]!]
    expect(first.response.status).toBe(200)
    expect(first.response.headers.get('content-type')).toBe('text/event-stream')
    await until(() =>
      expect(first.events()).toMatchObject([{ type: 'progress', data: { status: 'queued' } }]),
    )
    await decide(job, 0, 'orange')
    await until(() =>
      expect(second.events().at(-1)?.data).toMatchObject({
        ...{ status: 'running', completed: 1, levels: { orange: 1 }, results: null },
      }),
    )
    for (const index of [1, 2]) await decide(job, index, 'red')
    await end(job, 3, 0)
    for (const { whole, events } of followers) {
      await whole
      expect(events().at(-1)).toMatchObject({
        ...{ type: 'ended', id: 'completed.3.0.0' },
        data: { job_id: job.jobId, status: 'completed', completed: 3, levels: { red: 2 } },
      })
      const done = events().map(({ data }) => Number(data['completed']))
      expect(done).toEqual([...done].sort((one, other) => one - other))
    }
  })

  test('begin after the last one that the reader has, and a reader that has the end is told to stop', async () => {
    const { key } = await installation.key()
    const job = await submit(key)
    const before = await follow(job)
    await until(() => expect(before.events()).toHaveLength(1))
    before.leave()
    const again = await follow(job, before.events()[0]!.id)
    await decide(job, 0, 'green')
    await end(job, 1, 1)
    await again.whole
    expect(again.events().map(({ id }) => id)).not.toContain(before.events()[0]!.id)
    const last = again.events().at(-1)!
    expect(last.type).toBe('ended')
    expect((await follow(job, last.id)).response.status).toBe(204)
    const late = await follow(job)
    await late.whole
    expect(late.events()).toEqual([last])
  })

  test('are told to nobody whose key is gone, nor to another account, and HEAD opens nothing', async () => {
    const { key, keyId, accountId } = await installation.key()
    const job = await submit(key)
    const { key: kept } = await installation.key({ accountId })
    const [revoked, valid] = [await follow(job), await follow({ jobId: job.jobId, key: kept })]
    await installation.database.execute('UPDATE access.api_key SET revoked_at = now() WHERE key_id = $1', [
      keyId,
    ])
    await revoked.whole
    await decide(job, 0, 'green')
    await until(() => expect(valid.events().at(-1)?.data).toMatchObject({ completed: 1 }))
    expect(revoked.events().at(-1)?.data).toMatchObject({ completed: 0 })
    valid.leave()
    const { key: stranger } = await installation.key()
    expect((await follow({ jobId: job.jobId, key: stranger })).response.status).toBe(404)
    const head = await call(url, 'HEAD', `/v1/bulk/${job.jobId}/events`, { key: kept })
    expect([head.status, head.text]).toEqual([200, ''])
  })

  test('end with the process: open streams do not hold up a stop', async () => {
    const { key } = await installation.key()
    const api = await installation.api({ config: { CUPEL_INSTANCE: 3 }, streamLimits: {} })
    const job = await submit(key)
    const response = await fetch(`${api.url}/v1/bulk/${job.jobId}/events`, {
      headers: { authorization: `Bearer ${key}` },
    })
    await api.stop()
    expect(await response.text()).toContain('event: progress')
  })
})

import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningApi } from '../src/start-api.js'
import { createTestJobs, type TestJobs } from './bulk-jobs.js'
import { call, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

let installation: Installation
let api: RunningApi
let key: string
let jobs: TestJobs
let path: string
const get = (at: string, headers: Record<string, string> = {}, as = key): Promise<Reply> =>
  call(api.url, 'GET', at, { key: as, headers })
beforeAll(async () => {
  installation = await startInstallation()
  api = await installation.api()
  ;({ key } = await installation.key())
  jobs = createTestJobs(installation, api.url)
  path = await endedJob()
})
afterAll(() => installation.stop())

/** More than a key may have under way. */
const MANY = 14

/** A document that was never rendered. */
async function endedJob(): Promise<string> {
  const job = await jobs.submit(key)
  await jobs.decide(job, 0, 'red')
  await jobs.end(job, 1, 1)
  return `/v1/bulk/${job.jobId}/pdf`
}

test('an ended job is a PDF with a name, a strong tag and its results, the same bytes each time', async () => {
  const first = await get(path)
  expect(first.status, first.text).toBe(200)
  expect(first.text).toMatch(/^%PDF-1\.7/)
  expect(first.text).toContain('"level":"red"')
  expect(first.text).toContain('"code":"invalid_address"')
  expect(first.headers).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition': expect.stringMatching(
      /^attachment; filename="cupel-bulk-job_[0-9a-f]{32}\.pdf"$/,
    ) as string,
    etag: expect.stringMatching(/^"[0-9a-f]{32}-\d+"$/) as string,
  })
  const second = await get(path)
  expect([second.headers['etag'], second.text]).toEqual([first.headers['etag'], first.text])
})

test('a caller that has the document gets 304 and no body', async () => {
  const etag = (await get(path)).headers['etag']!
  const again = await get(path, { 'if-none-match': etag })
  expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', etag])
})

test('a job that runs is 409 until it has ended', async () => {
  const job = await jobs.submit(key)
  const at = `/v1/bulk/${job.jobId}/pdf`
  expect((await get(at)).json()).toMatchObject({ status: 409, code: 'job_not_ended' })
  await jobs.decide(job, 0, 'green')
  expect((await get(at)).status).toBe(409)
  await jobs.end(job, 1, 1)
  expect((await get(at)).status).toBe(200)
})

test('the job of another account, or of nobody, is 404', async () => {
  const stranger = (await installation.key()).key
  expect((await get(path, {}, stranger)).json()['code']).toBe('not_found')
  expect((await get(`/v1/bulk/job_${'0'.repeat(32)}/pdf`)).json()['code']).toBe('not_found')
})

test('a key that asks for many at once is refused with 429 and Retry-After', async () => {
  // An account renders one document after the other. On a slow machine it may still finish as fast as calls come.
  const replies = await until(async () => {
    const asked = await Promise.all(Array.from({ length: MANY }, endedJob))
    const found = await Promise.all(asked.map((at) => get(at)))
    expect(found.map(({ status }) => status)).toContain(429)
    return found
  })
  const refused = replies.filter(({ status }) => status === 429)
  for (const reply of refused) expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
  expect(replies.filter(({ status }) => status === 200).length + refused.length).toBe(MANY)
})

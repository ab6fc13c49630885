/** A text of a job that is not an address may be a name from the wrong column of a table. It is personal data of the account. */
import { eraseAccount, eraseReference, keyIdOf } from '@cupel/personal-data'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningApi } from '../src/start-api.js'
import { createTestJobs, type TestJob, type TestJobs } from './bulk-jobs.js'
import { ADDRESS, call } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

/** A table program would execute it, were it not made harmless after it is opened. */
const NAME = '=Marker "Jane", Doe'
/** More than the process itself makes at once. */
const LARGE = 600

let installation: Installation
let api: RunningApi
let jobs: TestJobs
beforeAll(async () => {
  installation = await startInstallation()
  api = await installation.api()
  jobs = createTestJobs(installation, api.url)
})
afterAll(() => installation.stop())

const results = async ({ jobId, key }: TestJob, accept = 'application/json'): Promise<string> => {
  const reply = await call(api.url, 'GET', `/v1/bulk/${jobId}/results`, { key, headers: { accept } })
  expect(reply.status, reply.text).toBe(200)
  return reply.text
}

async function storedTexts(jobId: string): Promise<string> {
  const query = 'SELECT items::text AS items FROM job_view.job WHERE job_id = $1'
  return await until(async () => {
    const [row] = await installation.database.query<{ items: string }>(query, [jobId])
    expect(row).toBeDefined()
    return row!.items
  })
}

test('neither the log nor a table holds what the caller sent in the place of an address', async () => {
  const { key } = await installation.key()
  const job = await jobs.submit(key, [ADDRESS, NAME, `${ADDRESS} ${NAME}`])
  expect(JSON.stringify(job.submission)).not.toContain('Jane')
  expect(await storedTexts(job.jobId)).not.toContain('Jane')
  expect(job.submission.items.map(({ address }) => address)).toEqual([ADDRESS, '', ''])
})

test('neither the log nor a table holds a reference or the name of a job; the account reads them until their erasure', async () => {
  const { accountId, key } = await installation.key()
  const job = await jobs.submit(key, [ADDRESS, NAME], {
    name: 'Jane’s job',
    references: ['Jane 1', 'Jane 2'],
  })
  expect(JSON.stringify(job.submission)).not.toContain('Jane')
  expect(await storedTexts(job.jobId)).not.toContain('Jane')
  await jobs.decide(job, 0, 'red')
  await jobs.end(job, 1, 1)
  const read = async (url: string): Promise<string> => {
    const paths = ['', '?results=none', '/results?include=pending', '/events']
    const texts = paths.map((path) => call(url, 'GET', `/v1/bulk/${job.jobId}${path}`, { key }))
    const list = call(url, 'GET', '/v1/bulk', { key })
    return (await Promise.all([...texts, list])).map(({ text }) => text).join('\n')
  }
  await until(async () => {
    const text = await read(api.url)
    expect(text.match(/Jane’s job/g)).toHaveLength(4)
    expect(text.match(/"Jane 1"/g)?.length).toBeGreaterThanOrEqual(2)
    expect(text).toContain('"Jane 2"')
  })

  await eraseReference(installation.database, {
    ...{ accountId, keyId: keyIdOf(job.submission.items[0]!.reference!)! },
    ...{ by: 'test', reason: 'test', plainRecords: 0 },
  })
  const later = await installation.api()
  expect(await read(later.url)).not.toContain('"Jane 1"')
  expect(await read(later.url)).toContain('"Jane 2"')
  await eraseAccount(installation.database, { accountId, by: 'test', reason: 'test', plainRecords: 0 })
  const last = await installation.api()
  expect(await read(last.url)).not.toContain('Jane')
})

test.each(['a small', 'a large'])(
  'the account reads it back from %s job in every form, harmless in a table, and after its erasure nobody does',
  async (size) => {
    const { accountId, key } = await installation.key()
    const names = Array.from({ length: size === 'a small' ? 2 : LARGE }, (_, n) => `${NAME} ${n}`)
    const job = await jobs.submit(key, names)
    await jobs.end(job, 0, names.length)
    const pdf = async (): Promise<string> =>
      (await call(api.url, 'GET', `/v1/bulk/${job.jobId}/pdf`, { key })).text
    const last = JSON.stringify(names.at(-1)).slice(1, -1)
    await until(async () => expect(await results(job, 'application/x-ndjson')).toContain(last))
    expect(await results(job)).toContain(JSON.stringify(names[0]).slice(1, -1))
    expect(await results(job, 'text/csv')).toContain(`"'=Marker ""Jane"", Doe 0"`)
    expect(await pdf()).toContain('Jane')

    await eraseAccount(installation.database, { accountId, by: 'test', reason: 'test', plainRecords: 0 })
    // Another process has no key in its memory.
    const other = await installation.api()
    for (const accept of ['application/json', 'application/x-ndjson', 'text/csv']) {
      const path = `/v1/bulk/${job.jobId}/results`
      const { text } = await call(other.url, 'GET', path, { key, headers: { accept } })
      expect(text).not.toContain('Jane')
      expect(text).toContain('erased')
    }
  },
)

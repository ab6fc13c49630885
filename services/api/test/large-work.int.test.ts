/** Calls about cases that are much work: a few are under way at once for a key, and those of another account lose nothing. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestJobs } from './bulk-jobs.js'
import { ADDRESS, call, screen, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

let installation: Installation
let url: string
beforeAll(async () => {
  installation = await startInstallation()
  url = (await installation.api()).url
})
afterAll(() => installation.stop())

const MANY = 40
type Call = () => Promise<number>

async function expectFewAtOnce(make: (key: string) => Promise<Call>): Promise<void> {
  const keys = [await installation.key({ plan: 'enterprise' }), await installation.key()]
  const [greedily, once] = await Promise.all(keys.map(({ key }) => make(key)))
  const all = Array.from({ length: MANY }, greedily!)
  expect(await once!()).toBe(200)
  expect(new Set(await Promise.all(all))).toEqual(new Set([200, 429]))
}

const fileOf = (reportId: unknown, key: string, at = url): Promise<Reply> =>
  call(at, 'GET', `/v1/reports/${String(reportId)}/case/files/1`, { key })

async function reportWithFile(key: string): Promise<unknown> {
  const { report_id: id } = (await screen(url, key)).json()
  const content = Buffer.from('The agreement.').toString('base64')
  const files = `/v1/reports/${String(id)}/case/files`
  const attached = await call(url, 'POST', files, { key, body: { name: 'a.txt', content } })
  expect(attached.status).toBe(201)
  return id
}

test('a file is read as a large answer', async () => {
  await expectFewAtOnce(async (key) => {
    const id = await reportWithFile(key)
    return async () => (await fileOf(id, key)).status
  })
})

test('whoever waits until a report can be read takes no turn from others', async () => {
  const config = { CUPEL_INSTANCE: 1, CUPEL_READ_WAIT_MS: 60_000 }
  const { url: patient } = await installation.api({ config })
  const [waiting, other] = [await installation.key(), await installation.key()]
  const known = await reportWithFile(other.key)
  await installation.stopProjecting()
  const { report_id: late } = (await screen(url, waiting.key)).json()
  let isOver = false
  const reads = Promise.all([1, 2, 3].map(() => fileOf(late, waiting.key, patient))).finally(
    () => (isOver = true),
  )
  for (let count = 0; count < 10; count += 1)
    expect((await fileOf(known, other.key, patient)).status).toBe(200)
  expect(isOver).toBe(false)
  installation.project()
  expect((await reads).map(({ status }) => status)).toEqual([404, 404, 404])
})

test('cases of a job are opened as a large answer is made', async () => {
  const jobs = createTestJobs(installation, url)
  await expectFewAtOnce(async (key) => {
    const job = await jobs.submit(key, [ADDRESS])
    await jobs.decide(job, 0, 'red')
    await jobs.end(job, 1, 0)
    const cases = `/v1/bulk/${job.jobId}/cases`
    const open: Call = async () =>
      (await call(url, 'POST', cases, { key, body: { level: 'red', text: 'Red in a job' } })).status
    await expect.poll(open, { timeout: 30_000 }).toBe(200)
    return open
  })
})

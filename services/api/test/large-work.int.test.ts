/** Calls about cases that are much work: a few are under way at once for a key, and those of another account lose nothing. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestJobs } from './bulk-jobs.js'
import { ADDRESS, call, screen } from './http-client.js'
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

test('a file is read as a large answer', async () => {
  await expectFewAtOnce(async (key) => {
    const id = String((await screen(url, key)).json()['report_id'])
    const files = `/v1/reports/${id}/case/files`
    const content = Buffer.from('The agreement.').toString('base64')
    const attached = await call(url, 'POST', files, { key, body: { name: 'a.txt', content } })
    expect(attached.status).toBe(201)
    return async () => (await call(url, 'GET', `${files}/1`, { key })).status
  })
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

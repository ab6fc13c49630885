/** Jobs with a name and a reference for each item, on every real service. */
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type Installation, type Reply } from './installation.js'

const ETH = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const BTC = '12cbQLTFMXRnSzktFkuoG3eHoMeFtpTu3S'

interface Job {
  readonly job_id: string
  readonly name: string | null
  readonly status: string
  readonly levels: Readonly<Record<string, number>>
  readonly completed_at: string | null
  readonly results: readonly Result[] | null
}
interface Result {
  readonly number: number
  readonly reference?: string
  readonly report?: { report_id: string; chain: string; customer_reference: string | null }
  readonly error?: { code: string }
}

let installation: Installation
let key: string
beforeAll(async () => {
  installation = await startInstallation()
  key = (await installation.key()).key
})
afterAll(() => installation.close())

const submit = (body: unknown, by = key): Promise<Reply> =>
  installation.call('POST', '/v1/bulk', { key: by, body })
const get = (path: string, headers: Record<string, string> = {}, by = key): Promise<Reply> =>
  installation.call('GET', path, { key: by, headers })
async function run(body: unknown, by = key): Promise<Job> {
  const reply = await submit(body, by)
  expect(reply.status, reply.text).toBe(202)
  return await until(async () => {
    const job = (await get(`/v1/bulk/${reply.json<Job>().job_id}`, {}, by)).json<Job>()
    if (job.completed_at === null) throw new Error(`The job is ${job.status}`)
    return job
  })
}

test('a job with a name and a reference per item joins back to the file of the customer, in every form', async () => {
  const items = [
    { address: ETH, reference: 'order-1' },
    { address: 'nonsense', reference: 'order-2' },
    { address: ETH, reference: 'order-3' },
    { address: ETH, reference: 'order-1' },
    { address: ETH, chain: 'BSC', reference: 'order-4' },
    { address: BTC },
  ]
  const job = await run({ items, name: 'Customers of November', chain: 'eth' })
  const references = ['order-1', 'order-2', 'order-3', 'order-1', 'order-4', undefined]
  expect(job).toMatchObject({ name: 'Customers of November', total: 6, completed: 4, failed: 2 })
  expect(job.results!.map(({ reference }) => reference)).toEqual(references)
  expect(job.results!.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6])
  expect(job.results![5]!.error).toMatchObject({ code: 'chain_mismatch' })
  const reports = job.results!.flatMap(({ report }) => report ?? [])
  expect(reports.map(({ customer_reference: reference }) => reference)).toEqual([
    ...['order-1', 'order-3', 'order-1', 'order-4'],
  ])
  expect(reports.map(({ chain }) => chain)).toEqual(['ETH', 'ETH', 'ETH', 'BSC'])
  expect(new Set(reports.map(({ report_id: id }) => id)).size).toBe(3)
  const found = await get('/v1/reports?customer_reference=order-3')
  expect(found.json<{ items: { report_id: string }[] }>().items).toMatchObject([
    { report_id: reports[1]!.report_id },
  ])
  const lines = (await get(`/v1/bulk/${job.job_id}/results`, { accept: 'application/x-ndjson' })).text
  expect(
    lines
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as Result).reference),
  ).toEqual(references)
  const table = (await get(`/v1/bulk/${job.job_id}/results`, { accept: 'text/csv' })).text.split('\r\n')
  expect(table[0]).toMatch(/^number,.*,reference$/)
  expect(table[5]).toMatch(/^5,.*,order-4$/)
  expect((await get(`/v1/bulk/${job.job_id}/pdf`)).text).toContain('order-3')
})

test('a job is listed with its name and with as many of each level as its results have', async () => {
  const { key: own } = await installation.key()
  const order = { addresses: [ETH, 'nonsense', BTC, ETH], name: 'Listed' }
  const job = await run(order, own)
  const [listed] = (await get('/v1/bulk', {}, own)).json<{ items: Job[] }>().items
  expect(listed).toMatchObject({ name: 'Listed', levels: job.levels })
  expect(Object.values(listed!.levels).reduce((sum, count) => sum + count, 0)).toBe(3)
})

test.each([{}, { addresses: [ETH], items: [{ address: ETH }] }])(
  'a job takes addresses or items, not both and not neither: %j',
  async (body) => {
    const reply = await submit(body)
    expect(reply.status).toBe(400)
    expect(reply.text).toContain('Either addresses or items are needed')
  },
)

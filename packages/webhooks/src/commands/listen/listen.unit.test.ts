import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { newWebhookSecret } from '../../signing/signature.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createForwarding } from './forward.js'

const came: { headers: IncomingHttpHeaders; body: string }[] = []
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => (body += chunk.toString()))
  request.on('end', () => {
    came.push({ headers: request.headers, body })
    response.writeHead(204).end()
  })
})
beforeAll(async () => void (await once(server.listen(0, '127.0.0.1'), 'listening')))
afterAll(() => server.close())

const job = (id: string, over: object = {}) => ({
  ...{
    job_id: id,
    name: 'Customers',
    livemode: true,
    status: 'running',
    total: 2,
    completed: 0,
    failed: 1,
    cancelled: 0,
  },
  ...{ completed_at: null, results_url: `https://cupel.example.com/v1/bulk/${id}/results`, ...over },
})
const AT = '2026-11-21T09:00:00.000Z'
const report = { report_id: '622f9400217f0c00', risk: { level: 'red', score: 95 } }
const results = [
  { number: 1, address: '0xA', reference: 'order-1', status: 'completed', report },
  { number: 2, address: 'x', status: 'failed', error: { code: 'invalid_address', detail: 'no' } },
]

test('a job that ends while it listens is forwarded once, signed, with the body of a webhook', async () => {
  let jobs = [job('job_2'), job('job_1', { status: 'completed', completed_at: AT })]
  const secret = newWebhookSecret()
  const said: string[] = []
  const look = createForwarding({
    get: async (path) => (path.startsWith('/v1/bulk?') ? { items: jobs } : { ...job('job_2'), results }),
    forwardTo: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    ...{ secret, payload: 'full', note: (text) => said.push(text) },
  })
  await look()
  jobs = [job('job_2', { status: 'completed_with_errors', completed: 1, completed_at: AT }), jobs[1]!]
  expect([await look(), await look()]).toEqual([1, 0])
  expect(said).toEqual(['bulk.completed job_2 → 204'])
  expect(came).toHaveLength(1)
  const { headers, body } = came[0]!
  expect(JSON.parse(body)).toMatchObject({
    ...{ type: 'bulk.completed', timestamp: AT },
    data: { job_id: 'job_2', name: 'Customers', livemode: true, completed: 1, failed: 1, results },
  })
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  expect(headers['webhook-signature']).toBe(expected)
})

test('a program that does not answer is named, and the next job is still told', async () => {
  const said: string[] = []
  let jobs: object[] = []
  const look = createForwarding({
    get: async (path) => (path.startsWith('/v1/bulk?') ? { items: jobs } : { results: null }),
    forwardTo: 'http://127.0.0.1:1/hook',
    ...{ secret: newWebhookSecret(), payload: 'thin', note: (text) => said.push(text) },
  })
  await look()
  jobs = [
    job('job_4', { status: 'cancelled', completed_at: AT }),
    job('job_3', { status: 'completed', completed_at: AT }),
  ]
  await look()
  expect(said).toHaveLength(2)
  expect(said[0]).toMatch(/^bulk\.completed job_3 → no answer/)
  expect(said[1]).toMatch(/^bulk\.cancelled job_4 → no answer/)
})

test('a program that sends further is not followed, and an answer without an end is left', async () => {
  const reached: string[] = []
  const program = createServer((request, response) => {
    reached.push(request.url!)
    request.resume()
    if (request.url === '/further') return void response.writeHead(307, { location: '/elsewhere' }).end()
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    }
    response.on('drain', more)
    more()
  })
  await once(program.listen(0, '127.0.0.1'), 'listening')
  const at = `http://127.0.0.1:${(program.address() as AddressInfo).port}`
  try {
    for (const [path, status] of [
      ['/further', '307'],
      ['/endless', '200'],
    ] as const) {
      const said: string[] = []
      let jobs: object[] = []
      const look = createForwarding({
        get: async (asked) => (asked.startsWith('/v1/bulk?') ? { items: jobs } : { results: null }),
        forwardTo: at + path,
        ...{ secret: newWebhookSecret(), payload: 'thin', note: (text) => said.push(text) },
      })
      await look()
      jobs = [job('job_5', { status: 'completed', completed_at: AT })]
      await look()
      expect(said).toEqual([`bulk.completed job_5 → ${status}`])
    }
    expect(reached).toEqual(['/further', '/endless'])
  } finally {
    program.closeAllConnections()
    program.close()
  }
})

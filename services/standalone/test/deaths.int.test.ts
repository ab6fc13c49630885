/**
 * All services die at once, again and again, after any visit of any failpoint, while customers call them. Afterwards every answer still holds,
 * and whatever was accepted has ended once.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { screenTopic, topicOf, type EventType } from '@cupel/contracts'
import { LogUnavailableError, TYPE_HEADER, type EventLog } from '@cupel/event-log'
import { until } from '@cupel/testkit'
import { deathsWithin } from '@cupel/testkit/installation'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type Installation, type Life } from './installation.js'

const LISTED = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
/** A life reaches so many visits with the calls of its first moments. */
const VISITS = 100
/** A thousand deaths in the night. */
const NIGHT_MS = 6 * 3_600_000
const BAD = 'not an address'

interface Answered {
  readonly status: number
  readonly requestId: string
  readonly text: string
}

/** Every call that was sent, by its Idempotency-Key; null without an answer. */
const sent = { screens: new Map<string, Answered | null>(), jobs: new Map<string, Answered | null>() }
/** Answered calls of all kinds. */
const answered: Answered[] = []
/** What the receiver of webhooks got: bodies by message. */
const received = new Map<string, Set<string>>()
let installation: Installation
let key: string

const receiver = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const id = String(request.headers['webhook-id'])
    received.set(id, (received.get(id) ?? new Set()).add(Buffer.concat(chunks).toString()))
    response.writeHead(204).end()
  })
})

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  installation = await startInstallation({
    settings: { CUPEL_WEBHOOK_ALLOW: '127.0.0.0/8', CUPEL_WEB: 'false' },
  })
  key = (await installation.key({ plan: 'enterprise' })).key
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const endpoint = await installation.call('POST', '/v1/webhook-endpoints', { key, body: { url } })
  expect(endpoint.status, endpoint.text).toBe(201)
  await until(() => expect(received.size).toBe(1))
})
afterAll(async () => {
  await installation.close()
  receiver.close()
})

async function send(
  url: string,
  method: string,
  path: string,
  more: { by?: string; body?: object; under?: string; signal?: AbortSignal },
) {
  const headers = {
    authorization: `Bearer ${more.by ?? key}`,
    'content-type': 'application/json',
    ...(more.under === undefined ? {} : { 'idempotency-key': more.under }),
  }
  const body = more.body === undefined ? null : JSON.stringify(more.body)
  const response = await fetch(url + path, { method, headers, body, signal: more.signal ?? null })
  const text = await response.text()
  return { status: response.status, requestId: String(response.headers.get('request-id')), text }
}

const numberOf = (under: string): number => Number(under.split('-')[1])
const screenOf = (under: string) => ({
  address: numberOf(under) % 2 === 0 ? LISTED : address(numberOf(under)),
})
const jobOf = (under: string) => ({
  body: { addresses: [address(numberOf(under)), LISTED, BAD] },
  under: `job-${under}`,
})

let counted = 0
/** Customers call until the services are dead; who gets no answer calls again. */
async function use(url: string, dead: AbortSignal): Promise<void> {
  while (!dead.aborted) await callEach(url, dead).catch(() => pause(10))
}

async function callEach(url: string, signal: AbortSignal): Promise<void> {
  const under = `call-${(counted += 1)}`
  sent.screens.set(under, null)
  sent.jobs.set(under, null)
  const noted = async (call: Promise<Answered>): Promise<Answered> => {
    const reply = await call
    if (reply.status < 500) answered.push(reply)
    return reply
  }
  await Promise.all([
    noted(send(url, 'POST', '/v1/screen', { body: screenOf(under), under, signal })).then((reply) => {
      if (reply.status === 200) sent.screens.set(under, reply)
    }),
    noted(send(url, 'POST', '/v1/bulk', { ...jobOf(under), signal })).then((reply) => {
      if (reply.status === 202) sent.jobs.set(under, reply)
    }),
    noted(send(url, 'GET', '/v1/reports?page_size=1', { signal })),
    send(url, 'GET', '/v1/chains', { by: 'nonsense', signal }),
  ])
}

const address = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`

/** The lives differ: in the second kind each screen is late, in the third the log takes no record of a call. */
const lives: readonly Life[] = [
  { use },
  { use, settings: { CUPEL_SCREEN_DEADLINE_MS: '20' } },
  { use, log: refusingCalls },
]

function refusingCalls(log: EventLog): EventLog {
  return {
    ...log,
    append: (at, records) =>
      at === 'api.request-audited'
        ? Promise.reject(new LogUnavailableError('no acknowledgement'))
        : log.append(at, records),
  }
}

async function appendPoison(reportId: string): Promise<void> {
  const headers = { [TYPE_HEADER]: 'ScreenRequested' }
  const record = { topic: screenTopic('interactive'), key: reportId, value: Buffer.from(BAD), headers }
  await installation.log.append('test', [record])
}

test(
  'however often all services die, every answer holds, and what was accepted ends once',
  { timeout: NIGHT_MS },
  async () => {
    const accounts: string[] = []
    const poisoned: string[] = []
    for (const point of deathsWithin({ name: 'deaths of all services', visits: VISITS })) {
      const n = accounts.length
      accounts.push((await installation.key()).accountId)
      // Of many at once a lane rests.
      if (n % 4 === 0) await appendPoison(poisoned[poisoned.push(idOfPoison(n)) - 1]!)
      await installation.diesAt(point, lives[n % lives.length]!)
    }
    await installation.startAnew()
    await expectScreens()
    await expectJobs()
    await expectEveryAnswerRecorded()
    await expectEachToldOnce('ScreeningFailed', poisoned)
    await expectEachToldOnce('AccountCreated', accounts)
  },
)

const idOfPoison = (n: number): string => `feedface${n.toString(16).padStart(6, '0')}07`

/** Each key has one report, the one that was answered before if any was, and requests with one id. */
async function expectScreens(): Promise<void> {
  const reports = new Map<string, string>()
  for (const [under, before] of sent.screens) {
    const { text, status } = await until(async () => {
      const reply = await send(installation.url, 'POST', '/v1/screen', { body: screenOf(under), under })
      expect(reply.status, reply.text).toBe(200)
      return reply
    })
    if (before !== null) expect({ text, status }).toEqual({ text: before.text, status: before.status })
    const id = String((JSON.parse(text) as { report_id: string }).report_id)
    reports.set(id, text)
    expect((await send(installation.url, 'GET', `/v1/reports/${id}`, {})).text).toBe(text)
  }
  expect(reports.size).toBe(sent.screens.size)
  await expectEachToldOnce('ScreenRequested', [...reports.keys()])
}

/** Each job ends once, and its end is sent, repeatedly only with the same bytes. */
async function expectJobs(): Promise<void> {
  const jobs = new Set<string>()
  for (const [under, before] of sent.jobs) {
    const { text } = await until(async () => {
      const reply = await send(installation.url, 'POST', '/v1/bulk', jobOf(under))
      expect(reply.status, reply.text).toBe(202)
      return reply
    })
    // Its links lead to the address of the life that took it.
    if (before !== null) expect(jobIdOf(text)).toBe(jobIdOf(before.text))
    jobs.add(jobIdOf(text))
  }
  expect(jobs.size).toBe(sent.jobs.size)
  for (const id of jobs)
    await until(async () => {
      const { text } = await send(installation.url, 'GET', `/v1/bulk/${id}`, {})
      expect(JSON.parse(text)).toMatchObject({
        ...{ status: 'completed_with_errors', total: 3, completed: 2, failed: 1, cancelled: 0 },
        results: [{ status: 'completed' }, { status: 'completed' }, { status: 'failed' }],
      })
    })
  await expectEachToldOnce('BulkCompleted', [...jobs])
  // One message for each job, and the test of the endpoint.
  await until(() => expect(received.size).toBe(jobs.size + 1))
  expect([...received.values()].filter((bodies) => bodies.size > 1)).toEqual([])
}

const jobIdOf = (text: string): string => String((JSON.parse(text) as { job_id: string }).job_id)

async function expectEveryAnswerRecorded(): Promise<void> {
  await until(async () => {
    const recorded = new Set<string>()
    for (let page: string | null = ''; page !== null;) {
      const token = page === '' ? '' : `&page_token=${page}`
      const { text } = await send(installation.url, 'GET', `/v1/audit-log?page_size=100${token}`, {})
      const { items, next_page_token: next } = JSON.parse(text) as AuditPage
      for (const item of items) recorded.add(item.request_id)
      page = next
    }
    expect(answered.filter(({ requestId }) => !recorded.has(requestId))).toEqual([])
  })
}

interface AuditPage {
  readonly items: readonly { readonly request_id: string }[]
  readonly next_page_token: string | null
}

/** Records about a subject may repeat, with one id. */
async function expectEachToldOnce(type: EventType, subjects: readonly string[]): Promise<void> {
  const records = (await installation.records(topicOf(type))).filter(
    ({ headers }) => headers[TYPE_HEADER] === type,
  )
  const told = new Set(records.map(({ key: subject, headers }) => `${subject} ${headers['ce_id']}`))
  const of = (subject: string): number => [...told].filter((one) => one.startsWith(`${subject} `)).length
  expect(subjects.filter((subject) => of(subject) !== 1)).toEqual([])
}

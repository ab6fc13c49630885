/** The drill of a restore: the steps before and after the backup, and the checks when the installation runs again. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAccount, issueKey, revokeKey } from '@cupel/gate/access'
import { topicOf } from '@cupel/contracts'
import { scan, typeOf } from '@cupel/event-log'
import { recomputeReports } from '@cupel/evidence/proofs'
import { until } from '@cupel/testkit'
import { createEndpoint } from '@cupel/webhooks'
import { expect } from 'vitest'
import type { Opened, Running } from './restorable.js'

export interface Receiver {
  readonly url: string
  /** The id of each message about a job, in the order of arrival. */
  readonly received: string[]
  close(): Promise<void>
}

/** Accepts every message, and keeps all except test messages. */
export async function startReceiver(): Promise<Receiver> {
  const received: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      if (!body.includes('"type":"endpoint.test"')) received.push(String(request.headers['webhook-id']))
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Every answered report, with its bytes. */
export type Answered = Map<string, string>

export interface Customer {
  readonly accountId: string
  readonly key: string
  readonly keyId: string
}

const JOB_SIZE = 20
let addresses = 0
export const address = (): string => `0x${(++addresses).toString(16).padStart(40, '0')}`

export async function enrol({ database }: Opened, name: string): Promise<Customer> {
  const { accountId } = await createAccount(database, { name, by: 'test' })
  const issued = await issueKey(database, {
    ...{ accountId, environment: 'live', scope: 'read-write', plan: 'enterprise', by: 'test' },
  })
  return { accountId, key: issued.key, keyId: issued.keyId }
}

export const revoke = (opened: Opened, { keyId }: Customer): Promise<unknown> =>
  revokeKey(opened.database, { keyId, by: 'test', reason: 'A drill.' })

export async function addEndpoint(
  { webhooks, database }: Running,
  { accountId }: Customer,
  url: string,
): Promise<void> {
  const made = await createEndpoint(webhooks, { accountId, livemode: true, url, by: 'test' })
  if (!made.ok) throw new Error(JSON.stringify(made))
  // The dispatcher sends the test message that proves it.
  await until(async () =>
    expect(
      await database.query(
        'SELECT 1 FROM webhooks.endpoint WHERE endpoint_id = $1 AND proven_at IS NOT NULL',
        [made.endpoint.endpointId],
      ),
    ).toHaveLength(1),
  )
}

/** Screens until a call is answered. If a busy machine answers too late, it tries again with another address. */
export async function screen({ call }: Running, { key }: Customer, answered: Answered): Promise<string> {
  const reply = await until(async () => {
    const one = await call('/v1/screen', key, { address: address(), chain: 'ETH' })
    expect(one.status, one.text).toBe(200)
    return one
  })
  const { report_id: reportId } = reply.json<{ report_id: string }>()
  expect(answered.has(reportId), `the report id ${reportId} was given out before`).toBe(false)
  answered.set(reportId, reply.text)
  return reportId
}

/** Adds a note to a report once it can be read. */
export async function note({ call }: Running, { key }: Customer, reportId: string): Promise<void> {
  await until(async () => {
    const noted = await call(`/v1/reports/${reportId}/notes`, key, { text: 'Looked at.' })
    expect(noted.status, noted.text).toBe(201)
  })
}

/** Runs a bulk job until it ends and its webhook arrives. */
export async function job(
  running: Running,
  { key }: Customer,
  { receiver, answered }: { readonly receiver: Receiver; readonly answered: Answered },
): Promise<void> {
  const before = new Set(receiver.received)
  const reply = await running.call('/v1/bulk', key, { addresses: Array.from({ length: JOB_SIZE }, address) })
  expect(reply.status, reply.text).toBe(202)
  const { job_id: jobId } = reply.json<{ job_id: string }>()
  const ended = await until(async () => {
    const found = (await running.call(`/v1/bulk/${jobId}`, key)).json<{
      status: string
      results: { report: { report_id: string } }[] | null
    }>()
    expect(found.status).toBe('completed')
    return found
  })
  for (const { report } of ended.results!) {
    expect(answered.has(report.report_id)).toBe(false)
    answered.set(report.report_id, await read(running, key, report.report_id))
  }
  // A message may come more than once with the same id, if a busy machine recorded the first one too late.
  await until(() => expect(receiver.received.filter((id) => !before.has(id))).not.toEqual([]))
}

/** Screens a transfer until its webhook arrives. */
export async function transfer(
  { call }: Running,
  { key }: Customer,
  { receiver }: { readonly receiver: Receiver },
): Promise<void> {
  const before = new Set(receiver.received)
  const stated = { chain: 'ETH', direction: 'incoming', asset: 'ETH', amount: '1' }
  await until(async () => {
    const one = await call('/v1/transfers', key, { ...stated, from: address(), to: address() })
    expect(one.status, one.text).toBe(200)
  })
  await until(() => expect(receiver.received.filter((id) => !before.has(id))).not.toEqual([]))
}

/** Checks that every answered report can be read with the same bytes. */
export async function readAll(running: Running, { key }: Customer, answered: Answered): Promise<void> {
  for (const [reportId, text] of answered) expect(await read(running, key, reportId)).toBe(text)
}

async function read({ call }: Running, key: string, reportId: string): Promise<string> {
  return await until(async () => {
    const reply = await call(`/v1/reports/${reportId}`, key)
    expect({ reportId, status: reply.status }).toEqual({ reportId, status: 200 })
    return reply.text
  })
}

/** Waits until every delivery has ended and every waiting event is in the log. */
export async function settled({ database }: Opened): Promise<void> {
  await until(async () => {
    expect(await database.query("SELECT 1 FROM webhooks.delivery WHERE status = 'pending'")).toEqual([])
    expect(await database.query('SELECT 1 FROM projection.outbox WHERE relayed_at IS NULL')).toEqual([])
  })
}

/** Counts how often the log holds each report and each end of a job. */
export async function recorded({ log }: Opened): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for (const type of ['ReportGenerated', 'BulkCompleted'] as const)
    for await (const record of scan(log, [topicOf(type)]))
      if (typeOf(record) === type) counts.set(record.key, (counts.get(record.key) ?? 0) + 1)
  return counts
}

/** Checks that the log repeats nothing that it held before. */
export async function nothingRepeated(opened: Opened, before: ReadonlyMap<string, number>): Promise<void> {
  const after = await recorded(opened)
  expect([...before.keys()].filter((key) => after.get(key) !== before.get(key))).toEqual([])
}

/** Decides every report of the log again. */
export async function recomputed({ log, codec, database }: Opened): Promise<void> {
  const result = await recomputeReports({ log, codec, database, levels: ['A', 'B'], maxFindings: 10 })
  expect(result.findings).toEqual([])
  expect(result.reports).toBeGreaterThan(0)
}

/** Links that let a reader open one report without a key. */
import { noMetrics, silentLogger } from '@cupel/contracts'
import { outboxBacklog, runReadModel, startOutboxRelay } from '@cupel/projections'
import { auditView } from '@cupel/audit/read-model'
import { MAX_OPENS_PER_MINUTE, MAX_USABLE_SHARES } from '@cupel/sharing'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningApi } from '../src/start-api.js'
import { call, screen, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'
import { exhaustShare, newShare, tokenOf } from './report-work.js'

let installation: Installation
let api: RunningApi
let key: string
let report: Reply
let reportId: string
beforeAll(async () => {
  installation = await startInstallation()
  api = await installation.api()
  ;({ key } = await installation.key())
  report = await screen(api.url, key)
  reportId = String(report.json()['report_id'])
})
afterAll(() => installation.stop())

const sharesOf = (id: string) => `/v1/reports/${id}/share-links`
const create = (body: object = {}, id = reportId): Promise<Reply> =>
  call(api.url, 'POST', sharesOf(id), { key, body })
const open = (token: string, url = api.url): Promise<Reply> => call(url, 'GET', `/v1/shared/${token}`)
const listed = async (id = reportId): Promise<Record<string, unknown>[]> =>
  (await call(api.url, 'GET', sharesOf(id), { key })).json()['items'] as Record<string, unknown>[]

/** Types of the events of one link, in the order of the outbox. */
async function eventsOf(shareId: string): Promise<string[]> {
  const rows = await installation.database.query<{ event: { type: string; data: { shareId?: string } } }>(
    'SELECT event FROM projection.outbox ORDER BY seq',
  )
  return rows.filter(({ event }) => event.data.shareId === shareId).map(({ event }) => event.type)
}

describe('a share link', () => {
  test('shows the one report, byte for byte, to whoever has it and has no key', async () => {
    const made = await create({ expires_in_hours: 24, label: 'Auditor' })
    expect(made.status, made.text).toBe(201)
    const { url, ...share } = made.json()
    expect(String(url)).toMatch(new RegExp(`^${api.baseUrl}/v1/shared/cupel_share_[A-Za-z0-9_-]{43}$`))
    const hours = Date.parse(String(share['expires_at'])) - Date.parse(String(share['created_at']))
    expect(hours).toBe(24 * 3_600_000)
    expect(made.headers['location']).toBe(`${sharesOf(reportId)}/${String(share['share_id'])}`)
    const opened = await open(tokenOf(String(url)))
    expect([opened.status, opened.text]).toEqual([200, report.text])
    expect(opened.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
      sunset: new Date(String(share['expires_at'])).toUTCString(),
    })
  })

  test('counts its openings, and the list tells no token', async () => {
    const { shareId, token } = await newShare({ url: api.url, key, reportId })
    for (let turn = 0; turn < 3; turn += 1) expect((await open(token)).status).toBe(200)
    const own = (await listed()).find((share) => share['share_id'] === shareId)
    expect(own).toMatchObject({ opens: 3, status: 'usable', revoked_at: null })
    expect(Date.parse(String(own!['last_opened_at']))).toBeGreaterThan(Date.parse(String(own!['created_at'])))
    expect(await eventsOf(shareId)).toEqual([
      'ReportShareCreated',
      ...Array<string>(3).fill('ReportShareOpened'),
    ])
    const [dump] = await installation.database.query<{ text: string }>(
      `SELECT (SELECT string_agg(s::text, '') FROM sharing.share s) || (SELECT string_agg(o::text, '') FROM projection.outbox o) AS text`,
    )
    expect(dump!.text).not.toContain(token.slice(12))
    expect(JSON.stringify(await listed())).not.toContain(token.slice(12))
  })

  test('that is revoked, expired, unknown or no token at all gets one answer, and shows nothing', async () => {
    const [revoked, expired] = [
      await newShare({ url: api.url, key, reportId }),
      await newShare({ url: api.url, key, reportId }),
    ]
    const path = `${sharesOf(reportId)}/${revoked.shareId}`
    expect((await call(api.url, 'DELETE', path, { key })).status).toBe(204)
    expect((await call(api.url, 'DELETE', path, { key })).status).toBe(204)
    await installation.database.execute(
      `UPDATE sharing.share SET expires_at = clock_timestamp() WHERE share_id = $1`,
      [expired.shareId],
    )
    const unknown = `cupel_share_${'A'.repeat(43)}`
    const replies = await Promise.all(
      [revoked.token, expired.token, unknown, 'cupel_share_', 'x', reportId, revoked.shareId].map((one) =>
        open(one),
      ),
    )
    for (const reply of replies) {
      expect(reply.status).toBe(404)
      expect({ ...reply.json(), request_id: '' }).toEqual({ ...replies[0]!.json(), request_id: '' })
    }
    const statuses = (await listed()).map((share) => [share['share_id'], share['status']])
    expect(statuses).toContainEqual([revoked.shareId, 'revoked'])
    expect(statuses).toContainEqual([expired.shareId, 'expired'])
    expect(await eventsOf(revoked.shareId)).toEqual(['ReportShareCreated', 'ReportShareRevoked'])
  })

  test('is opened only so often within a minute, and each opening that is answered is recorded', async () => {
    const { shareId, token } = await newShare({ url: api.url, key, reportId })
    await exhaustShare(installation.database, shareId)
    const refused = await open(token)
    expect(refused.json()).toMatchObject({ status: 429, code: 'rate_limited' })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    await installation.database.execute(`UPDATE sharing.share SET window_opens = $2 WHERE share_id = $1`, [
      shareId,
      MAX_OPENS_PER_MINUTE - 5,
    ])
    const replies = await Promise.all(Array.from({ length: 12 }, () => open(token)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(5)
    expect((await eventsOf(shareId)).filter((type) => type === 'ReportShareOpened')).toHaveLength(5)
  })

  test('is one of at most fifty that can be used, also where more are made at once', async () => {
    const id = String((await screen(api.url, key)).json()['report_id'])
    const replies = await Promise.all(Array.from({ length: MAX_USABLE_SHARES + 2 }, () => create({}, id)))
    const codes = replies.map(({ status }) => status)
    expect(codes.filter((status) => status === 201)).toHaveLength(MAX_USABLE_SHARES)
    expect(codes.filter((status) => status === 409)).toHaveLength(2)
    const [share] = await listed(id)
    await call(api.url, 'DELETE', `${sharesOf(id)}/${String(share!['share_id'])}`, { key })
    expect((await create({}, id)).status).toBe(201)
  })

  test('is made by a read-write key of the report’s own account and environment, and by nobody else', async () => {
    const owner = await installation.key()
    const id = String((await screen(api.url, owner.key)).json()['report_id'])
    const readOnly = await installation.key({ accountId: owner.accountId, scope: 'read-only' })
    const sandbox = await installation.key({ accountId: owner.accountId, environment: 'test' })
    const attempt = (by: string) => call(api.url, 'POST', sharesOf(id), { key: by, body: {} })
    expect((await attempt(readOnly.key)).json()['code']).toBe('scope_required')
    expect((await attempt(sandbox.key)).json()['code']).toBe('not_found')
    expect((await attempt(key)).json()['code']).toBe('not_found')
    const { shareId, token } = await newShare({ url: api.url, key: owner.key, reportId: id })
    // The caller's own report with the id of another account's link.
    const path = `${sharesOf(reportId)}/${shareId}`
    expect((await call(api.url, 'DELETE', path, { key })).json()['code']).toBe('not_found')
    expect((await open(token)).status).toBe(200)
  })

  test.each([
    { expires_in_hours: 0 },
    { expires_in_hours: 8_761 },
    { expires_in_hours: 1.5 },
    { label: 'x'.repeat(201) },
  ])('with %j is refused', async (body) => {
    expect((await create(body)).json()).toMatchObject({ code: 'invalid_request' })
  })
})

test('whoever guesses tokens gets 429 like one who guesses keys, and links and keys go on working', async () => {
  const config = { CUPEL_AUTH_FAILURES_PER_MINUTE: 3, CUPEL_TRUSTED_PROXIES: ['127.0.0.0/8'] }
  const strict = await installation.api({ config: { CUPEL_INSTANCE: 7, ...config } })
  const { token } = await newShare({ url: api.url, key, reportId })
  // Use a separate client: all instances count its failures together.
  const headers = { 'x-forwarded-for': '198.51.100.7' }
  const get = (path: string, more: object = {}) => call(strict.url, 'GET', path, { headers, ...more })
  const guess = (n: number) => get(`/v1/shared/cupel_share_${String(n).padStart(43, '0')}`)
  for (let n = 0; n < 3; n += 1) expect((await guess(n)).status).toBe(404)
  expect((await guess(3)).json()).toMatchObject({ status: 429, code: 'too_many_failures' })
  expect((await get('/v1/chains')).json()['code']).toBe('too_many_failures')
  expect((await get(`/v1/shared/${token}`)).status).toBe(200)
  expect((await get('/v1/chains', { key })).status).toBe(200)
})

test('every opening is in the audit log of the account, with the address of the client and without a key', async () => {
  const { log, codec, database } = installation
  const projection = runReadModel({
    ...{ readModel: auditView, log, codec, database },
    ...{ logger: silentLogger, metrics: noMetrics },
  })
  try {
    const { shareId, token } = await newShare({ url: api.url, key, reportId })
    const opened = await open(token)
    await relayed()
    const entry = await until(async () => {
      const { items } = (await call(api.url, 'GET', '/v1/audit-log', { key })).json() as {
        items: Record<string, unknown>[]
      }
      const found = items.find((item) => item['request_id'] === opened.headers['request-id'])
      expect(found).toBeDefined()
      return found!
    })
    expect(entry).toMatchObject({
      ...{ key_id: '', client_address: '127.0.0.1', method: 'GET', route: '/v1/shared/{token}', status: 200 },
      subject_ids: [reportId, shareId],
    })
  } finally {
    await projection.stop()
  }
})

/** Puts the events of the outbox into the log, as the relay of an installation does. */
async function relayed(): Promise<void> {
  const { log, codec, database } = installation
  const relay = startOutboxRelay({ log, codec, database, logger: silentLogger, metrics: noMetrics })
  await until(async () => expect((await outboxBacklog(database)).waiting).toBe(0))
  await relay.stop()
}

test.each([
  ['before:sharing.change:1', 0],
  ['after:sharing.change:1', 1],
])('killed %s, a link and its event are both there or neither is', async (failpoint, made) => {
  const id = String((await screen(api.url, key)).json()['report_id'])
  await installation.apiDies(failpoint, (url) => call(url, 'POST', sharesOf(id), { key, body: {} }))
  const shares = await listed(id)
  expect(shares).toHaveLength(made)
  for (const share of shares)
    expect(await eventsOf(String(share['share_id']))).toEqual(['ReportShareCreated'])
})

test.each([
  ['before:sharing.opened:1', 0],
  ['after:sharing.opened:1', 1],
])('killed %s, nothing was shown that is not recorded', async (failpoint, opens) => {
  const { shareId, token } = await newShare({ url: api.url, key, reportId })
  const shown: number[] = []
  await installation.apiDies(failpoint, async (url) => shown.push((await open(token, url)).status))
  expect(shown.filter((status) => status < 500)).toEqual([])
  expect((await listed()).find((share) => share['share_id'] === shareId)).toMatchObject({ opens })
  expect((await eventsOf(shareId)).slice(1)).toEqual(Array<string>(opens).fill('ReportShareOpened'))
})

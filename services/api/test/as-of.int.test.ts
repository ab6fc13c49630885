/** POST /v1/screen with `as_of` answers for a past moment. It creates neither a report nor a screen. */
import { topicOf, type EventData } from '@cupel/contracts'
import { compiledDefaultPolicy, parseAddress } from '@cupel/domain'
import { auditView } from '@cupel/audit/read-model'
import { labelView } from '@cupel/labels/read-model'
import { readActivePolicy } from '@cupel/policy/read-model'
import { until } from '@cupel/testkit'
import { testEvent } from '@cupel/testkit/installation'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningApi } from '../src/start-api.js'
import { ADDRESS, call, screen, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

/** Times at which a list of one label was published: first as a scam, then as stolen. */
const [BEFORE, FIRST, BETWEEN, SECOND] = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04'].map(
  (day) => `${day}T09:00:00.000Z`,
) as [string, string, string, string]
const CLEAN = '0x0000000000000000000000000000000000000bad'

let installation: Installation
let api: RunningApi
let view: ReturnType<Installation['run']>
let key: string
beforeAll(async () => {
  installation = await startInstallation()
  await backdatePolicy()
  view = installation.run(labelView)
  api = await installation.api()
  ;({ key } = await installation.key())
})
afterAll(() => installation.stop())

/** To a moment before the first list: the log states it, as of an activation that was recorded late. */
async function backdatePolicy(): Promise<void> {
  const { document, canonical, sha256 } = compiledDefaultPolicy
  const data: EventData['PolicyActivated'] = {
    ...{ policyId: document.id, version: document.version, document: canonical, sha256 },
    ...{ activatedBy: 'test', reason: 'test', activatedAt: BEFORE },
  }
  await installation.append(testEvent('PolicyActivated', document.id, data))
  await until(async () =>
    expect(await readActivePolicy(installation.database)).toMatchObject({ activatedAt: BEFORE }),
  )
}

async function publish(importId: string, category: string, publishedAt: string): Promise<void> {
  const set = { importId, source: 'my_list', dataset: 'mine' }
  const parsed = parseAddress(ADDRESS, 'ETH')
  if (!parsed.ok) throw new Error(parsed.detail)
  const label = {
    ...{ labelId: importId, chain: 'ETH', address: ADDRESS, canonicalAddress: parsed.canonical },
    ...{ lookupKey: parsed.lookupKey, category, subcategory: '', role: 'owner', entity: 'Somebody' },
    ...{ origin: 'my_list', kind: 'forensic', confidencePpm: 900_000, sourceUrl: '', sanction: null },
    ...{ observedAt: null, validFrom: null, validTo: null },
  }
  const publication = {
    ...{ ...set, sha256: importId, asOf: null, publishedAt, historical: false, appended: true },
    ...{ authorityOrigin: '', whole: false, replaces: [], basedOnSeq: 0, confirmedAt: null },
    ...{ list: '', versionOf: [], rows: { read: 1, refused: 0, skipped: 0, unreadable: 0, accepted: 0 } },
    ...{ lostDesignations: 0, total: 1, added: 1, unchanged: 0, retired: 0, refused: 0 },
    ...{ acceptedRemovals: null, reason: null, importedBy: 'test', refreshConfigured: false },
  } as EventData['LabelSetPublished']
  await installation.append(testEvent('LabelsAsserted', 'my_list', { ...set, labels: [label] }))
  await installation.append(testEvent('LabelSetPublished', 'my_list', publication))
}

const asOf = (moment: unknown, over: { key?: string; url?: string; headers?: Record<string, string> } = {}) =>
  call(over.url ?? api.url, 'POST', '/v1/screen', {
    key: over.key ?? key,
    ...(over.headers === undefined ? {} : { headers: over.headers }),
    body: { address: ADDRESS, chain: 'ETH', as_of: moment },
  })

const categories = (reply: Reply) => {
  const { report } = reply.json() as { report: { risk: { evidence: { category: string; used: boolean }[] } } }
  return report.risk.evidence.map(({ category }) => category)
}

test('before the first list there is nothing to decide from', async () => {
  expect((await asOf(BETWEEN)).json()).toMatchObject({
    ...{ status: 422, code: 'as_of_too_early' },
    errors: [{ pointer: '/as_of' }],
  })
})

test.each([
  ['2999-01-01T00:00:00Z', 'The moment lies in the future.'],
  ['2026-03-03', 'Expected an RFC 3339 time'],
  ['2026-03-03T09:00:00', 'Expected an RFC 3339 time'],
  ['2026-02-30T09:00:00Z', 'There is no such time'],
  ['2026-03-03T25:00:00Z', 'There is no such time'],
  ['yesterday', 'Expected an RFC 3339 time'],
  ['', 'Expected an RFC 3339 time'],
  [1_772_000_000, 'string'],
])('the moment %j is refused, and it is said why', async (moment, detail) => {
  const reply = await asOf(moment)
  expect(reply.json()).toMatchObject({
    status: 400,
    code: 'invalid_request',
    errors: [{ pointer: '/as_of' }],
  })
  expect(reply.text).toContain(detail)
})

describe('once lists were published', () => {
  beforeAll(async () => {
    await publish('import-1', 'scam', FIRST)
    await publish('import-2', 'stolen', SECOND)
  })

  test('each moment has the lists of its time, and the answer names them', async () => {
    expect((await asOf(BEFORE)).json()).toMatchObject({ code: 'as_of_too_early' })
    const between = await asOf('2026-03-03T10:00:00+01:00')
    expect(between.json()).toMatchObject({
      ...{ object: 'as_of_screening', as_of: BETWEEN, ledger_snapshot: null, left_out: ['chain_data'] },
      lists: { label_snapshot: '1', as_of: FIRST },
      policy: { id: 'default', activated_at: BEFORE },
      report: {
        ...{ address: ADDRESS, generated_at: BETWEEN, balance: null, tx_count: null, livemode: true },
        coverage: { chain_data: { status: 'unavailable' } },
      },
    })
    expect(categories(between)).toEqual(['scam'])
    const later = await asOf(SECOND)
    expect(later.json()).toMatchObject({ lists: { label_snapshot: '2' } })
    expect(categories(later)).toEqual(expect.arrayContaining(['scam', 'stolen']))
    expect(between.headers['location']).toBeUndefined()
    expect(Object.keys(between.json()['report'] as object)).not.toContain('report_id')
  })

  test('nothing but the record of the call tells of it: no report, no request, no screen to pay for', async () => {
    const { key: own } = await installation.key()
    const records = () => installation.records(topicOf('ReportGenerated'))
    const before = [(await installation.requests()).length, (await records()).length]
    expect((await asOf(BETWEEN, { key: own })).status).toBe(200)
    expect([(await installation.requests()).length, (await records()).length]).toEqual(before)
    expect((await call(api.url, 'GET', '/v1/reports', { key: own })).json()).toMatchObject({ items: [] })
    const audited = (await installation.records(topicOf('ApiRequestAudited')))
      .flatMap((record) => installation.codec.decodeAs('ApiRequestAudited', record)?.data ?? [])
      .filter(({ route, status }) => route === '/v1/screen' && status === 200)
    expect(audited.at(-1)).toMatchObject({ method: 'POST', subjectIds: [] })
  })

  test('it takes from the rate limit as every call does, and needs a key that may screen', async () => {
    const { key: own, accountId } = await installation.key({ plan: 'pro' })
    const left = (reply: Reply) => Number(/;r=(\d+)/.exec(String(reply.headers['ratelimit']))?.[1])
    const [first, second] = [await asOf(BETWEEN, { key: own }), await asOf(BETWEEN, { key: own })]
    expect(left(second)).toBeLessThanOrEqual(left(first))
    expect(first.headers['ratelimit-policy']).toBeDefined()
    const reader = await installation.key({ accountId, scope: 'read-only' })
    expect((await asOf(BETWEEN, { key: reader.key })).json()).toMatchObject({ code: 'scope_required' })
  })

  test('a repeat under an Idempotency-Key has the same bytes, and another moment is another request', async () => {
    const headers = { 'idempotency-key': 'the-third-of-march' }
    const first = await asOf(BETWEEN, { headers })
    expect([first.status, first.headers['idempotency-replayed']]).toEqual([200, undefined])
    const again = await asOf('2026-03-03T10:00:00+01:00', { headers })
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, 'true'])
    expect(again.text).toBe(first.text)
    expect((await asOf(SECOND, { headers })).json()).toMatchObject({ code: 'idempotency_mismatch' })
    const now = { key, headers, body: { address: ADDRESS, chain: 'ETH' } }
    expect((await call(api.url, 'POST', '/v1/screen', now)).json()).toMatchObject({
      code: 'idempotency_mismatch',
    })
  })

  test('a refusal keeps nothing under the key: the next attempt does the work', async () => {
    const headers = { 'idempotency-key': 'too-early' }
    expect((await asOf(BEFORE, { headers })).status).toBe(422)
    expect((await asOf(BETWEEN, { headers })).status).toBe(200)
  })

  test('without a moment, and with null in its place, a screen makes a report as ever', async () => {
    for (const body of [{ address: ADDRESS }, { address: ADDRESS, as_of: null }])
      expect((await call(api.url, 'POST', '/v1/screen', { key, body })).json()).toMatchObject({
        report_id: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      })
  })

  test('the sandbox answers with its own list, and knows none of these', async () => {
    const { key: own } = await installation.key({ environment: 'test' })
    expect((await asOf(BETWEEN, { key: own })).json()).toMatchObject({
      ...{ object: 'as_of_screening', lists: { label_snapshot: '0' }, policy: { activated_at: null } },
      report: { livemode: false, risk: { evidence: [] } },
    })
    expect((await asOf('2025-12-31T23:59:59Z', { key: own })).json()).toMatchObject({
      code: 'as_of_too_early',
    })
  })

  test('screens as of a moment are not among the screens of the usage', async () => {
    const { key: own } = await installation.key()
    await screen(api.url, own)
    await asOf(BETWEEN, { key: own })
    installation.run(auditView)
    await until(async () => {
      const { today } = (await call(api.url, 'GET', '/v1/usage', { key: own })).json() as {
        today: { calls: number; screens: number }
      }
      expect(today.calls).toBeGreaterThanOrEqual(2)
      expect(today.screens).toBe(1)
    })
  })

  test('a view of labels that does not have everything answers nothing', async () => {
    await view.stop()
    const hasty = await installation.api({ config: { CUPEL_INSTANCE: 1, CUPEL_READ_WAIT_MS: 50 } })
    expect((await asOf(BETWEEN, { url: hasty.url })).status).toBe(200)
    await publish('import-3', 'mixer', FIRST)
    const reply = await asOf(BETWEEN, { url: hasty.url })
    expect(reply.json()).toMatchObject({ status: 503, code: 'unavailable' })
    expect(reply.headers['retry-after']).toBeDefined()
    view = installation.run(labelView)
    await until(async () => expect(categories(await asOf(BETWEEN))).toContain('mixer'))
  })
})

test('an address that nobody names is asked for like any other', async () => {
  const reply = await call(api.url, 'POST', '/v1/screen', {
    key,
    body: { address: CLEAN, chain: 'ETH', as_of: BETWEEN, customer_reference: 'case 7' },
  })
  expect(reply.json()).toMatchObject({
    report: { customer_reference: 'case 7', risk: { level: 'grey', evidence: [] } },
  })
})

test('a difference of rows that a scorer knows stops screens of the past too, by its name', async () => {
  const difference = 'label-view lacks label x of import y, which the log states.'
  const { database } = installation
  await database.execute(
    `INSERT INTO heartbeats.compared_rows VALUES (gen_random_uuid(), 'labels', now(), NULL, $1, now())`,
    [difference],
  )
  const stopped = await asOf(BETWEEN)
  expect(stopped.json()).toMatchObject({ status: 503, code: 'unavailable' })
  expect(stopped.text).toContain(difference)
  await database.execute('DELETE FROM heartbeats.compared_rows')
  expect((await asOf(BETWEEN)).status).toBe(200)
})

/** What waits for a person: each has their own marks, and a proposal leaves the inbox when somebody decides. */
import { beginSession } from '@cupel/gate/access'
import { outboxBacklog, runReadModel, startOutboxRelay } from '@cupel/projections'
import { inboxView } from '@cupel/watches/read-model'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, screen, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

let installation: Installation
let url: string
beforeAll(async () => {
  installation = await startInstallation()
  const levels = ['green', 'orange', 'red', 'grey'] as const
  url = (await installation.api({ config: { CUPEL_CASE_SECOND_PERSON: [...levels] } })).url
})
afterAll(() => installation.stop())

interface Entry {
  readonly entry_id: string
  readonly kind: string
  readonly read: boolean
  readonly [name: string]: unknown
}

const idOf = (n: number): string => `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`

/** Rows of changes, one a minute, to red or, if even, to grey. */
async function insertChanges(accountId: string, first: number, last: number): Promise<void> {
  await installation.database.execute(
    `INSERT INTO inbox_view.inbox_entry (account_id, livemode, source, entry_id, kind, version, is_shown, at, report_id, level, document)
     SELECT $1, true, id, id, 'report_changed', 0, true, timestamptz '2026-01-01' + i * interval '1 minute', 'r' || i,
       CASE WHEN i % 2 = 0 THEN 'grey' ELSE 'red' END, '{"address":"0xA","chain":"ETH","watch_id":"wat_1"}'
     FROM generate_series($2::int4, $3::int4) AS i,
       LATERAL (SELECT '00000000-0000-5000-8000-' || lpad(i::text, 12, '0')) AS of (id)`,
    [accountId, first, last],
  )
}

async function pageOf(
  key: string,
  query = '',
): Promise<{ ids: string[]; items: Entry[]; next: string | null }> {
  const reply = await call(url, 'GET', `/v1/inbox?page_size=4${query}`, { key })
  expect(reply.status, reply.text).toBe(200)
  const { items, next_page_token: next } = reply.json() as { items: Entry[]; next_page_token: string | null }
  return { ids: items.map(({ entry_id }) => entry_id), items, next }
}

async function allOf(key: string, query: string): Promise<readonly string[]> {
  const found: string[] = []
  for (let token: string | null = ''; token !== null;) {
    const page = await pageOf(key, query + (token === '' ? '' : `&page_token=${encodeURIComponent(token)}`))
    found.push(...page.ids)
    token = page.next
  }
  return found
}

const mark = (key: string, entry_ids: readonly string[], read = true): Promise<Reply> =>
  call(url, 'POST', '/v1/inbox/marks', { key, body: { entry_ids, read } })
const unread = async (key: string): Promise<unknown> =>
  (await call(url, 'GET', '/v1/inbox/unread', { key })).json()

test('pages are whole, newest first, and searches by level, kind and mark find what they name', async () => {
  const { key, accountId } = await installation.key()
  await insertChanges(accountId, 1, 10)
  const newest = Array.from({ length: 10 }, (_, index) => idOf(10 - index))
  expect(await allOf(key, '')).toEqual(newest)
  expect(await allOf(key, '&level=red')).toEqual([9, 7, 5, 3, 1].map(idOf))
  expect(await allOf(key, '&kind=watch_failed')).toEqual([])
  expect((await mark(key, [idOf(10), idOf(3)])).status).toBe(200)
  expect(await allOf(key, '&show=unread')).toEqual(newest.filter((id) => id !== idOf(10) && id !== idOf(3)))
  expect((await pageOf(key)).items.map(({ read }) => read)).toEqual([true, false, false, false])
})

test('a mark belongs to its person: a person has it under every key, and another key does not', async () => {
  const { key, accountId, keyId } = await installation.key()
  const other = await installation.key({ accountId, scope: 'read-only' })
  await insertChanges(accountId, 1, 2)
  const ann = { actor: 'Ann', subject: 'subject-of-ann' }
  const session = async (of: string, person = ann): Promise<string> =>
    (await beginSession(installation.database, { keyId: of, ...person })).token
  const [here, there] = [await session(keyId), await session(other.keyId)]
  expect(await unread(here)).toMatchObject({ unread: 2, is_lower_bound: false })
  expect((await mark(here, [idOf(1), idOf(2)])).json()).toMatchObject({ unread: 0 })
  expect(await unread(there)).toMatchObject({ unread: 0 })
  expect(await unread(await session(keyId, { actor: 'Bob', subject: 'subject-of-bob' }))).toMatchObject({
    unread: 2,
  })
  for (const one of [key, other.key]) expect(await unread(one)).toMatchObject({ unread: 2 })
  // A key that only reads marks too, and a mark can be taken back.
  expect((await mark(other.key, [idOf(1)])).json()).toMatchObject({ unread: 1 })
  expect((await mark(other.key, [idOf(1)])).json()).toMatchObject({ unread: 1 })
  expect((await mark(other.key, [idOf(1)], false)).json()).toMatchObject({ unread: 2 })
})

test('nothing of another account is listed, counted or marked, and of unknown entries none is', async () => {
  const { key, accountId } = await installation.key()
  const stranger = await installation.key()
  await insertChanges(accountId, 20, 21)
  await insertChanges(stranger.accountId, 21, 22)
  expect(await allOf(stranger.key, '')).toEqual([22, 21].map(idOf))
  expect(await mark(stranger.key, [idOf(22), idOf(20)])).toMatchObject({ status: 404 })
  expect(await unread(stranger.key)).toMatchObject({ unread: 2 })
  await mark(stranger.key, [idOf(21)])
  expect(await unread(key)).toMatchObject({ unread: 2 })
})

test('beyond the newest thousand entries a count says that it is a lower bound, and a search goes on', async () => {
  const { key, accountId } = await installation.key()
  await insertChanges(accountId, 1_001, 2_201)
  expect(await unread(key)).toMatchObject({ unread: 1_000, is_lower_bound: true })
  await installation.database.execute(
    `INSERT INTO watches.read_entry SELECT account_id, livemode, (SELECT key_id FROM access.api_key k WHERE k.account_id = $1), entry_id
     FROM inbox_view.inbox_entry WHERE account_id = $1 AND entry_id > $2`,
    [accountId, idOf(1_003)],
  )
  expect(await unread(key)).toMatchObject({ unread: 0, is_lower_bound: true })
  expect(await pageOf(key, '&show=unread')).toMatchObject({ ids: [], next: expect.any(String) as string })
  expect(await allOf(key, '&show=unread')).toEqual([1_003, 1_002, 1_001].map(idOf))
})

test('a proposal waits with the facts of its report until another person decides', async () => {
  const { key, accountId } = await installation.key()
  const second = (await installation.key({ accountId })).key
  const relay = startOutboxRelay({ ...installation.deps, lookIntervalMs: 20 })
  const projection = runReadModel({ ...installation.deps, readModel: inboxView })
  try {
    const report = (await screen(url, key)).json() as { report_id: string; address: string; chain: string }
    const decide = async (by: string, disposition: string, version: number): Promise<void> => {
      const body = { disposition, reason: 'It is so', version }
      const path = `/v1/reports/${report.report_id}/disposition`
      expect((await call(url, 'POST', path, { key: by, body })).status).toBe(200)
    }
    await decide(key, 'cleared', 0)
    const [entry] = await until(async () => {
      const { items } = await pageOf(second, '&kind=proposal_waiting')
      expect(items).toHaveLength(1)
      return items
    })
    expect(entry).toMatchObject({
      ...{ kind: 'proposal_waiting', report_id: report.report_id, disposition: 'cleared', read: false },
      ...{ address: report.address, chain: report.chain, watch_id: null, previous: null, split: null },
      current: { report_id: report.report_id },
    })
    await decide(second, 'cleared', 1)
    await until(async () => expect((await pageOf(second, '&kind=proposal_waiting')).items).toEqual([]))
    expect((await outboxBacklog(installation.database)).waiting).toBe(0)
  } finally {
    await projection.stop()
    await relay.stop()
  }
})

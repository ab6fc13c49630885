/** Own labels of an account, and the search of what lists state. */
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningApi } from '../src/start-api.js'
import { call, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

const ADDRESS = '0x00000000000000000000000000000000000000ab'
const LABELS = '/v1/own-labels'
let installation: Installation
let api: RunningApi
let admin: string
beforeAll(async () => {
  installation = await startInstallation()
  api = await installation.api()
  ;({ key: admin } = await installation.key({ scope: 'admin' }))
})
afterAll(() => installation.stop())

const block = {
  address: ADDRESS,
  decision: 'block',
  category: 'scam',
  reason: 'It took deposits of Jane Doe.',
}
const state = (body: object = block, key = admin): Promise<Reply> =>
  call(api.url, 'POST', LABELS, { key, body })
const listed = async (key = admin, query = '') =>
  (await call(api.url, 'GET', LABELS + query, { key })).json()['items'] as Record<string, unknown>[]
const eventsOf = async () =>
  (
    await installation.database.query<{ event: { type: string; data: Record<string, unknown> } }>(
      `SELECT event FROM projection.outbox WHERE event::text LIKE '%OwnLabel%' ORDER BY seq`,
    )
  ).map(({ event }) => event)

test('a label is stated, shown, replaced and removed, and each change is one event without plain words', async () => {
  const first = await state()
  expect(first.status, first.text).toBe(201)
  expect(first.json()).toMatchObject({
    ...{ decision: 'block', category: 'scam', address: ADDRESS, chain: 'ETH', reason: block.reason },
    ...{ status: 'in_force', expires_at: null, removed_at: null, replaced_by: null },
  })
  const id = String(first.json()['label_id'])
  expect(first.headers['location']).toBe(`${LABELS}/${id}`)
  const second = await state({ address: ADDRESS, decision: 'allow', reason: 'It is our own wallet.' })
  const newId = String(second.json()['label_id'])
  expect((await call(api.url, 'GET', `${LABELS}/${id}`, { key: admin })).json()).toMatchObject({
    ...{ status: 'replaced', replaced_by: newId },
  })
  for (const status of [204, 204])
    expect((await call(api.url, 'DELETE', `${LABELS}/${newId}`, { key: admin })).status).toBe(status)
  expect((await listed()).map(({ label_id, status }) => [label_id, status])).toEqual([
    [newId, 'removed'],
    [id, 'replaced'],
  ])
  const events = await eventsOf()
  expect(events.map(({ type, data }) => [type, data['labelId']])).toEqual([
    ['OwnLabelStated', id],
    ['OwnLabelRemoved', id],
    ['OwnLabelStated', newId],
    ['OwnLabelRemoved', newId],
  ])
  expect(JSON.stringify(events)).not.toContain('Jane Doe')
  expect(JSON.stringify(await installation.opened(events))).toContain('Jane Doe')
  const rows = await installation.database.query('SELECT reason FROM labels.own_label')
  expect(JSON.stringify(rows)).not.toContain('Jane Doe')
})

test('the list finds every form of the address, in pages', async () => {
  const { key } = await installation.key({ scope: 'admin' })
  const spelled = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'
  await state({ ...block, address: spelled }, key)
  await state(block, key)
  const addresses = async (query: string) => (await listed(key, query)).map(({ address }) => address)
  expect(await addresses(`?address=${spelled}`)).toEqual([spelled])
  expect(await addresses(`?address=${ADDRESS.toUpperCase().replace('0X', '0x')}&chain=BSC`)).toEqual([
    ADDRESS,
  ])
  const page = await call(api.url, 'GET', `${LABELS}?page_size=1`, { key })
  const token = String(page.json()['next_page_token'])
  expect(await addresses(`?page_size=1&page_token=${token}`)).toEqual([spelled])
  expect(
    (await call(api.url, 'GET', `${LABELS}?page_size=1&page_token=${token}`, { key: admin })).status,
  ).toBe(400)
})

test('another account sees and changes nothing of it, nor does the sandbox of the same account', async () => {
  const made = await installation.key({ scope: 'admin' })
  const id = String((await state(block, made.key)).json()['label_id'])
  const sandbox = await installation.key({ scope: 'admin', accountId: made.accountId, environment: 'test' })
  for (const { key } of [await installation.key({ scope: 'admin' }), sandbox]) {
    expect(await listed(key)).toEqual([])
    for (const method of ['GET', 'DELETE'] as const)
      expect((await call(api.url, method, `${LABELS}/${id}`, { key })).status).toBe(404)
  }
  expect((await listed(made.key)).map(({ status }) => status)).toEqual(['in_force'])
})

test('a key that only reads or screens reads labels and states none', async () => {
  for (const scope of ['read-only', 'read-write'] as const) {
    const { key } = await installation.key({ scope })
    expect((await state(block, key)).json()).toMatchObject({ status: 403, code: 'scope_required' })
    expect(await listed(key)).toEqual([])
  }
})

test.each([
  [{ ...block, category: undefined }, '/category'],
  [{ ...block, category: 'clean_exchange' }, '/category'],
  [{ ...block, decision: 'allow' }, '/category'],
  [{ ...block, reason: ' ' }, '/reason'],
  [{ ...block, reason: undefined }, '/reason'],
  [{ ...block, expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'],
  [{ ...block, address: 'nonsense' }, '/address'],
  [{ ...block, chain: 'BTC' }, '/chain'],
])('%j is refused at %s', async (body, pointer) => {
  const { status, json } = await state(body)
  expect([400, 422]).toContain(status)
  expect((json()['errors'] as { pointer: string }[])[0]).toMatchObject({ pointer })
})

test('a watch of the address is decided again', async () => {
  const { key } = await installation.key({ scope: 'admin' })
  const watched = await call(api.url, 'POST', '/v1/watches', {
    key,
    body: { watches: [{ address: ADDRESS }] },
  })
  expect(watched.status).toBe(201)
  await installation.database.execute(`UPDATE watches.watch SET due_at = NULL, causes = '{}'`)
  await state(block, key)
  expect(
    await installation.database.query('SELECT due_at IS NOT NULL AS due, causes FROM watches.watch'),
  ).toEqual([{ due: true, causes: ['labels'] }])
})

test('an allow label in the place of a block label decides the watches again that only the block label was for', async () => {
  const { key } = await installation.key({ scope: 'admin' })
  const named =
    'addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x'
  /** Of the same stake credential, and spent by another key. */
  const other =
    'addr1z8phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gten0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgs9yc0hh'
  const watches = { watches: [{ address: other }] }
  expect((await call(api.url, 'POST', '/v1/watches', { key, body: watches })).status).toBe(201)
  const { database } = installation
  for (const label of [
    { ...block, address: named },
    { address: named, decision: 'allow', reason: 'Ours.' },
  ]) {
    await database.execute(`UPDATE watches.watch SET due_at = NULL, causes = '{}' WHERE address = $1`, [
      other,
    ])
    expect((await state(label, key)).status).toBe(201)
    expect(
      await database.query('SELECT due_at IS NOT NULL AS due, causes FROM watches.watch WHERE address = $1', [
        other,
      ]),
    ).toEqual([{ due: true, causes: ['labels'] }])
  }
})

test.each([
  ['before:labels.own:1', 0],
  ['after:labels.own:1', 1],
])('killed %s, a label and its event are both there or neither is', async (failpoint, made) => {
  const { key } = await installation.key({ scope: 'admin' })
  const before = (await eventsOf()).length
  await installation.apiDies(failpoint, (url) => call(url, 'POST', LABELS, { key, body: block }))
  await until(async () => expect(await listed(key)).toHaveLength(made))
  expect((await eventsOf()).length - before).toBe(made)
})

test('labels of lists are found by address, list, category and owner, those that ended too', async () => {
  const { key } = await installation.key({ scope: 'read-only' })
  await installation.database.execute(
    `INSERT INTO label_view.publication (label_set_seq, import_id, kind, source, dataset, sha256, published_at, historical, appended,
       authority_origin, whole, replaces, list, version_of, rows, based_on_seq, lost_designations, total, added, unchanged, retired, refused,
       imported_by, refresh_configured, log_offset)
     SELECT i, 'imp_' || i, 'published', 'src_' || i, 'set', '', '2026-11-2' || i || 'T00:00:00.000Z', false, false, '', false, '[]', '', '[]',
       '{}', 0, 0, 1, 1, 0, 0, 0, 'test', false, i FROM generate_series(1, 2) AS i`,
  )
  await installation.database.execute(
    `INSERT INTO label_view.label (import_id, label_id, source, dataset, chain, address, canonical_address, lookup_key, category, subcategory,
       role, entity, origin, kind, confidence_ppm, source_url, log_offset)
     SELECT 'imp_' || (1 + i % 2), 'l' || i, 'src_' || (1 + i % 2), 'set', 'ETH', a, a, 'evm:' || a, CASE WHEN i = 3 THEN 'mixer' ELSE 'scam' END, '',
       'owner', CASE WHEN i < 3 THEN 'Éva Fund ' ELSE 'Other ' END || i, 'o', 'crowd', 400000, '', i
     FROM generate_series(1, 4) AS i, lateral (SELECT '0x' || lpad(i::text, 40, '0') AS a) AS at`,
  )
  await installation.database.execute(
    `INSERT INTO label_view.label (import_id, label_id, source, dataset, chain, address, canonical_address, lookup_key, category, subcategory,
       role, entity, origin, kind, confidence_ppm, source_url, log_offset)
     VALUES ('unpublished', 'l9', 'src_1', 'set', 'ETH', '', '', 'evm:0x0000000000000000000000000000000000000001', 'scam', '', 'owner', 'Éva Fund 9', 'o', 'crowd', 1, '', 9)`,
  )
  await installation.database.execute(
    `INSERT INTO label_view.retirement (label_id, import_id, valid_to, log_offset) VALUES ('l1', 'imp_2', '2026-11-22', 10)`,
  )
  const found = async (query: string, by = key) =>
    (
      (await call(api.url, 'GET', `/v1/labels${query}`, { key: by })).json()['items'] as Record<
        string,
        unknown
      >[]
    ).map(({ label_id: id, status }) => `${String(id)} ${String(status)}`)
  expect(await found('?address=0x0000000000000000000000000000000000000001&chain=BSC')).toEqual(['l1 ended'])
  expect(await found('?source=src_1')).toEqual(['l2 listed', 'l4 listed'])
  expect(await found('?source=src_1&dataset=other')).toEqual([])
  expect(await found('?category=mixer')).toEqual(['l3 listed'])
  expect(await found('?entity=%C3%89VA')).toEqual(['l1 ended', 'l2 listed'])
  expect(await found('?entity=fund')).toEqual([])
  const all: string[] = []
  for (let token = ''; ;) {
    const page = await call(api.url, 'GET', `/v1/labels?page_size=1${token}`, { key })
    const { items, next_page_token: next } = page.json() as {
      items: { label_id: string }[]
      next_page_token: string | null
    }
    all.push(...items.map(({ label_id }) => label_id))
    if (next === null) break
    token = `&page_token=${next}`
  }
  expect(all.sort()).toEqual(['l1', 'l2', 'l3', 'l4'])
  const { key: sandbox } = await installation.key({ environment: 'test' })
  expect(await found('?source=src_1', sandbox)).toEqual([])
})

test.each([
  ['before:labels.own:1', 0],
  ['after:labels.own:1', 1],
])('killed %s, a label and its event are both there or neither is', async (failpoint, count) => {
  const own = await startInstallation()
  try {
    const { key } = await own.key({ scope: 'admin' })
    await own.apiDies(failpoint, (url) => call(url, 'POST', LABELS, { key, body: block }))
    for (const table of ['labels.own_label', `projection.outbox WHERE event::text LIKE '%OwnLabelStated%'`])
      expect(await own.database.query(`SELECT FROM ${table}`)).toHaveLength(count)
  } finally {
    await own.stop()
  }
})

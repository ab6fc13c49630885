/** The pages of labels: what the account states itself, and what lists state. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { csrfToken } from '@cupel/console'
import { aSession, cookieOf, json, startFakeApi, startFront, type FakeApi, type Front } from './fake-api.js'

let api: FakeApi
let front: Front
beforeAll(async () => {
  api = await startFakeApi()
  front = await startFront(api)
})
afterAll(async () => {
  await front.close()
  await api.close()
})

const ADMIN = aSession({ scope: 'admin' })
const own = {
  ...{ label_id: 'lbl_1', decision: 'block', category: 'scam', address: '0xabc', chain: 'ETH' },
  ...{ reason: '<b>why</b>', status: 'in_force', stated_at: '2026-11-21T09:00:01.040Z' },
  ...{ stated_by: { key_id: '8f2k1m0a', person: null }, expires_at: null, removed_at: null },
}
const listed = {
  ...{ label_id: 'l', address: '0xabc', chain: 'ETH', category: 'sanctions', entity: '<i>Group</i>' },
  ...{ source: 'ofac_sdn', dataset: 'sdn', confidence: 1, status: 'ended', valid_from: '2022-04-14' },
  ...{ known_from: '2026-11-20T18:00:00.000Z', known_to: '2026-11-21T18:00:00.000Z' },
}

async function get(path: string, session = ADMIN): Promise<string> {
  const answer = await fetch(`${front.url}${path}`, { headers: { cookie: cookieOf(session) } })
  return await answer.text()
}
async function post(path: string, fields: Readonly<Record<string, string>>) {
  api.calls.length = 0
  return await fetch(`${front.url}${path}`, {
    ...{ method: 'POST', redirect: 'manual' },
    body: new URLSearchParams({ csrf: csrfToken(ADMIN.token), ...fields }),
    headers: { cookie: cookieOf(ADMIN), 'sec-fetch-site': 'same-origin' },
  })
}
const sent = () => api.calls.filter(({ method }) => method !== 'GET')

test('a label is shown in words, and an unknown word stays visible', async () => {
  api.answer = json(200, {
    items: [own, { ...own, label_id: 'lbl_2', status: 'frozen' }],
    next_page_token: null,
  })
  const html = await get('/labels')
  expect(html).toContain('Blocked: scam')
  expect(html).toContain('frozen')
  expect(html).toContain('&lt;b>why&lt;/b>')
})

test('who does not administer sees the labels and neither form nor buttons', async () => {
  api.answer = json(200, { items: [own], next_page_token: null })
  const html = await get('/labels', aSession())
  expect(html).toContain('0xabc')
  expect(html).not.toContain('action="/labels')
})

test('the form states a block label that counts until the end of a day, and an allow label without a category', async () => {
  api.answer = json(201, own)
  const fields = { address: ' 0xabc ', chain: '', reason: 'it took money', expires: '2027-02-28' }
  const answer = await post('/labels', { ...fields, statement: 'stolen' })
  expect(answer.headers.get('location')).toBe('/labels?stated')
  await post('/labels', { ...fields, chain: 'ETH', expires: '', statement: 'allow' })
  expect(JSON.parse(sent()[0]!.body)).toEqual({
    chain: 'ETH',
    address: '0xabc',
    decision: 'allow',
    reason: 'it took money',
  })
  await post('/labels', { ...fields, statement: 'stolen' })
  expect(JSON.parse(sent()[0]!.body)).toEqual({
    ...{ address: '0xabc', decision: 'block', category: 'stolen', reason: 'it took money' },
    expires_at: '2027-03-01T00:00:00.000Z',
  })
})

test('a refused form keeps its text and says why', async () => {
  api.answer = (call, response) =>
    call.method === 'GET'
      ? json(200, { items: [], next_page_token: null })(call, response)
      : json(400, {
          ...{ code: 'invalid_address', detail: 'This address is not valid.' },
          errors: [{ pointer: '/address', detail: 'This address is not valid.' }],
        })(call, response)
  const answer = await post('/labels', {
    address: '<x>',
    statement: 'mixer',
    reason: 'kept words',
    expires: '',
  })
  expect(answer.status).toBe(400)
  const html = await answer.text()
  for (const text of ['This address is not valid.', 'kept words', '&lt;x>']) expect(html).toContain(text)
})

test('a press removes a label', async () => {
  api.answer = (_call, response) => response.writeHead(204).end()
  const answer = await post('/labels/lbl_1/remove', {})
  expect(answer.headers.get('location')).toBe('/labels?removed')
  expect(sent().map(({ method, path }) => `${method} ${path}`)).toEqual(['DELETE /v1/own-labels/lbl_1'])
})

test('the search asks for what is given, shows since when, and calls nothing found no safety', async () => {
  api.answer = json(200, { items: [listed], next_page_token: null })
  api.calls.length = 0
  const html = await get('/labels/search?address=0xabc&chain=&entity=&source=ofac_sdn', aSession())
  expect(api.calls.map(({ path }) => path)).toContain('/v1/labels?address=0xabc&source=ofac_sdn')
  for (const text of ['SDN list of OFAC / sdn', '>ofac_sdn<', 'no longer listed', '&lt;i>Group&lt;/i>'])
    expect(html).toContain(text)
  api.answer = json(200, { items: [], next_page_token: null })
  expect(await get('/labels/search?entity=x')).toContain('That does not say that an address is safe.')
  api.answer = json(200, { items: [], next_page_token: 'more' })
  expect(await get('/labels/search?entity=x')).not.toContain('No list states such a label')
})

/** The page of watches watches addresses, ends watches, and says what of the lists lets no watched address be green. */
import { en, reasonText } from '@cupel/reports/document'
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

const watch = {
  ...{
    watch_id: 'wat_1',
    address: '0xabc',
    chain: 'ETH',
    reference: '<b>mine</b>',
    until: null,
    status: 'active',
  },
  last_report: {
    ...{ report_id: '9f2c4a1be07d6358', level: 'green', score: 2.5 },
    generated_at: '2026-11-21T09:00:01.040Z',
  },
}

async function pageOf(...items: readonly object[]): Promise<string> {
  api.answer = json(200, { items, next_page_token: null })
  const answer = await fetch(`${front.url}/watches`, { headers: { cookie: cookieOf(aSession()) } })
  expect(answer.status).toBe(200)
  return await answer.text()
}

test('a list that is too old is named with its remedy', async () => {
  const html = await pageOf({ ...watch, list_reasons: ['stale_labels'] })
  expect(html).toContain(`No watched address is green now: ${reasonText('stale_labels')}`)
  expect(html).toContain(en.remedies['stale_labels'])
  expect(html).toContain('/reports/9f2c4a1be07d6358')
  expect(html).not.toContain('<b>mine</b>')
})

test('nothing is said of lists that are fresh, and a watch without a decision says so', async () => {
  const html = await pageOf({ ...watch, list_reasons: [], last_report: null })
  expect(html).not.toContain('green now')
  expect(html).toContain('not decided yet')
})

const ADDRESS = '0x28C6c06298d514Db089934071355E5743bf21d60'

async function post(path: string, fields: Readonly<Record<string, string>>, session = aSession()) {
  const form = new URLSearchParams({ csrf: csrfToken(session.token), ...fields })
  api.calls.length = 0
  return await fetch(`${front.url}${path}`, {
    ...{ method: 'POST', redirect: 'manual', body: form },
    headers: { cookie: cookieOf(session), 'sec-fetch-site': 'same-origin' },
  })
}

test('each line of the form becomes a watch, in one call', async () => {
  api.answer = json(201, { items: [watch, watch] })
  const fields = { addresses: ` ${ADDRESS} \r\n\r\nsecond`, chain: 'ETH', reference: 'desk 7', digest: 'yes' }
  const answer = await post('/watches', fields)
  expect(answer.status).toBe(303)
  expect(answer.headers.get('location')).toBe('/watches?watched=2')
  const rest = { digest: true, chain: 'ETH', reference: 'desk 7' }
  expect(api.calls.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /v1/watches'])
  expect(JSON.parse(api.calls[0]!.body)).toEqual({
    watches: [
      { address: ADDRESS, ...rest },
      { address: 'second', ...rest },
    ],
  })
})

test('a refused form keeps its text and names the line of each fault', async () => {
  api.answer = (call, response) =>
    call.method === 'GET'
      ? json(200, { items: [], next_page_token: null })(call, response)
      : json(400, {
          ...{ code: 'invalid_address', detail: 'This address is not valid.' },
          errors: [
            { pointer: '/watches/1/address', detail: 'This address is not valid.' },
            { pointer: '/watches/2/address', detail: 'The same address is at /watches/0.' },
          ],
        })(call, response)
  const answer = await post('/watches', { addresses: `${ADDRESS}\n\n<x>\n${ADDRESS}` })
  expect(answer.status).toBe(400)
  const html = await answer.text()
  expect(html).toContain('Line 3: This address is not valid.')
  expect(html).toContain('Line 4: The same address is on line 1.')
  expect(html).toContain('&lt;x>')
})

test('an empty form and a form of too many lines reach no API', async () => {
  expect((await post('/watches', { addresses: ' \n' })).status).toBe(400)
  expect((await post('/watches', { addresses: 'a\n'.repeat(501) })).status).toBe(400)
  expect(api.calls.filter(({ method }) => method !== 'GET')).toEqual([])
})

test('a press ends a watch, and a second press changes nothing', async () => {
  api.answer = json(404, { code: 'not_found', detail: 'There is no such watch.' })
  const answer = await post('/watches/wat_1/remove', {})
  expect(answer.headers.get('location')).toBe('/watches?removed')
  expect(api.calls.map(({ method, path }) => `${method} ${path}`)).toEqual(['DELETE /v1/watches/wat_1'])
})

test('a key that reads sees neither the form nor the buttons', async () => {
  api.answer = json(200, { items: [{ ...watch, list_reasons: [] }], next_page_token: null })
  const session = aSession({ scope: 'read-only' })
  const answer = await fetch(`${front.url}/watches`, { headers: { cookie: cookieOf(session) } })
  const html = await answer.text()
  expect(html).toContain('9f2c4a1be07d6358')
  expect(html).not.toContain('Stop watching')
  expect(html).not.toContain('action="/watches"')
})

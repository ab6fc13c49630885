/** The page of transfers screens one and lists the newest, and the report of the other side says what is recommended. */
import type { Report } from '@cupel/contracts'
import { transferReasonText } from '@cupel/reports/document'
import { sampleReport } from '@cupel/testkit'
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

const listed = {
  ...{ transfer_id: '9f2c4a1be07d6358', recommendation: 'review', level: 'grey', score: 0, chain: 'ETH' },
  ...{
    direction: 'incoming',
    amount: '12.5',
    value_usd: '12.491',
    asset: { symbol: 'USDT' },
    reference: '<b>mine</b>',
  },
  generated_at: '2026-11-21T09:00:01.040Z',
}
const list = json(200, { items: [listed], next_page_token: null })

const pageAt = async (path: string, session = aSession()): Promise<string> => {
  const answer = await fetch(`${front.url}${path}`, { headers: { cookie: cookieOf(session) } })
  expect(answer.status).toBe(200)
  return await answer.text()
}

async function post(fields: Readonly<Record<string, string>>, session = aSession()) {
  const form = new URLSearchParams({ csrf: csrfToken(session.token), ...fields })
  api.calls.length = 0
  return await fetch(`${front.url}/transfers`, {
    ...{ method: 'POST', redirect: 'manual', body: form },
    headers: { cookie: cookieOf(session), 'sec-fetch-site': 'same-origin' },
  })
}

test('the newest transfers are listed, with what was recommended', async () => {
  api.answer = list
  const html = await pageAt('/transfers')
  expect(html).toContain('/reports/9f2c4a1be07d6358')
  expect(html).toContain('incoming 12.5 USDT')
  expect(html).toContain(', $12.49')
  expect(html).not.toContain('<b>mine</b>')
  expect(await pageAt('/screen')).toContain('href="/transfers"')
})

const SENDER = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const fields = {
  chain: 'ETH',
  direction: 'incoming',
  from: ` ${SENDER} `,
  to: '0xabc',
  asset: 'USDT',
  amount: '7',
}

test('the form sends what was filled in, once, and opens the report of the other side', async () => {
  api.answer = json(200, listed)
  const attempt = `${Date.now()}-${crypto.randomUUID()}`
  const sent = { ...fields, transaction_hash: '', reference: '', attempt }
  const answers = [await post(sent), await post(sent)]
  for (const answer of answers)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/reports/9f2c4a1be07d6358'])
  const [call] = api.calls
  expect(`${call!.method} ${call!.path}`).toBe('POST /v1/transfers')
  expect(JSON.parse(call!.body)).toEqual({ ...fields, from: SENDER })
})

test('a refused form keeps its text and names the field of each fault', async () => {
  api.answer = (call, response) =>
    (call.method === 'GET'
      ? list
      : json(400, {
          ...{ code: 'invalid_request', detail: 'A fault.' },
          errors: [{ pointer: '/amount', detail: 'An amount is a plain decimal number.' }],
        }))(call, response)
  const answer = await post({ ...fields, amount: '1e5' })
  const html = await answer.text()
  expect(answer.status).toBe(400)
  expect(html).toContain('amount: An amount is a plain decimal number.')
  expect(html).toContain('value="1e5"')
})

test('a key that only reads gets the list without the form', async () => {
  api.answer = list
  const html = await pageAt('/transfers', aSession({ scope: 'read-only' }))
  expect(html).not.toContain('action="/transfers"')
  expect(html).toContain('incoming 12.5 USDT')
})

const transfer: NonNullable<Report['transfer']> = {
  recommendation: 'reject',
  reasons: [{ code: 'designated_counterparty', recommendation: 'reject' }],
  ...{ direction: 'incoming', own_address: '0xown', transaction_hash: null, planned: true },
  asset: { symbol: 'USDT', contract: null, is_known: true },
  ...{ amount: '1250.5', amount_base_units: '1250500000', value_usd: '1250.6', priced_on: '2026-11-20' },
  funds: {
    ...{ direction: 'incoming', asset: 'USD', total: '4 USD', total_complete: true },
    by_category: [{ category: 'darknet', relation: 'direct', share: 0.25, amount: '312.62512345 USD' }],
  },
  ledger: { status: 'planned', snapshot: null },
}

test('the page of a report names the transfer it was made for, and says nothing of transfers without one', async () => {
  const shown = async (report: Report): Promise<string> => {
    api.answer = (call, response) => {
      const isReport = call.path === `/v1/reports/${report.report_id}`
      if (call.path.endsWith('/case')) json(404, { code: 'not_found' })(call, response)
      else json(200, isReport ? report : { items: [], next_page_token: null })(call, response)
    }
    return await pageAt(`/reports/${report.report_id}`)
  }
  const html = await shown(sampleReport({ transfer }))
  expect(html).toContain('Reject: receive 1,250.5 USDT')
  expect(html).toContain(transferReasonText('designated_counterparty').text)
  for (const text of [
    '0xown',
    'planned, none yet',
    '$1,250.60',
    '25%',
    'title="312.62512345 USD"',
    '>312.625 USD<',
  ])
    expect(html).toContain(text)
  expect(await shown(sampleReport())).not.toContain('id="transfer"')
})

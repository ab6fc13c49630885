/** The page of watches says what of the lists lets no watched address be green, though no report was decided again. */
import { en, reasonText } from '@cupel/report-document'
import { afterAll, beforeAll, expect, test } from 'vitest'
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

/** From a report to the next one of its address: the form has what the report was made with. */
import { sampleReport } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aSession, cookieOf, json, startFakeApi, startFront, type FakeApi } from './fake-api.js'

let api: FakeApi
let front: Awaited<ReturnType<typeof startFront>>
beforeAll(async () => {
  api = await startFakeApi()
  front = await startFront(api)
})
afterAll(async () => {
  await front.close()
  await api.close()
})

async function pageAt(path: string): Promise<string> {
  const reply = await fetch(front.url + path, { headers: { cookie: cookieOf(aSession()) } })
  expect(reply.status).toBe(200)
  return await reply.text()
}

test('the reference of the customer, the address and its chain survive "Screen it again"', async () => {
  const report = sampleReport({ customer_reference: 'order 7 & "8"' })
  const path = `/reports/${report.report_id}`
  api.answer = (call, response) => {
    if (call.path === `/v1${path}`) json(200, report)(call, response)
    else if (call.path.startsWith('/v1/reports?'))
      json(200, { items: [], next_page_token: null })(call, response)
    else json(404, { code: 'not_found' })(call, response)
  }
  const [, link = ''] = /<a [^>]*href="([^"]*)"[^>]*>\s*Screen it again/.exec(await pageAt(path)) ?? []
  const form = await pageAt(link.replaceAll('&amp;', '&'))
  expect(form).toMatch(/<input id="reference" name="reference" value="order 7 &amp; &quot;8&quot;"/)
  expect(form).toContain(`<input id="address" name="address" value="${report.address}"`)
  expect(form).toContain(`<option value="${report.chain}" selected`)
})

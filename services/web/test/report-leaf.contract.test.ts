/** The pages of a report, and of a shared one: the part about the transparency log, the names of lists, and the calls. */
import { leafHeader, LEAF_HEADER } from '@cupel/contracts'
import { en } from '@cupel/reports/document'
import { sampleReport } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aSession, cookieOf, json, startFakeApi, startFront, type FakeApi } from './fake-api.js'

const LEAF = { log: 'cupel/0b7a2c41d9e3/transparency/6f1d', index: 4_711, hash: '9c'.repeat(32) }
const report = sampleReport()
const NOTHING = { items: [], next_page_token: null }

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

async function pageAt(path: string, leaf: string | null): Promise<string> {
  api.answer = (call, response) => {
    const isReport = call.path === `/v1/reports/${report.report_id}` || call.path.startsWith('/v1/shared/')
    if (isReport && leaf !== null) response.setHeader(LEAF_HEADER, leaf)
    if (call.path.endsWith('/case')) json(404, { code: 'not_found' })(call, response)
    else json(200, isReport ? report : NOTHING)(call, response)
  }
  const reply = await fetch(`${front.url}${path}`, { headers: { cookie: cookieOf(aSession()) } })
  expect(reply.status).toBe(200)
  return await reply.text()
}

test.each([`/reports/${report.report_id}`, `/shared/cupel_share_${'a'.repeat(43)}`])(
  '%s names the log and the hash of the leaf as the API does, and says where no leaf is known',
  async (path) => {
    const { log, leafHash, noLeaf } = en.provenance
    const named = await pageAt(path, leafHeader(LEAF))
    for (const text of [log, leafHash, LEAF.log, LEAF.hash]) expect(named).toContain(`>${text}<`)
    expect(named).not.toContain(noLeaf)
    for (const unknown of [null, 'log="cupel/a", index=1, hash="9c"']) {
      const page = await pageAt(path, unknown)
      expect(page).toContain(`>${noLeaf}<`)
      expect(page).not.toContain(`>${leafHash}<`)
    }
  },
)

test.each([`/reports/${report.report_id}`, `/shared/cupel_share_${'a'.repeat(43)}`])(
  '%s names the publishers of lists in words',
  async (path) => {
    const page = await pageAt(path, null)
    expect(page).toContain('SDN list of OFAC / sdn_advanced.xml')
    expect(page).not.toContain('ofac_sdn / ')
  },
)

test('the case and the links of a report are asked for while the report is read', async () => {
  const waiting = new Set(['case', 'share-links'])
  let release = (): void => undefined
  const asked = new Promise<void>((resolve) => (release = resolve))
  api.answer = (call, response) => {
    if (call.path === `/v1/reports/${report.report_id}`)
      return void asked.then(() => json(200, report)(call, response))
    waiting.delete(call.path.split('/').at(-1)!)
    if (waiting.size === 0) release()
    if (call.path.endsWith('/case')) json(404, { code: 'not_found' })(call, response)
    else json(200, NOTHING)(call, response)
  }
  const url = `${front.url}/reports/${report.report_id}`
  const reply = await fetch(url, { headers: { cookie: cookieOf(aSession()) } })
  expect(reply.status).toBe(200)
  expect(await reply.text()).toContain(report.address)
})

/** A new installation offers addresses whose reports show something. */
import { readFileSync } from 'node:fs'
import { magicReports } from '@cupel/domain'
import { sampleReport } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { liveExamples } from '@cupel/screening/pages'
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

async function home(session: Parameters<typeof aSession>[0]): Promise<string> {
  const answer = await fetch(front.url, { headers: { cookie: cookieOf(aSession(session)) } })
  return await answer.text()
}

const starter = readFileSync(new URL('../../../data/starter-labels.csv', import.meta.url), 'utf8')
  .split('\n')
  .map((line) => line.split(','))

test('the examples are a designated address, a mixer and an exchange of the starter labels, and an unlisted address', () => {
  const first = (address: string) => starter.find(([listed]) => listed === address)?.[2]
  expect(liveExamples.map(({ address }) => first(address))).toEqual([
    ...['sanctions', 'mixer', 'clean_exchange'],
    undefined,
  ])
})

test('the home of an account without reports screens an example by a press', async () => {
  const html = await home({})
  for (const { address } of liveExamples) expect(html).toContain(`name="address" value="${address}"`)
  expect(html).toContain('labels refresh --plan data/refresh-ofac.json')
  expect(html).not.toContain('Load the OFAC list')
})

test('an operator loads the list of OFAC by a press, which says whom Cupel then asks', async () => {
  const html = await home({ scope: 'operator' })
  expect(html).toContain('Cupel asks the server of OFAC')
  expect(html).toMatch(/<input type="hidden" name="fetch" value="ofac"\/?>/)
})

test('the steps stay until an address was screened with a whole list, and then make room', async () => {
  const list = { source: 'ofac', dataset: 'sdn', authority: 'us-ofac', whole: true, required: true }
  const before = { ...list, status: 'current', published_at: '2020-01-01T00:00:00.000Z' }
  const after = { ...list, status: 'current', published_at: '2999-01-01T00:00:00.000Z' }
  const asked = async (reports: number, lists: readonly object[], session = {}) => {
    api.answer = (call, response) => {
      const items = call.path.startsWith('/v1/reports')
        ? Array.from({ length: reports }, () => sampleReport())
        : call.path.startsWith('/v1/lists')
          ? lists
          : []
      json(200, { items, next_page_token: null })(call, response)
    }
    const html = await home(session)
    api.answer = json(200, { items: [], next_page_token: null })
    return html.includes('id="first-steps"')
  }
  expect(await asked(1, [])).toBe(true)
  expect(await asked(1, [after])).toBe(true)
  expect(await asked(1, [before])).toBe(false)
  expect(await asked(1, [before, after])).toBe(true)
  expect(await asked(10, [])).toBe(false)
  expect(await asked(1, [], { livemode: false })).toBe(false)
})

test('a list that is too old does not allow green', async () => {
  const list = { source: 'ofac', dataset: 'sdn', authority: 'us-ofac', whole: true, required: true }
  const asked = async (status: string) => {
    api.answer = ({ path }, response) =>
      json(200, { items: path.startsWith('/v1/lists') ? [{ ...list, status }] : [], next_page_token: null })(
        { method: 'GET', path, headers: {}, body: '' },
        response,
      )
    return await home({})
  }
  expect(await asked('current')).toContain('so reports can be green')
  expect(await asked('stale')).not.toContain('so reports can be green')
  api.answer = json(200, { items: [], next_page_token: null })
})

test('the home of a sandbox offers its addresses with a fixed meaning', async () => {
  const html = await home({ livemode: false })
  for (const address of magicReports.keys()) expect(html).toContain(`name="address" value="${address}"`)
  expect(html).not.toContain('labels refresh')
})

test('a key that reads is offered no screening', async () => {
  expect(await home({ scope: 'read-only' })).not.toContain('action="/screen"')
})

const demoOf = (status: string) => ({
  ...{ status, fault: null },
  addresses: [{ address: '0xdecade0000000000000000000000000000000001', title: 'A demo customer' }],
})

async function homeWithDemo(status: string, session: Parameters<typeof aSession>[0]): Promise<string> {
  api.answer = (call, response) =>
    json(200, call.path === '/v1/demo' ? demoOf(status) : { items: [], next_page_token: null })(
      call,
      response,
    )
  const html = await home(session)
  api.answer = json(200, { items: [], next_page_token: null })
  return html
}

test('the demo is turned on and removed by an operator with one press, and its addresses are offered while it is on', async () => {
  const off = await homeWithDemo('off', { scope: 'operator' })
  expect(off).toContain('Turn the demo on')
  expect(off).not.toContain('A demo customer')
  const on = await homeWithDemo('on', { scope: 'operator' })
  expect(on).toContain('Remove the demo')
  expect(on).toContain('A demo customer')
  expect(on).toContain('made-up labels and transfers')
  const other = await homeWithDemo('on', {})
  expect(other).not.toContain('Remove the demo')
  expect(other).toContain('cupel demo remove')
})

test('the press asks the API, and the page looks again while the demo changes', async () => {
  api.answer = (call, response) =>
    json(200, call.path === '/v1/demo' ? demoOf('loading') : { items: [], next_page_token: null })(
      call,
      response,
    )
  const session = aSession({ scope: 'operator' })
  const shown = await fetch(front.url, { headers: { cookie: cookieOf(session) } })
  expect(shown.headers.get('refresh')).toBe('2')
  const csrf = /name="csrf" value="([^"]+)"/.exec(await shown.text())![1]!
  api.calls.length = 0
  const answer = await fetch(`${front.url}/demo`, {
    ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams({ csrf, is_on: 'yes' }) },
    headers: { cookie: cookieOf(session), origin: front.url },
  })
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/'])
  expect(api.calls.map(({ method, path, body }) => [method, path, body])).toEqual([
    ['POST', '/v1/demo', '{"is_on":true}'],
  ])
  api.answer = json(200, { items: [], next_page_token: null })
})

test('if the newest reports are in an archive, the home says so, and takes nobody for new', async () => {
  const retired = (isRetired: (path: string) => boolean): void => {
    api.answer = (call, response) =>
      isRetired(call.path)
        ? json(410, { code: 'report_retired', detail: 'They are in an archive.' })(call, response)
        : json(200, {
            items: call.path.startsWith('/v1/reports')
              ? Array.from({ length: 10 }, () => sampleReport())
              : [],
            next_page_token: null,
          })(call, response)
  }
  retired((path) => path.startsWith('/v1/reports') && path.includes('level=red'))
  const red = await home({})
  expect(red).toContain('They are in an archive.')
  expect(red).toContain('aria-label="Latest reports"')
  retired((path) => path.startsWith('/v1/reports'))
  const all = await home({})
  api.answer = json(200, { items: [], next_page_token: null })
  expect(all).toContain('They are in an archive.')
  expect(all).not.toContain('id="first-steps"')
  expect(all).not.toContain('No address was screened yet')
})

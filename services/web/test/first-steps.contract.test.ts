/** A new installation offers addresses whose reports show something. */
import { readFileSync } from 'node:fs'
import { magicReports } from '@cupel/domain'
import { sampleReport } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { liveExamples } from '../src/pages/screen/examples.js'
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
})

test('the steps stay after the first report until a whole list is there, and then make room', async () => {
  const list = { source: 'ofac', dataset: 'sdn', authority: 'us-ofac', whole: true, required: true }
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
  expect(await asked(1, [{ ...list, status: 'current' }])).toBe(false)
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

/** The page of the health says that all is well for one word only. */
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

const healthy = {
  ...{
    state: 'healthy',
    looked_at: '2026-11-21T09:00:00.000Z',
    services: [],
    missing_services: [],
    faults: [],
  },
  ...{ projections: [], groups: [], dead_letters: [], not_read: [], not_looked_at: ['certificates'] },
}

async function htmlOf(health: object): Promise<string> {
  api.answer = json(200, { ...healthy, ...health })
  const headers = { cookie: cookieOf(aSession({ scope: 'operator' })) }
  return await (await fetch(`${front.url}/health`, { headers })).text()
}
const GOOD = 'Nothing has stopped'

test('healthy is good news, and what cannot be seen is named', async () => {
  const html = await htmlOf({})
  expect(html).toContain(GOOD)
  expect(html).toContain('certificates')
  expect(html).not.toContain('role="alert"')
})

test.each<readonly [string, object, string]>([
  [
    'a fault',
    { state: 'fault', faults: [{ part: 'outbox', detail: '3 events <wait>.', remedy: 'Start it.' }] },
    '3 events &lt;wait>.',
  ],
  ['a missing service', { state: 'fault', missing_services: ['scorer'] }, 'No process runs of: scorer.'],
  [
    'a dead letter',
    { state: 'fault', dead_letters: [{ topic: 'x.dlq', records: 2 }] },
    'x.dlq holds 2 records',
  ],
  ['what could not be read', { state: 'unknown', not_read: ['lag'] }, 'nothing is known of them: lag'],
  ['an unknown word', { state: 'splendid' }, 'It is not known whether the installation is healthy.'],
  [
    'a process that is not seen',
    {
      state: 'fault',
      services: [
        {
          ...{ name: 'scorer-0', state: 'not_seen', failing: [], host: 'north', release: '1' },
          ...{ started_at: '2026-11-21T08:00:00.000Z', seen_age_ms: 90_000 },
        },
      ],
    },
    'scorer-0: not seen any more.',
  ],
])('%s is red', async (_what, health, says) => {
  const html = await htmlOf(health)
  expect(html).toContain(says)
  expect(html).toContain('role="alert"')
  expect(html).not.toContain(GOOD)
})

/** The page of the ledger: what is missing, too old or unknown is red, also a word that the page does not know. */
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

const kind = {
  ...{ kind: 'native', needed: true, faults: [], ranges_omitted: 0, gaps: [], gaps_omitted: 0 },
  ranges: [{ from_height: 0, to_height: 100, unreadable_rows: false, to_at: '2026-11-21T08:54:47.000Z' }],
}
const chain = {
  ...{ chain: 'BTC', imports: 1, open_imports: 0, outdated_imports: 0, transfers: 2, last_height: 100 },
  ...{ imported_at: '2026-11-21T08:55:00.000Z', kinds: [kind] },
}
const follower = {
  ...{
    chain: 'BTC',
    next_height: 101,
    head_height: 100,
    lag_blocks: 0,
    lag_s: 30,
    seen_age_ms: 1,
    fault: null,
  },
}
const prices = {
  ...{
    sha256: 'x',
    file_name: 'p.csv',
    prices: 1,
    assets: ['BTC'],
    first_day: '2026-11-20',
    last_day: '2026-11-20',
  },
  ...{ unpriced_days: 0, early_ends: [], imported_at: '2026-11-21T00:30:00.000Z', imported_by: 'operator:a' },
}
const ledger = {
  ...{ looked_at: '2026-11-21T09:00:00.000Z', ledger_seq: 1, max_age_hours: 24, asset_table: '1.0.0' },
  ...{ chains: [chain], followers: [follower], providers: [], prices },
  readings: { reading: 0, read: 0, failed: 0 },
}
const imported = {
  ...{
    import_id: 1,
    state: 'imported',
    ledger_seq: 1,
    chain: 'BTC',
    format: 'csv',
    file_name: 'a.csv',
    covers: [],
  },
  ...{ complete_from: null, complete_to: null, rows: 5, added: 2, left_out: [], imported_by: 'operator:<a>' },
  ...{ started_at: '2026-11-21T08:54:00.000Z', imported_at: '2026-11-21T08:55:00.000Z' },
}

async function htmlOf(change: object, one: object = {}): Promise<string> {
  const imports = json(200, { items: [{ ...imported, ...one }], next_page_token: null })
  api.answer = (call, response) =>
    (call.path.startsWith('/v1/ledger/imports') ? imports : json(200, { ...ledger, ...change }))(
      call,
      response,
    )
  const headers = { cookie: cookieOf(aSession({ scope: 'operator' })) }
  return await (await fetch(`${front.url}/ledger`, { headers })).text()
}
const GOOD = 'Every chain of which files were imported is declared whole'
const BAD = 'list-state-bad'

test('a whole ledger is good news', async () => {
  const html = await htmlOf({})
  expect(html).toContain(GOOD)
  expect(html).not.toContain('role="alert"')
  expect(html).not.toContain(BAD)
  expect(html).toContain('operator:&lt;a>')
})

test('the command for what is missing names the chain and the newest gap', async () => {
  const gaps = [
    { from_height: 0, to_height: 99 },
    { from_height: 200, to_height: 299 },
  ]
  const lacking = { ...chain, chain: 'ETH', kinds: [{ ...kind, faults: ['gap'], gaps }] }
  const html = await htmlOf({ chains: [chain, lacking] })
  expect(html).toContain(
    'cupel ledger import FILE --format FORMAT --chain ETH --complete-from 200 --complete-to 299',
  )
  expect(await htmlOf({ chains: [] })).toContain('--chain CHAIN --complete-from FIRST --complete-to LAST')
})

test.each<readonly [string, object, string]>([
  ['no ledger', { chains: [] }, 'No ledger was imported yet'],
  [
    'an old range',
    { chains: [{ ...chain, kinds: [{ ...kind, faults: ['old'] }] }] },
    'BTC, Native coins: is too old.',
  ],
  ['an unknown fault', { chains: [{ ...chain, kinds: [{ ...kind, faults: ['<new>'] }] }] }, '&lt;new>'],
  ['an open import', { chains: [{ ...chain, open_imports: 2 }] }, '2 imports are not complete.'],
  [
    'another table of assets',
    { chains: [{ ...chain, outdated_imports: 1 }] },
    'read with another table of assets',
  ],
  ['a follower that stopped', { followers: [{ ...follower, fault: 'It is <gone>.' }] }, 'It is &lt;gone>.'],
  [
    'a follower without an answer',
    { followers: [{ ...follower, lag_blocks: null }] },
    'its lag is not known',
  ],
  ['a follower without a block', { followers: [{ ...follower, lag_s: null }] }, 'imported no block yet'],
  ['a follower that is late', { followers: [{ ...follower, lag_s: 25 * 3_600 }] }, 'is 25 h behind.'],
  ['no prices', { prices: null }, 'so no amount has a value in US dollars.'],
  [
    'an asset whose prices ended',
    { prices: { ...prices, early_ends: [{ asset: 'ETH', last_day: '2024-01-01' }] } },
    'The prices of ETH end on 2024-01-01',
  ],
  ['old prices', { prices: { ...prices, unpriced_days: 3 } }, 'what moved on 3 days since'],
])('%s is red', async (_what, change, says) => {
  const html = await htmlOf(change)
  expect(html).toContain(says)
  expect(html).toContain('role="alert"')
  expect(html).not.toContain(GOOD)
})

test.each<readonly [string, object, string, boolean]>([
  ['runs', { state: 'importing', ledger_seq: null, imported_at: null }, '5 rows so far', false],
  ['was interrupted', { state: 'interrupted', ledger_seq: null, imported_at: null }, 'interrupted', true],
  ['has a state that the page does not know', { state: '<odd>' }, '&lt;odd>', true],
])('an import that %s', async (_what, one, says, isBad) => {
  const html = await htmlOf({}, one)
  expect(html).toContain(says)
  expect(html.includes(BAD)).toBe(isBad)
})

test('the bar draws each range and each gap, also the one up to the newest block, and says the same', async () => {
  const gap = { from_height: 101, to_height: 149 }
  const ranges = [
    ...kind.ranges,
    { ...kind.ranges[0], from_height: 150, to_height: 180, unreadable_rows: true },
  ]
  const html = await htmlOf({
    chains: [{ ...chain, kinds: [{ ...kind, ranges, gaps: [gap], faults: ['gap'] }] }],
    followers: [{ ...follower, head_height: 199 }],
  })
  expect(html).toContain('native: declared 0–100, 150–180; missing 101–149, 181–199; up to height 199.')
  expect(html.match(/<rect class="declared"/g)).toHaveLength(1)
  expect(html.match(/<rect class="doubtful"/g)).toHaveLength(1)
  expect(html.match(/<rect class="gap"/g)).toHaveLength(2)
})

test('a chain of which only histories are known needs no range, and is not called whole', async () => {
  const known = {
    ...{ ...chain, chain: 'ETH', imports: 0, last_height: null },
    kinds: [{ ...kind, faults: ['undeclared'], ranges: [] }],
  }
  const html = await htmlOf({ chains: [known] })
  expect(html).not.toContain('declared whole')
  expect(html).not.toContain('role="alert"')
  expect(html).not.toContain(BAD)
  expect(await htmlOf({ chains: [chain, known] })).toContain(GOOD)
  expect(html).toContain('only what providers said of single addresses')
})

/** The ledger over the API: for operators only, with everything that is missing or too old named. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { importPrices, tellFollower } from '@cupel/ledger'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningApi } from '../src/start-api.js'
import { call, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'
import { importTransfers } from './transfer-work.js'

const LEDGER = '/v1/ledger'
const IMPORTS = '/v1/ledger/imports'
let installation: Installation
let api: RunningApi
let operator: string
beforeAll(async () => {
  installation = await startInstallation()
  api = await installation.api()
  ;({ key: operator } = await installation.key({ scope: 'operator' }))
})
afterAll(() => installation.stop())
const get = (path: string, key = operator): Promise<Reply> => call(api.url, 'GET', path, { key })

test('is for operators', async () => {
  for (const scope of ['read-only', 'read-write', 'admin'] as const) {
    const { key } = await installation.key({ scope })
    for (const path of [LEDGER, IMPORTS])
      expect((await get(path, key)).json()).toMatchObject({ status: 403, code: 'scope_required' })
  }
})

test('an empty ledger says so, and knows no prices', async () => {
  expect((await get(LEDGER)).json()).toMatchObject({ ledger_seq: 0, chains: [], followers: [], prices: null })
  expect((await get(IMPORTS)).json()).toEqual({ items: [], next_page_token: null })
})

test('imports, followers and prices are shown with what is missing', async () => {
  const { database, folder } = installation
  await importTransfers(installation)
  await tellFollower(database, {
    ...{ chain: 'BTC', nextHeight: 10, headHeight: null, headAtS: null, importedAtS: null },
    ...{ fault: 'the node has another chain', isReorganised: false },
  })
  const file = join(folder, 'prices.csv')
  writeFileSync(file, 'day,asset,usd\n2026-01-01,ETH,3012.55\n2025-12-30,BTC,90000\n')
  await importPrices({ file, importedBy: 'operator:test', reason: '' }, { database })
  const found = (await get(LEDGER)).json()
  expect(found).toMatchObject({
    chains: [{ chain: 'ETH', open_imports: 0, outdated_imports: 0 }],
    followers: [
      {
        chain: 'BTC',
        lag_blocks: null,
        fault: 'The follower of BTC at height 10 cannot go on: the node has another chain.',
      },
    ],
    prices: {
      ...{ assets: ['BTC', 'ETH'], last_day: '2026-01-01' },
      early_ends: [{ asset: 'BTC', last_day: '2025-12-30' }],
    },
  })
  expect((found['prices'] as { unpriced_days: number }).unpriced_days).toBeGreaterThan(300)
  const { items } = (await get(`${IMPORTS}?chain=eth`)).json() as { items: object[] }
  expect(items).toMatchObject([{ state: 'imported', chain: 'ETH', format: 'csv' }, ...items.slice(1)])
  expect((await get(`${IMPORTS}?chain=BTC`)).json()).toEqual({ items: [], next_page_token: null })
})

test('a page token is for its list and its chain', async () => {
  await installation.database.execute(
    `INSERT INTO ledger.segment (chain, format, file_name, sha256, covers, replaces, asset_table_version, rows_done, imported_by)
     VALUES ('ETH', 'csv', 'later.csv', 'later', '{}', false, '1.0.0', 7, 'operator:test')`,
  )
  const first = (await get(`${IMPORTS}?page_size=1`)).json()
  expect(first).toMatchObject({ items: [{ file_name: 'later.csv', state: 'interrupted' }] })
  const token = String(first['next_page_token'])
  expect((await get(`${IMPORTS}?page_size=1&page_token=${token}`)).json()).toMatchObject({
    ...{ items: [{ file_name: 'transfers.csv' }], next_page_token: null },
  })
  for (const query of ['page_token=x', `chain=ETH&page_token=${token}`])
    expect((await get(`${IMPORTS}?${query}`)).json()).toMatchObject({ status: 400, code: 'invalid_request' })
})

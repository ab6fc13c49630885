/** Tables of daily prices: exact, complete or refused, named by their hash, and each readable for ever. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { currentLedger, importPrices, listEarlyEnds, listPriceImports, readPriceTable } from '../src/index.js'
import { IMPORTED_AT, startLedger, type LedgerInstallation } from './installation.js'

let ledger: LedgerInstallation
let files = 0
beforeEach(async () => {
  ledger = await startLedger()
}, 60_000)
afterEach(async () => await ledger.close())

const imported = async (text: string, reason = '') =>
  await importPrices(
    { file: await ledger.file(`${(files += 1)}.csv`, text), importedBy: 'operator:test', reason },
    { database: ledger.database, now: () => new Date(IMPORTED_AT) },
  )
const PRICES = 'day,asset,usd\n2026-11-20,ETH,3012.55\n2026-11-21,ETH,2999\n2026-11-21,DOGE,0.000001\n'

test('a price is exact in millionths of a dollar, and a day without one has none', async () => {
  const result = await imported(PRICES, 'weekly, ticket 4')
  expect(result).toMatchObject({
    ...{ status: 'imported', priceSeq: 1, prices: 3, assets: ['DOGE', 'ETH'], unknownAssets: [] },
    ...{ firstDay: '2026-11-20', lastDay: '2026-11-21' },
  })
  const sha256 = (await currentLedger(ledger.database)).pricesSha256!
  const table = (await readPriceTable(ledger.database, sha256))!
  expect(table.sha256).toBe(sha256)
  expect(table.microUsdOf('ETH', '2026-11-20')).toBe(3_012_550_000n)
  expect(table.microUsdOf('ETH', '2026-11-21')).toBe(2_999_000_000n)
  expect(table.microUsdOf('DOGE', '2026-11-21')).toBe(1n)
  expect(table.microUsdOf('DOGE', '2026-11-20')).toBeNull()
  expect(table.microUsdOf('BTC', '2026-11-21')).toBeNull()
  expect(await ledger.database.query('SELECT event FROM projection.outbox')).toMatchObject([
    {
      event: {
        type: 'PriceTableImported',
        data: { sha256, priceSeq: 1, prices: 3, importedBy: 'operator:test', reason: 'weekly, ticket 4' },
      },
    },
  ])
})

test('assets whose prices end before those of others are named, except those that are never priced', async () => {
  await imported(`${PRICES}2026-11-19,BTC,9000\n2026-11-18,BTC,9001\n2026-11-18,NOBODYS,1\n`)
  const [inForce] = await listPriceImports(ledger.database)
  expect(await listEarlyEnds(ledger.database, inForce!)).toEqual([{ asset: 'BTC', lastDay: '2026-11-19' }])
})

test('the newest import is in force; the same file again changes nothing, an earlier one comes into force again', async () => {
  await imported(PRICES)
  const first = (await currentLedger(ledger.database)).pricesSha256!
  expect(await imported(PRICES)).toMatchObject({ status: 'already-imported', priceSeq: 1 })
  expect(await imported(PRICES.replace('2999', '2998'))).toMatchObject({ status: 'imported', priceSeq: 2 })
  const second = (await currentLedger(ledger.database)).pricesSha256!
  expect(second).not.toBe(first)
  expect((await readPriceTable(ledger.database, first))!.microUsdOf('ETH', '2026-11-21')).toBe(2_999_000_000n)
  expect(await imported(PRICES)).toMatchObject({ status: 'imported', priceSeq: 3 })
  expect((await currentLedger(ledger.database)).pricesSha256).toBe(first)
  expect((await listPriceImports(ledger.database)).map(({ priceSeq, sha256 }) => [priceSeq, sha256])).toEqual(
    [
      [3, first],
      [2, second],
      [1, first],
    ],
  )
})

test('a symbol that no counted asset has is told', async () => {
  expect(await imported('day,asset,usd\n2026-11-20,eth,3\n')).toMatchObject({ unknownAssets: ['eth'] })
})

describe('a file', () => {
  test.each([
    ['without prices', 'day,asset,usd\n', 'no prices'],
    ['with another heading', 'date,asset,usd\n2026-11-20,ETH,1\n', 'line 2: the column day is missing'],
    ['with a row that is cut', 'day,asset,usd\n2026-11-20,ETH\n', 'line 2: 2 fields'],
    [
      'with a day that does not exist',
      'day,asset,usd\n2026-02-30,ETH,1\n',
      'line 2: 2026-02-30 is not a day',
    ],
    ['with a day of the future', 'day,asset,usd\n2026-11-23,ETH,1\n', 'line 2: the day is in the future'],
    [
      'with two prices of a day',
      'day,asset,usd\n2026-11-20,ETH,1\n2026-11-20,ETH,2\n',
      'line 3: a second price',
    ],
    ['with a price of zero', 'day,asset,usd\n2026-11-20,ETH,0.000000\n', 'line 2: "0.000000" is not a price'],
    [
      'with seven decimals',
      'day,asset,usd\n2026-11-20,ETH,1.0000001\n',
      'line 2: "1.0000001" is not a price',
    ],
    ['with an exponent', 'day,asset,usd\n2026-11-20,ETH,1e3\n', 'line 2: "1e3" is not a price'],
    ['with a negative price', 'day,asset,usd\n2026-11-20,ETH,-1\n', 'line 2: "-1" is not a price'],
    ['with hidden characters', 'day,asset,usd\n2026-11-20,E\u202eTH,1\n', 'is not a symbol'],
  ])('%s is refused with its line, and nothing of it is in force', async (_name, text, message) => {
    expect(await imported(text)).toMatchObject({
      status: 'refused',
      message: expect.stringContaining(message) as string,
    })
    expect((await currentLedger(ledger.database)).pricesSha256).toBeNull()
  })
})

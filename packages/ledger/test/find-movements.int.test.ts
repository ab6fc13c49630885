import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Movement } from '@cupel/domain'
import { findMovements } from '../src/index.js'
import { latestPrice } from '../src/prices/latest-price.js'
import { address, csvOf, hash, startLedger, type LedgerInstallation } from './installation.js'

const [OWN, SENDER, OTHER] = [address(1), address(2), address(3)]
const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const HASH = hash(5)
const ETHER = 10n ** 18n

let ledger: LedgerInstallation
beforeAll(async () => {
  ledger = await startLedger()
  const told = { block: 5, hash: HASH, from: SENDER, to: OWN }
  const first = [
    told,
    // A call of the same transaction that moves the same is the same movement.
    { ...told, kind: 'internal', index: 7 },
    { ...told, kind: 'token', index: 1, contract: USDT, raw: '2500000' },
    { ...told, from: OWN, to: OTHER },
    { ...told, hash: hash(6), block: 6 },
    { ...told, hash: hash(7), block: 7, status: '0' },
    { ...told, kind: 'token', index: 2, contract: address(99) },
  ] as const
  await ledger.imported(await ledger.file('first.csv', csvOf(first)))
  const later = [{ ...told, kind: 'token', index: 3, contract: USDT, from: OTHER, raw: '1' }] as const
  await ledger.imported(await ledger.file('later.csv', csvOf(later)))
})
afterAll(() => ledger.close())

const search = (changes: Partial<Parameters<typeof findMovements>[1]> = {}) =>
  findMovements(ledger.database, {
    ...{ chain: 'ETH', ledgerSeq: 1, address: OWN, direction: 'incoming', txHash: HASH },
    ...changes,
  })
const find = async (...args: Parameters<typeof search>): Promise<readonly Movement[]> =>
  (await search(...args))!
const sorted = (found: readonly Movement[]): readonly Movement[] =>
  [...found].sort((a, b) => (a.contract < b.contract ? -1 : 1))

test('the movements of a transaction are those of the address in the direction, each once', async () => {
  expect(sorted(await find())).toEqual([
    { counterparty: SENDER, contract: '', amount: ETHER },
    { counterparty: SENDER, contract: USDT, amount: 2_500_000n },
  ])
  expect(await find({ direction: 'outgoing' })).toEqual([
    { counterparty: OTHER, contract: '', amount: ETHER },
  ])
})

test('a later import is seen by later states only', async () => {
  const counterparties = (found: readonly Movement[]): string[] => found.map((one) => one.counterparty)
  expect(counterparties(await find())).not.toContain(OTHER)
  expect(counterparties(await find({ ledgerSeq: 2 }))).toContain(OTHER)
})

test('a failed transaction, another one, another address and another chain have none of them', async () => {
  expect(await find({ txHash: hash(7) })).toEqual([])
  expect(await find({ txHash: hash(8) })).toEqual([])
  expect(await find({ address: address(4) })).toEqual([])
  expect(await find({ chain: 'BSC' })).toEqual([])
})

test('an address with more transfers than are searched is not searched', async () => {
  const [held] = await ledger.database.query<{ rows: number }>(
    `SELECT count(*)::int4 AS rows FROM ledger.transfer t JOIN ledger.address a ON a.address_id = t.to_id WHERE a.address = $1`,
    [OWN],
  )
  expect(await find({ maxSearched: held!.rows })).toHaveLength(2)
  expect(await search({ maxSearched: held!.rows - 1 })).toBeNull()
  expect(await search({ maxSearched: 0, address: address(4) })).toEqual([])
})

test('the newest price is that of the day or the last one before it', async () => {
  await ledger.database.execute(
    `INSERT INTO ledger.price (sha256, asset, day, micro_usd) VALUES
       ('a', 'ETH', '2026-11-18', 1000000), ('a', 'ETH', '2026-11-20', 3000000), ('b', 'ETH', '2026-11-19', 7)`,
  )
  const on = (today: string, symbol = 'ETH') => latestPrice(ledger.database, { sha256: 'a', symbol, today })
  expect(await on('2026-11-20')).toEqual({ microUsd: 3_000_000n, pricedOn: '2026-11-20' })
  expect(await on('2026-11-19')).toEqual({ microUsd: 1_000_000n, pricedOn: '2026-11-18' })
  expect(await on('2026-11-17')).toBeNull()
  expect(await on('2026-11-20', 'BTC')).toBeNull()
})

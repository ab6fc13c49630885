/** How far readings are, told by one process and read by another. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  forgetOldProgress,
  historyProgress,
  tellHistoryProgress,
  type HistoryProgress,
} from '../src/index.js'
import { address, startLedger, type LedgerInstallation } from './installation.js'

let ledger: LedgerInstallation
beforeAll(async () => {
  ledger = await startLedger()
}, 60_000)
afterAll(async () => await ledger.close())

const PAST = '2026-01-01T00:00:00Z'
const place = (number: number) => ({ accountId: 'acc_test', chain: 'ETH', address: address(number) })
const reading = (number: number, over: Partial<HistoryProgress> = {}): HistoryProgress => ({
  ...{ ...place(number), state: 'reading', reason: '', provider: 'explorer' },
  ...{ pages: 3, pagesExpected: 5, waiting: 2, ...over },
})
const older = async (number: number, seconds: number): Promise<unknown> =>
  await ledger.database.execute(
    `UPDATE ledger.history_progress SET told_at = told_at - make_interval(secs => $2) WHERE address = $1`,
    [address(number), seconds],
  )

test('the newest telling of each address is read, from a moment on', async () => {
  await tellHistoryProgress(ledger.database, [reading(1, { pages: 1 }), reading(2)])
  await tellHistoryProgress(ledger.database, [reading(1, { pagesExpected: null })])
  expect(await historyProgress(ledger.database, place(1), PAST)).toEqual({
    ...{ state: 'reading', reason: '', provider: 'explorer', pages: 3, pagesExpected: null, waiting: 2 },
  })
  expect(await historyProgress(ledger.database, place(2), PAST)).toMatchObject({ pagesExpected: 5 })
  expect(await historyProgress(ledger.database, place(3), PAST)).toBeNull()
  expect(await historyProgress(ledger.database, { ...place(2), accountId: 'acc_other' }, PAST)).toBeNull()
  expect(await historyProgress(ledger.database, place(1), '2099-01-01T00:00:00Z')).toBeNull()
})

test('a reading that nobody tells any more has stopped, and one that ended has not', async () => {
  await tellHistoryProgress(ledger.database, [
    reading(4),
    reading(5, { state: 'failed', reason: 'day_budget' }),
  ])
  await older(4, 60)
  await older(5, 60)
  expect(await historyProgress(ledger.database, place(4), PAST)).toMatchObject({ state: 'stopped' })
  expect(await historyProgress(ledger.database, place(5), PAST)).toMatchObject({
    ...{ state: 'failed', reason: 'day_budget' },
  })
})

test('what is older than a day is forgotten', async () => {
  await tellHistoryProgress(ledger.database, [reading(6), reading(7)])
  await older(6, 90_000)
  await forgetOldProgress(ledger.database)
  expect(await historyProgress(ledger.database, place(6), PAST)).toBeNull()
  expect(await historyProgress(ledger.database, place(7), PAST)).not.toBeNull()
})

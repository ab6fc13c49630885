/** The calls to a provider of histories have one rate, whoever makes them: its key allows so many in a second. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { takeHistoryCall } from '../src/index.js'
import { startLedger, type LedgerInstallation } from './installation.js'

let ledger: LedgerInstallation
beforeAll(async () => {
  ledger = await startLedger()
}, 60_000)
afterAll(async () => await ledger.close())

/** So long that a slow machine changes nothing. */
const PAUSE_MS = 1_000_000
const limits = { callsPerDay: 1_000, callsPerSecond: 1_000 / PAUSE_MS }

/** After how many pauses the call may be made. */
async function pausesOf(provider: string, accountId: string, callsPerDay = limits.callsPerDay) {
  const call = await takeHistoryCall(ledger.database, { provider, accountId }, { ...limits, callsPerDay })
  return 'waitMs' in call ? Math.round(call.waitMs / PAUSE_MS) : call.refused
}

test('of calls at once, of whatever account, each waits a pause longer than another one', async () => {
  const accounts = Array.from({ length: 12 }, (_, call) => `acc_${call % 3}`)
  const pauses = await Promise.all(accounts.map((account) => pausesOf('at-once', account)))
  expect(pauses.toSorted((one, other) => Number(one) - Number(other))).toEqual(
    accounts.map((_, call) => call),
  )
})

test('another provider has a rate of its own, and a refused call takes no turn', async () => {
  expect(await pausesOf('one', 'a')).toBe(0)
  expect(await pausesOf('other', 'a')).toBe(0)
  expect(await pausesOf('one', 'a', 1)).toBe('day_budget')
  expect(await pausesOf('one', 'a', 2)).toBe('account_day_budget')
  expect(await pausesOf('one', 'a')).toBe(1)
})

test('a provider that nobody asked for long gets no calls at once for that', async () => {
  await pausesOf('rested', 'a')
  await ledger.database.execute(
    `UPDATE ledger.history_call SET next_at = next_at - interval '30 days' WHERE provider = 'rested'`,
  )
  expect([await pausesOf('rested', 'a'), await pausesOf('rested', 'a')]).toEqual([0, 1])
})

import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAddressNumbers, createContractNumbers } from '../src/numbers.js'
import { address, startLedger, type LedgerInstallation } from './installation.js'

let ledger: LedgerInstallation
beforeAll(async () => {
  ledger = await startLedger()
}, 60_000)
afterAll(async () => await ledger.close())

test.each([
  ['address', createAddressNumbers],
  ['contract', createContractNumbers],
] as const)(
  'each %s gets one number, although two imports give numbers at the same time',
  async (table, create) => {
    const { database } = ledger
    const texts = [address(1), address(2)]
    const [first, second] = [create(), create()]
    let end = (): void => undefined
    const ended = new Promise<void>((resolve) => (end = resolve))
    let given: readonly number[] = []
    const one = database.transaction({ at: 'test' }, async (transaction) => {
      given = await first.numbersOf(transaction, 'ETH', texts)
      await ended
    })
    await until(() => expect(given).toHaveLength(2))
    let others: readonly number[] = []
    const other = database.transaction({ at: 'test' }, async (transaction) => {
      others = await second.numbersOf(transaction, 'ETH', [...texts, address(3)])
    })
    await until(async () => {
      const [row] = await database.query<{ waiting: number }>(
        `SELECT count(*) AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      expect(row!.waiting).toBeGreaterThan(0)
    })
    end()
    await Promise.all([one, other])
    expect(others.slice(0, 2)).toEqual(given)
    const rows = await database.query(`SELECT FROM ledger.${table}`)
    expect(rows).toHaveLength(3)
  },
)

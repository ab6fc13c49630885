import { noMetrics } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { until } from '@cupel/testkit'
import { expect, test } from 'vitest'
import { createAsOfScreens, type AsOfOrder } from './as-of-screens.js'

const order = (accountId: string): AsOfOrder => ({
  ...{ address: 'a', canonicalAddress: 'a', chain: 'ETH', candidateChains: [], customerReference: null },
  caller: { accountId, livemode: true },
  asOf: '2026-03-01T00:00:00.000Z',
})

/** A log that sends nothing until it fails. */
function stalled() {
  const fail: ((error: Error) => void)[] = []
  const partitionCount = () => new Promise<never>((_, reject) => fail.push(reject))
  const screens = createAsOfScreens(
    {
      ...{
        log: { partitionCount } as unknown as EventLog,
        codec: {} as EventCodec,
        // No scorer knows of a row that differs from the log.
        database: { query: async () => [] } as unknown as Database,
      },
      ...{ metrics: noMetrics, now: () => new Date(), readWaitMs: 1_000 },
    },
    { maxRunning: 3, maxRunningPerAccount: 2, budgetMs: 1_000 },
  )
  const failAll = async (count: number): Promise<void> => {
    await until(() => expect(fail).toHaveLength(count))
    for (const one of fail.splice(0)) one(new Error('gone'))
  }
  return { screens, failAll }
}

test('an account has a limited number of them under way, an instance too, and each that ends makes room', async () => {
  const { screens, failAll } = stalled()
  const running = ['a', 'a', 'b'].map((account) => screens.screen(order(account)).catch(String))
  for (const account of ['a', 'b', 'c'])
    expect(await screens.screen(order(account))).toMatchObject({ kind: 'unavailable' })
  await failAll(6)
  expect(await Promise.all(running)).toEqual(Array(3).fill('Error: gone'))
  const next = screens.screen(order('a')).catch(String)
  await failAll(2)
  expect(await next).toBe('Error: gone')
})

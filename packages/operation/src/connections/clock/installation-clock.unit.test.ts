/** Two machines whose clocks differ measure a time between them as one machine would. */
import { noMetrics, silentLogger } from '@cupel/contracts'
import type { Queryable } from '@cupel/postgres'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startInstallationClock, type InstallationClock } from './installation-clock.js'

const TRUE_MS = Date.UTC(2026, 10, 23, 7)

let clocks: InstallationClock[]
beforeEach(() => {
  clocks = []
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'], now: TRUE_MS })
})
afterEach(async () => {
  const stopping = Promise.all(clocks.map((clock) => clock.stop()))
  await vi.advanceTimersByTimeAsync(10_000)
  await stopping
  vi.useRealTimers()
})

/** A machine that is `skewMs` fast. Its queries take `toMs` to the database and `fromMs` back. */
async function machine({ skewMs = 0, toMs = 1, fromMs = 1 }): Promise<InstallationClock> {
  const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
  const query = async () => {
    await later(toMs)
    const at = Date.now()
    await later(fromMs)
    return [{ at }]
  }
  const starting = startInstallationClock({
    database: { query } as unknown as Queryable,
    ...{ logger: silentLogger, metrics: noMetrics },
    machineNow: () => new Date(Date.now() + skewMs),
  })
  await vi.advanceTimersByTimeAsync(20 * (toMs + fromMs))
  const clock = await starting
  clocks.push(clock)
  return clock
}

test.each([30, -30, 5_000, 30_000, -30_000])(
  'a dwell that begins on one machine and ends on another, %i ms apart, is the time that passed',
  async (skewMs) => {
    const [api, scorer] = [await machine({}), await machine({ skewMs })]
    const requestedAtMs = api.now().getTime()
    await vi.advanceTimersByTimeAsync(7)
    expect(scorer.now().getTime() - requestedAtMs).toBe(7)
  },
)

test('of several questions the one with the quickest answer counts', async () => {
  let asked = 0
  const starting = startInstallationClock({
    database: {
      async query() {
        const at = Date.now()
        const ms = asked++ % 3 === 1 ? 4 : 400
        await new Promise((resolve) => setTimeout(resolve, ms))
        return [{ at }]
      },
    } as unknown as Queryable,
    ...{ logger: silentLogger, metrics: noMetrics },
    machineNow: () => new Date(Date.now() - 30_000),
  })
  await vi.advanceTimersByTimeAsync(900)
  clocks.push(await starting)
  expect(clocks[0]!.now().getTime() - Date.now()).toBe(-2)
})

test('a way to the database that takes longer than the way back is the whole error', async () => {
  const [api, scorer] = [await machine({}), await machine({ skewMs: 30, toMs: 6, fromMs: 2 })]
  expect(scorer.now().getTime() - api.now().getTime()).toBe(2)
})

test('a clock that is set while the service runs counts as it is within seconds', async () => {
  let skewMs = 0
  const starting = startInstallationClock({
    database: { query: async () => [{ at: Date.now() }] } as unknown as Queryable,
    ...{ logger: silentLogger, metrics: noMetrics },
    machineNow: () => new Date(Date.now() + skewMs),
  })
  await vi.advanceTimersByTimeAsync(10)
  clocks.push(await starting)
  skewMs = 30_000
  await vi.advanceTimersByTimeAsync(5_100)
  expect(clocks[0]!.now().getTime()).toBe(Date.now())
})

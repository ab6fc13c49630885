/** A dispatcher on a machine with a wrong clock: deliveries fall due by the clock of the database. */
import { skewMachineClock, until } from '@cupel/testkit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startInstallation, type Installation } from './installation.js'
import { answer, startReceiver } from './receiver.js'

const SKEW_MS = 30_000
const RETRY_MS = 120_000

let installation: Installation
let setRight: () => void = () => undefined
beforeAll(async () => {
  installation = await startInstallation()
})
afterEach(() => setRight())
afterAll(() => installation.stop())

test.each([SKEW_MS, -SKEW_MS])(
  'with a clock %i ms ahead a message is sent, and again when it is due',
  async (skewMs) => {
    setRight = skewMachineClock(skewMs)
    const dispatcher = await installation.dispatcher()
    const receiver = await startReceiver()
    // The next attempt is so far away that the test reads its time before it, even on a slow machine.
    receiver.react = answer(503, { 'retry-after': String(RETRY_MS / 1_000) })
    const endpoint = await installation.endpoint(receiver.url)
    await installation.end(endpoint, `job_${skewMs}`)
    await until(() => expect(receiver.received).toHaveLength(1))
    // The wait by the clock of the database.
    const inMs = await until(async () => {
      const [row] = await installation.database.query<{ inMs: number }>(
        `SELECT (extract(epoch FROM due_at - now()) * 1000)::int8 AS "inMs" FROM webhooks.delivery
       WHERE endpoint_id = $1 AND attempts = 1`,
        [endpoint.endpointId],
      )
      return row!.inMs
    })
    expect(Math.abs(inMs - RETRY_MS)).toBeLessThan(SKEW_MS / 2)
    receiver.react = answer(204)
    await installation.dueNow()
    await until(async () =>
      expect(await installation.deliveries(endpoint)).toMatchObject([{ status: 'delivered' }]),
    )
    await receiver.close()
    await dispatcher.stop()
  },
)

/** A coordinator on a machine with a wrong clock: its lease and its windows use no time of another machine. */
import { skewMachineClock } from '@cupel/testkit'
import { afterEach, expect, test } from 'vitest'
import { addresses, openInstallation } from './installation.js'

let setRight: () => void = () => undefined
afterEach(() => setRight())

test.each([30_000, -30_000])('with a clock %i ms ahead a job ends with every result', async (skewMs) => {
  setRight = skewMachineClock(skewMs)
  const installation = await openInstallation()
  try {
    await installation.coordinator()
    const jobId = await installation.submit(addresses(300))
    expect((await installation.ended(jobId)).data).toMatchObject({ total: 300, completed: 300 })
  } finally {
    await installation.close()
  }
})

/** An installation dies at each failpoint of its first start and of a late screen. It starts again and answers. */
import { join } from 'node:path'
import { drawnWithin } from '@cupel/testkit'
import { expect, test } from 'vitest'
import { createClient } from '../src/client.js'
import { atFirstStart, whenLate } from '../src/failpoint-visits.js'
import { firedPoints, sides } from '../src/fired-points.js'
import { createHome, removeHome, startInstallation } from '../src/installation.js'
import { until } from '../src/until.js'

const LABELLED = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
/** Concurrent screens: the demo key allows as many, and 10 ms are too short to answer them all. */
const BURST = 50
/** Longer than any lease, and ample for a busy machine. */
const RECOVERY_MS = 180_000

const deaths = sides.flatMap((side) => [
  ...atFirstStart.map((name) => ({ point: `${side}:${name}`, environment: {} })),
  ...whenLate.map((name) => ({
    point: `${side}:${name}`,
    environment: { CUPEL_SCREEN_DEADLINE_MS: '10' },
  })),
])

test.each(drawnWithin({ name: 'deaths at first start', minimum: 1 }, deaths))(
  'an installation that dies at $point comes up again and answers',
  async ({ point, environment }) => {
    const home = createHome()
    const fired = join(home, 'fired')
    try {
      await dieAt({
        home,
        environment: { ...environment, CUPEL_FAILPOINT: `${point}:1`, CUPEL_FAILPOINT_FIRED: fired },
      })
      expect(firedPoints(fired)).toEqual([point])
      const again = await startInstallation({ home })
      const client = createClient(again.ready.base_urls, again.ready.keys.read_write)
      // Leases of the dead process expire first.
      await until('an answer', RECOVERY_MS, async () => (await client.screen(LABELLED)).status === 200)
      await client.close()
      expect(await again.stop()).toBe(0)
    } finally {
      removeHome(home)
    }
  },
)

/** Starts an installation. Where the start does not reach the point, screens until the process is dead. */
async function dieAt(options: { home: string; environment: Record<string, string> }): Promise<void> {
  const started = await startInstallation(options).catch((error: unknown) => String(error))
  if (typeof started === 'string') {
    expect(started).toContain('before it was ready')
    return
  }
  const client = createClient(started.ready.base_urls, started.ready.keys.read_write)
  try {
    await until('the death of the process', RECOVERY_MS, async () => {
      await Promise.allSettled(Array.from({ length: BURST }, () => client.screen(LABELLED)))
      return started.supervisor.signalCode === 'SIGKILL'
    })
  } finally {
    await client.close()
    await started.stop()
  }
}

/** An installation dies at each failpoint of its first start, one after another. It then restarts and answers. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FailpointName } from '@cupel/kit/failpoints'
import { drawnWithin } from '@cupel/testkit'
import { expect, test } from 'vitest'
import { createClient, type Client } from '../src/client.js'
import { createHome, removeHome, startInstallation, type Installation } from '../src/installation.js'
import { until } from '../src/until.js'

const LABELLED = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
/** Number of concurrent screens: the demo key allows this many, and 10 ms are too short to answer them all. */
const BURST = 50
/** A process that answers this many bursts has passed every point that it can still reach with its data folder. */
const SURVIVED_BURSTS = 20
/** Longer than any lease, and ample for a busy machine. */
const RECOVERY_MS = 180_000
/** Each death needs one start. */
const TIMEOUT_MS = 1_200_000

/** Points that the first start of an installation and its first screens visit. */
const atFirstStart: readonly FailpointName[] = [
  'log.migrate',
  'log.genesis',
  'log.register-keys',
  'schemas.register',
  'policy.activate',
  'api.report-epoch-claimed',
  'projector.install-tables',
  'outbox.relay',
  'outbox.mark-relayed',
  'scorer.label-state-recorded',
]
const drawn = drawnWithin(
  { name: 'deaths at first start', minimum: 3 },
  atFirstStart.flatMap((name) => [`before:${name}`, `after:${name}`]),
)

test(
  'an installation that dies at each point of its first start comes up again and answers',
  { timeout: TIMEOUT_MS },
  async () => {
    let home = createHome()
    try {
      const left = new Set(drawn)
      while (left.size > 0) {
        await dieAtEach(home, left)
        await expectAnswers(home)
        if (left.size === 0) break
        // A new folder still reaches points that this one has passed, such as a genesis.
        removeHome(home)
        home = createHome()
      }
    } finally {
      removeHome(home)
    }
  },
)

/**
 * Restarts an installation, each time with every point armed that has not ended a process yet, until a start survives. Removes the
 * points at which a process died from `left`. Throws if the first start reaches none of them.
 */
async function dieAtEach(home: string, left: Set<string>): Promise<void> {
  const fired = join(home, 'fired')
  for (let deaths = 0; left.size > 0; deaths += 1) {
    const armed = [...left].map((point) => `${point}:1`).join(',')
    const options = { CUPEL_FAILPOINT: armed, CUPEL_FAILPOINT_FIRED: fired }
    const mayLive = deaths > 0
    const isDead = await startUntilDead({ home, environment: options }, mayLive)
    const met = linesOf(fired).filter((point) => left.delete(point))
    if (!isDead) return
    expect(met, 'each process dies at one point').toHaveLength(1)
  }
}

/** Whether the process died before it was ready or during the screens. */
async function startUntilDead(
  options: { home: string; environment: Record<string, string> },
  mayLive: boolean,
): Promise<boolean> {
  const started = await startInstallation(options).catch((error: unknown) => String(error))
  if (typeof started === 'string') {
    expect(started).toContain('before it was ready')
    return true
  }
  const client = clientOf(started)
  const isDead = (): boolean => started.supervisor.signalCode === 'SIGKILL'
  try {
    let bursts = 0
    await until('the death of the process', RECOVERY_MS, async () => {
      await Promise.allSettled(Array.from({ length: BURST }, () => client.screen(LABELLED)))
      bursts += 1
      return isDead() || (mayLive && bursts >= SURVIVED_BURSTS)
    })
    return isDead()
  } finally {
    await client.close()
    await started.stop()
  }
}

async function expectAnswers(home: string): Promise<void> {
  const started = await startInstallation({ home })
  const client = clientOf(started)
  // The leases of the dead process must expire first.
  await until('an answer', RECOVERY_MS, async () => (await client.screen(LABELLED)).status === 200)
  await client.close()
  expect(await started.stop()).toBe(0)
}

const clientOf = ({ ready }: Installation): Client => createClient(ready.base_urls, ready.keys.read_write)

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').trim().split('\n')
  } catch {
    return []
  }
}

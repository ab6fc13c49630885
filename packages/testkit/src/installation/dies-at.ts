/** Lives of a service in the process of its test. Each ends at a failpoint; the next one finds what reached database, log and files. */
import { noMetrics, silentLogger } from '@cupel/contracts'
import { createEventCodec, loadSchemaCatalog, type AuthenticLog } from '@cupel/event-log'
import { openDatabase } from '@cupel/postgres'
import fc from 'fast-check'
import { casesWithin, runSeed } from '../budget.js'
import { crashAt, CrashError } from '../crash.js'
import { executeAt } from '../test-database.js'
import type { TestDeps } from './open-test-installation.js'
import { openTestLog } from './open-test-log.js'

/** What one life works with. Nothing of it outlives it. */
export interface LifeDeps extends TestDeps {
  readonly log: AuthenticLog
  /** As that of a service: the life ends, and not at its point. */
  readonly fail: (reason: string, error: unknown) => void
}

/** Deaths of one suite: a short run takes the minimum, a night at least what is demanded. */
const DEATHS = { full: 5_000, minimum: 20, demanded: 1_000 }

/** Points for lives of a service, one after another: each ends after at most so many visits of failpoints. The seed draws how many. */
export function* deathsWithin({ name, visits }: { name: string; visits: number }): Generator<string, void> {
  const seed = runSeed()
  const drawn = fc.sample(fc.integer({ min: 1, max: visits }), { seed, numRuns: DEATHS.full })
  for (const death of casesWithin({ name, ...DEATHS }, seed)) yield `any:${drawn[death]}`
}

/**
 * Starts the work with connections and a log of its own on this database. Resolves once the failpoint has ended it, and all that it opened is
 * dropped; rejects if it ended in another way. Work that returns something to stop runs until then. From its death on it sends the database
 * nothing: what it held is left as a killed process leaves it. Only the time passes after which its partitions are free.
 * @param point such as `before:policy.activate:1`
 */
export async function diesAt(
  connectionString: string,
  point: string,
  work: (deps: LifeDeps) => unknown,
): Promise<void> {
  await crashAt(point, async ({ ended, isOver }) => {
    const database = openDatabase({
      ...{ connectionString, maxConnections: 8, applicationName: 'one life' },
      onRoundTrip: () => {
        if (isOver()) throw new CrashError(`dead since ${point}`)
      },
    })
    const log = await openTestLog(database)
    const others = await database.query<{ id: string }>('SELECT member_id AS id FROM log.group_member')
    const codec = createEventCodec(await loadSchemaCatalog(database))
    let fail: LifeDeps['fail'] = () => undefined
    const failed = new Promise<never>(
      (_, reject) => (fail = (reason, error) => reject(new Error(reason, { cause: error }))),
    )
    // A life may fail while it starts, when nobody waits for this yet.
    failed.catch(() => undefined)
    let running: unknown
    try {
      running = await work({ log, codec, database, logger: silentLogger, metrics: noMetrics, fail })
      if (isRunning(running)) await Promise.race([ended, failed])
    } finally {
      // What it does to stop fails as well, because the database is out of its reach.
      if (isRunning(running)) await running.stop().catch(() => undefined)
      await log.close()
      await database.close()
      const ids = others.map(({ id }) => id)
      await executeAt(connectionString, 'DELETE FROM log.group_member WHERE member_id <> ALL ($1::uuid[])', [
        ids,
      ])
    }
  })
}

function isRunning(what: unknown): what is { stop(): Promise<unknown> } {
  return typeof what === 'object' && what !== null && 'stop' in what
}

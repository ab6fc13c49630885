/** The bulk coordinator as a running service: one instance holds the lease, and the others stand by. */
import type { Logger, Metrics, Tracing } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { createTrouble } from '@cupel/projections'
import { openSignedLog } from '@cupel/operation/connections'
import type { SigningConfig } from '@cupel/evidence/transparency'
import type { Config, RunningService } from '@cupel/kit/service'
import { createCoordination, holdLease, type OtherWork } from '@cupel/bulk/worker'
import type { Loop } from '@cupel/kit/concurrency'
import { followWatches } from '@cupel/watches/worker'

export interface BulkCoordinatorDeps {
  readonly config: Pick<Config, 'CUPEL_WATCH_DIGEST_HOUR'> & SigningConfig
  readonly log: EventLog
  readonly codec: EventCodec
  /** Uses five connections: for the lease, for reading, releasing, announcing and watches; the pace takes one for a moment. */
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  /** Null or absent: no traces are made. */
  readonly tracing?: Tracing | null
  /** Called for a failure that only a restart repairs. */
  readonly fail: (reason: string, error: unknown) => void
}

/** What features do under the lease, in addition to bulk jobs. */
const underTheLease: readonly ((parts: BulkCoordinatorDeps & OtherWork) => Loop)[] = [followWatches]

export async function startBulkCoordinator(deps: BulkCoordinatorDeps): Promise<RunningService> {
  const { database, logger } = deps
  const trouble = createTrouble()
  const parts = { ...deps, log: await openSignedLog(deps) }
  const coordination = createCoordination({
    ...parts,
    beginOthers: (work) => underTheLease.map((begin) => begin({ ...parts, ...work })),
    onStarted: () => trouble.over('lease'),
  })
  const lease = holdLease({
    database,
    logger,
    work: (signal, held) => coordination.work(signal, held),
    onStandBy: () => trouble.over('lease'),
    onTrouble(error) {
      if (trouble.failed('lease', error))
        logger.warn({ err: error }, `Bulk jobs wait for the lease: ${String(error)}`)
    },
  })
  return {
    name: 'bulk-coordinator',
    checks() {
      const problem = trouble.reason() ?? coordination.problem()
      const detail = problem ?? (lease.isHeld() ? 'holds the lease' : 'stands by')
      return [{ name: 'bulk jobs', ok: problem === null, detail }]
    },
    stop: () => lease.stop(),
  }
}

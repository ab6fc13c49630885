/** The bulk coordinator as a running service: one instance holds the lease and works, the others stand by. */
import type { Logger, Metrics } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import type { Config, RunningService } from '@cupel/service-kit'
import { coordinate, coordinatorDeadLetterTopic } from './coordinate.js'
import { holdLease } from './lease.js'

export interface BulkCoordinatorDeps {
  readonly config: Pick<Config, 'CUPEL_BULK_DWELL_TARGET_MS'>
  readonly log: EventLog
  readonly codec: EventCodec
  /** Takes four connections: for the lease, for what is read, for what is released and for what is announced. */
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  /** Called where only a restart leads back. */
  readonly fail: (reason: string, error: unknown) => void
}

export async function startBulkCoordinator(deps: BulkCoordinatorDeps): Promise<RunningService> {
  const { log, codec, database, logger, metrics } = deps
  await log.ensureTopics([coordinatorDeadLetterTopic])
  let problem: string | null = null
  const lease = holdLease({
    database,
    logger,
    onTrouble: (error) => {
      const reason = error instanceof Error ? error.message : String(error)
      if (reason !== problem) logger.warn({ err: error }, `Bulk jobs wait: ${reason}`)
      problem = reason
    },
    work: (signal) =>
      coordinate(
        {
          ...{ log, codec, database, logger, metrics },
          dwellTargetMs: deps.config.CUPEL_BULK_DWELL_TARGET_MS,
          onState: (state) => (problem = state),
          fail: deps.fail,
        },
        signal,
      ),
  })
  return {
    name: 'bulk-coordinator',
    checks: () => [
      {
        name: 'bulk jobs',
        ok: problem === null,
        detail: problem ?? (lease.isHeld() ? 'holds the lease' : 'stands by'),
      },
    ],
    stop: () => lease.stop(),
  }
}

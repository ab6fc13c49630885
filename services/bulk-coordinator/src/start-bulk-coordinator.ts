/** The bulk coordinator as a running service: each shard is held by one instance, and an instance without any stands by. */
import type { Logger, Metrics, Tracing } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { createTrouble } from '@cupel/projections'
import type { Config, RunningService } from '@cupel/service-kit'
import { createCoordination } from './coordinate.js'
import { holdShards } from './shard-leases.js'
import type { Holding } from './shard-table.js'

export interface BulkCoordinatorDeps {
  readonly config: Pick<Config, 'CUPEL_BULK_DWELL_TARGET_MS' | 'CUPEL_WATCH_DIGEST_HOUR'>
  readonly log: EventLog
  readonly codec: EventCodec
  /** Uses seven connections: for the shards, for reading, releasing, announcing and watches, and among several shards for backlog and pace. */
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  /** Null or absent: no traces are made. */
  readonly tracing?: Tracing | null
  /** Called for a failure that only a restart repairs. */
  readonly fail: (reason: string, error: unknown) => void
}

export async function startBulkCoordinator(deps: BulkCoordinatorDeps): Promise<RunningService> {
  const { database, logger } = deps
  const trouble = createTrouble()
  const coordination = createCoordination({
    ...deps,
    dwellTargetMs: deps.config.CUPEL_BULK_DWELL_TARGET_MS,
    digestHour: deps.config.CUPEL_WATCH_DIGEST_HOUR,
    onStarted: () => trouble.over('lease'),
  })
  const leases = holdShards({
    database,
    logger,
    work: (signal, holding) => coordination.work(signal, holding),
    onStandBy: () => trouble.over('lease'),
    onTrouble(error) {
      if (trouble.failed('lease', error)) logger.warn({ err: error }, `Bulk jobs wait: ${String(error)}`)
    },
  })
  return {
    name: 'bulk-coordinator',
    checks() {
      const problem = trouble.reason() ?? coordination.problem()
      const detail = problem ?? detailOf(leases.holding())
      return [{ name: 'bulk jobs', ok: problem === null, detail }]
    },
    stop: () => leases.stop(),
  }
}

function detailOf(holding: Holding | null): string {
  if (holding === null) return 'stands by'
  return holding.count === 1 ? 'holds the lease' : `holds ${holding.shards.length} of ${holding.count} shards`
}

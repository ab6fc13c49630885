/** Measures the backlog of deliveries, gives up overdue ones, deletes old ones, and asks unproven endpoints again. */
import { startLoop } from '@cupel/kit/concurrency'
import type { Logger, Metrics } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'
import {
  deliveryBacklog,
  exhaustOverdue,
  forgetDestinations,
  forgetOldDeliveries,
  testUnproven,
} from '../index.js'

const INTERVAL_MS = 10_000
/** Rows per statement; the next round takes the rest. */
const MAX_ROWS = 1_000

export function startUpkeep({
  database,
  logger,
  metrics,
}: {
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
}): { stop(): Promise<void> } {
  const waiting = metrics.gauge('webhook_deliveries', 'Deliveries neither delivered nor given up.', [
    'status',
  ])
  const oldest = metrics.gauge(
    'webhook_oldest_seconds',
    'Age of the oldest delivery neither delivered nor given up, held ones among them.',
  )
  return startLoop({
    async step() {
      const backlog = await deliveryBacklog(database)
      waiting.set(backlog.pending, { status: 'pending' })
      waiting.set(backlog.held, { status: 'held' })
      oldest.set(backlog.oldestAgeMs / 1_000)
      await exhaustOverdue(database, MAX_ROWS)
      await forgetOldDeliveries(database, MAX_ROWS)
      await forgetDestinations(database)
      await testUnproven(database, MAX_ROWS)
    },
    restMs: INTERVAL_MS,
    firstAfterMs: INTERVAL_MS,
    onError: (error) =>
      logger.warn({ err: error }, 'The upkeep of deliveries failed and will be tried again'),
  })
}

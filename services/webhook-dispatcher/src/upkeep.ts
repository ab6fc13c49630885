/** Figures of what waits, and what time does to deliveries. */
import type { Logger, Metrics } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'
import { deliveryBacklog, exhaustOverdue, forgetOldDeliveries } from '@cupel/webhooks'

const LOOK_INTERVAL_MS = 10_000
/** Rows per statement; what is left comes with the next look. */
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
  let looking: Promise<void> = Promise.resolve()
  const timer = setInterval(() => (looking = looking.then(look)), LOOK_INTERVAL_MS)
  return {
    async stop() {
      clearInterval(timer)
      await looking
    },
  }

  async function look(): Promise<void> {
    try {
      const backlog = await deliveryBacklog(database)
      waiting.set(backlog.pending, { status: 'pending' })
      waiting.set(backlog.held, { status: 'held' })
      oldest.set(backlog.oldestAgeMs / 1_000)
      await exhaustOverdue(database, MAX_ROWS)
      await forgetOldDeliveries(database, MAX_ROWS)
    } catch (error) {
      logger.warn({ err: error }, 'Deliveries could not be looked after; the next look tries again')
    }
  }
}

/** The label refresher: keeps the lists of its plan up to date, and imports the lists that operators send. */
import type { Logger, Metrics } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import { readRefreshPlan, startListOrders, startRefreshes } from '@cupel/labels'
import type { Database } from '@cupel/postgres'
import type { Config, RunningService } from '@cupel/kit/service'

export interface LabelRefresherDeps {
  readonly config: Pick<Config, 'CUPEL_LABEL_REFRESH_FILE'>
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
}

/** Throws RefreshPlanError for an unusable plan, so that no list silently stops being refreshed. */
export async function startLabelRefresher(deps: LabelRefresherDeps): Promise<RunningService> {
  const { config, ...common } = deps
  const file = config.CUPEL_LABEL_REFRESH_FILE
  const lists = file === undefined ? [] : readRefreshPlan(file)
  const refreshes = startRefreshes({ ...common, lists, labelView: 'elsewhere' })
  const orders = startListOrders({ ...common, labelView: 'elsewhere' })
  return {
    name: 'label-refresher',
    // A failing source does not make the service unready: the age of its set grows, and every report shows it.
    checks: () => {
      const error = refreshes.error()
      const failing = refreshes.failing()
      if (error !== null) return [{ name: 'schedule', ok: false, detail: error }]
      const detail = failing.length === 0 ? {} : { detail: `not refreshed: ${failing.join(', ')}` }
      return [{ name: 'schedule', ok: true, ...detail }]
    },
    async stop() {
      await Promise.all([refreshes.stop(), orders.stop()])
    },
  }
}

/** The plans with the figures an operator gave for enterprise. */
import { plans, type Plan, type PlanName } from '@cupel/domain'
import type { Config } from '@cupel/kit/service'

export function plansOf(
  config: Pick<
    Config,
    | 'CUPEL_ENTERPRISE_CALLS_PER_SECOND'
    | 'CUPEL_ENTERPRISE_BURST'
    | 'CUPEL_ENTERPRISE_HARD_CAP_PER_SECOND'
    | 'CUPEL_ENTERPRISE_OPEN_JOBS'
    | 'CUPEL_ENTERPRISE_WAITING_ITEMS'
    | 'CUPEL_ENTERPRISE_WATCHES'
  >,
): Readonly<Record<PlanName, Plan>> {
  return {
    ...plans,
    enterprise: {
      ...plans.enterprise,
      refillPerSecond: config.CUPEL_ENTERPRISE_CALLS_PER_SECOND,
      burst: config.CUPEL_ENTERPRISE_BURST,
      hardCapPerSecond: config.CUPEL_ENTERPRISE_HARD_CAP_PER_SECOND,
      maxOpenJobs: config.CUPEL_ENTERPRISE_OPEN_JOBS,
      maxWaitingItems: config.CUPEL_ENTERPRISE_WAITING_ITEMS,
      maxWatches: config.CUPEL_ENTERPRISE_WATCHES,
    },
  }
}

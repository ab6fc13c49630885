/**
 * Remembers the overviews of ended jobs, which no longer change. The database counts an overview anew from every item of the job, and clients
 * that poll a job ask for it more often than for anything else.
 */
import type { FoundOverview } from '../../read-model/index.js'
import type { Tenant } from '@cupel/projections'

export type FindOverview = (tenant: Tenant, jobId: string) => Promise<FoundOverview>

/** After this time an overview is counted again, in case an operator restores other rows. */
const KEPT_MS = 60_000
/** An overview takes some 500 bytes. */
const MAX_KEPT = 1_000

interface Kept {
  readonly found: FoundOverview
  /** Clock reading (performance.now). */
  readonly untilMs: number
}

export interface EndedOverviews {
  /** The overview if it is remembered, otherwise what `find` returns. */
  find(tenant: Tenant, jobId: string, find: FindOverview): Promise<FoundOverview>
}

export function createEndedOverviews(): EndedOverviews {
  /** The oldest first. */
  const kept = new Map<string, Kept>()

  function keep(key: string, found: FoundOverview): void {
    const [oldest] = kept.keys()
    if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest)
    kept.set(key, { found, untilMs: performance.now() + KEPT_MS })
  }

  return {
    async find(tenant, jobId, find) {
      const key = JSON.stringify([tenant.accountId, tenant.livemode, jobId])
      const known = kept.get(key)
      if (known !== undefined && performance.now() < known.untilMs) return known.found
      kept.delete(key)
      const found = await find(tenant, jobId)
      // A job that was read whole comes with its items.
      if (found.kind === 'job' && found.job.isTerminal && !('items' in found.job)) keep(key, found)
      return found
    },
  }
}

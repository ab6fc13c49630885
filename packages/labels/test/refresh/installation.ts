/** A database with the label view and the schedule; lists are refreshed as by a service. */
import { labelView } from '../../src/read-model/reducers.js'
import { listPublications, listSets, type PublishedSet } from '../../src/read-model/sets.js'
import { readModels } from '@cupel/operation/read-models'
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import {
  importLabels,
  labelsMigrations,
  refreshDue,
  type LabelImportRequest,
  type RefreshRun,
} from '../../src/index.js'
import { parseRefreshPlan } from '../../src/refresh/refresh-plan.js'
import { type LabelImportDeps } from '../../src/import/import-request.js'

export interface RefreshInstallation extends Omit<TestInstallation, 'caughtUp'> {
  readonly deps: LabelImportDeps
  /** Refreshes now, whether or not the lists are due. */
  refresh(
    lists: readonly object[],
    options?: { force?: boolean; now?: () => Date },
  ): Promise<readonly RefreshRun[]>
  import(request: Omit<LabelImportRequest, 'importedBy' | 'format'>): Promise<void>
  set(dataset: string): Promise<PublishedSet | undefined>
  publications(source: string, dataset: string): Promise<readonly PublishedSet[]>
  /** Resolves when the label view has applied every record. */
  caughtUp(): Promise<void>
}

export const HEADER = 'address,chain,category,entity,source,source_url,confidence,observed_at'

/** A dated list of `count` labels. */
export function listOf(count: number, date = '2026-11-20'): string {
  const rows = Array.from({ length: count }, (_, index) => {
    const address = `0x${(index + 1).toString(16).padStart(40, '0')}`
    return `${address},ETH,scam,Somebody,my_list,https://example.org/list,0.8,${date}`
  })
  return [HEADER, ...rows, ''].join('\n')
}

export async function openRefreshInstallation(): Promise<RefreshInstallation> {
  const base = await openTestInstallation({
    ...{ migrations: [labelsMigrations], readModels, statementTimeoutMs: 0 },
  })
  const { database } = base
  const deps: LabelImportDeps = { ...base.deps, labelView: 'here' }
  return {
    ...base,
    deps,
    async refresh(lists, { force = true, now } = {}) {
      const plan = parseRefreshPlan(JSON.stringify({ lists }))
      const signal = new AbortController().signal
      return await refreshDue(
        { ...deps, lists: plan, ...(now === undefined ? {} : { now }) },
        { signal, force },
      )
    },
    async import(request) {
      const result = await importLabels({ ...request, format: 'csv', importedBy: 'operator:test' }, deps)
      if (result.status === 'refused') throw new Error(result.message)
    },
    async set(dataset) {
      return (await listSets(database)).find((set) => set.dataset === dataset)
    },
    publications: (source, dataset) => listPublications(database, { source, dataset }),
    async caughtUp() {
      const view = base.run(labelView)
      await base.caughtUp(labelView)
      await view.stop()
    },
  }
}

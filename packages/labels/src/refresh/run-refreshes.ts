/** Refreshes lists as they become due, one at a time and under a lease, so that several processes share the work. */
import { randomUUID } from 'node:crypto'
import { startLoop } from '@cupel/kit/concurrency'
import type { Logger, Metrics } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'
import { expectSets } from '../import/expect-sets.js'
import type { LabelImportDeps } from '../import/import-request.js'
import { IMPORTER, previewList, refreshList, type RefreshOutcome } from './refresh-list.js'
import type { RefreshedList } from './refresh-plan.js'
import { claimList, enterLists, LEASE_MS, listStatuses, recordRefresh, renewLease } from './schedule.js'

/** Interval between two queries for due lists. */
const POLL_MS = 5_000
/** First interval after a failure; it doubles with each further failure. */
const FIRST_RETRY_MS = 300_000
const RENEW_MS = LEASE_MS / 4
const DURATION_BUCKETS = [0.1, 1, 5, 15, 60, 300, 900]

export interface RefreshesDeps extends LabelImportDeps {
  readonly lists: readonly RefreshedList[]
  readonly now?: () => Date
  readonly pollMs?: number
}

export interface RefreshRun extends RefreshOutcome {
  readonly name: string
}

export interface RunningRefreshes {
  /** Why the last round failed; null if it succeeded. */
  readonly error: () => string | null
  readonly failing: () => readonly string[]
  stop(): Promise<void>
}

/** Runs until it is stopped. `stop` aborts a fetch in progress and waits for an import in progress. */
export function startRefreshes(deps: RefreshesDeps): RunningRefreshes {
  let error: string | null = null
  const failing = new Set<string>()
  const instruments = createInstruments(deps.metrics)
  let isAnnounced = false
  const loop = startLoop({
    restMs: deps.pollMs ?? POLL_MS,
    async step(signal) {
      if (!isAnnounced) await announceLists(deps)
      isAnnounced = true
      for (const { name, succeeded } of await refreshDue(deps, { signal })) {
        if (succeeded) failing.delete(name)
        else failing.add(name)
      }
      await instruments.ages(deps)
      error = null
    },
    onError(caught) {
      error = caught instanceof Error ? caught.message : String(caught)
      deps.logger.warn({ err: caught }, 'Cannot read or write the refresh schedule; retrying')
    },
  })
  return { error: () => error, failing: () => [...failing], stop: () => loop.stop() }
}

/** Records in the log that these lists are expected, before any of them is fetched. Decisions can then report a list that never arrives. */
export async function announceLists(deps: RefreshesDeps): Promise<void> {
  const announced = await expectSets(
    deps.lists.map(({ source, set }) => ({ source, dataset: set })),
    IMPORTER,
    deps,
  )
  for (const { dataset } of announced)
    deps.logger.info({ set: dataset }, 'A list is expected; no report is green until it is published')
}

/** Refreshes every list that is due, or with `force` every list that no other process is refreshing. */
export async function refreshDue(
  deps: RefreshesDeps,
  { signal, force = false, only }: { signal: AbortSignal; force?: boolean; only?: readonly string[] },
): Promise<readonly RefreshRun[]> {
  const { database, logger, metrics } = deps
  const lists = new Map(deps.lists.map((list) => [list.name, list]))
  const names = [...lists.keys()].filter((name) => only === undefined || only.includes(name))
  const owner = randomUUID()
  const instruments = createInstruments(metrics)
  const runs: RefreshRun[] = []
  await enterLists(database, names)
  const left = new Set(names)
  while (!signal.aborted && left.size > 0) {
    const state = await claimList(database, { names: [...left], owner, force })
    if (state === null) break
    left.delete(state.name)
    const list = lists.get(state.name)!
    const since = performance.now()
    const outcome = await underLease(database, logger, { name: list.name, owner }, () =>
      refreshList(list, state, { ...deps, signal, now: deps.now ?? (() => new Date()) }),
    )
    // The process stops: another one continues with this list at once.
    const isGivenUp = signal.aborted && !outcome.succeeded
    await recordRefresh(database, {
      ...outcome,
      name: list.name,
      owner,
      hasChanged: outcome.outcome === 'imported' && outcome.known?.sha256 !== state.sha256,
      nextInMs: isGivenUp ? 0 : nextInMs(list, outcome, state.failures),
    })
    instruments.run(list, outcome, performance.now() - since)
    const fields = { list: list.name, outcome: outcome.outcome, detail: outcome.detail }
    if (outcome.succeeded) logger.info(fields, 'A list was refreshed')
    else logger.warn(fields, 'A list was not refreshed; the published set stays and its age grows')
    runs.push({ name: list.name, ...outcome })
  }
  return runs
}

/** Fetches every list of the plan and says what a refresh would change; nothing is announced, imported or recorded. */
export async function previewRefreshes(
  deps: RefreshesDeps,
  signal: AbortSignal,
): Promise<readonly RefreshRun[]> {
  const runs: RefreshRun[] = []
  for (const list of deps.lists)
    runs.push({
      name: list.name,
      ...(await previewList(list, { ...deps, signal, now: deps.now ?? (() => new Date()) })),
    })
  return runs
}

/** Renews the lease while it works. A fault of the log or the database is an outcome too, so that the lease is returned. */
async function underLease(
  database: Database,
  logger: Logger,
  lease: { name: string; owner: string },
  work: () => Promise<RefreshOutcome>,
): Promise<RefreshOutcome> {
  const renewing = setInterval(() => {
    // If it fails, the lease expires and another process may begin. That is safe: imports of one source run one at a time.
    renewLease(database, lease).catch((error: unknown) =>
      logger.warn({ err: error, list: lease.name }, 'Cannot renew the lease of a list'),
    )
  }, RENEW_MS)
  try {
    return await work()
  } catch (error) {
    logger.warn({ err: error, list: lease.name }, 'A refresh failed')
    const detail = error instanceof Error ? error.message : String(error)
    return { outcome: 'unavailable', detail, succeeded: false, known: null }
  } finally {
    clearInterval(renewing)
  }
}

/** After a success: the interval of the plan. After failures: 5, 10, 20 … minutes, at most the interval of the plan. */
function nextInMs({ everyMs }: RefreshedList, { succeeded }: RefreshOutcome, failures: number): number {
  return succeeded ? everyMs : Math.min(everyMs, FIRST_RETRY_MS * 2 ** Math.min(failures, 20))
}

function createInstruments(metrics: Metrics) {
  const labels = ['list'] as const
  const runs = metrics.counter('label_refreshes_total', 'Refreshes of label lists, by outcome.', [
    'list',
    'outcome',
  ])
  const duration = metrics.histogram(
    'label_refresh_seconds',
    'Duration of a refresh: fetch and import.',
    DURATION_BUCKETS,
    labels,
  )
  const age = metrics.gauge('label_refresh_age_seconds', 'Time since a list was last refreshed.', labels)
  const unchanged = metrics.gauge(
    'label_list_unchanged_seconds',
    'Time since a refresh last brought another file than the one before.',
    labels,
  )
  const within = metrics.gauge(
    'label_list_changes_within_seconds',
    'Time within which the plan expects the list to change.',
    labels,
  )
  return {
    run({ name }: RefreshedList, { outcome }: RefreshOutcome, durationMs: number) {
      runs.inc({ list: name, outcome })
      duration.observe(durationMs / 1_000, { list: name })
    },
    async ages({ database, lists }: RefreshesDeps) {
      for (const { name, changesWithinMs } of lists)
        if (changesWithinMs !== undefined) within.set(changesWithinMs / 1_000, { list: name })
      for (const { name, ageMs, unchangedMs } of await listStatuses(
        database,
        lists.map((list) => list.name),
      )) {
        if (ageMs !== null) age.set(ageMs / 1_000, { list: name })
        if (unchangedMs !== null) unchanged.set(unchangedMs / 1_000, { list: name })
      }
    },
  }
}

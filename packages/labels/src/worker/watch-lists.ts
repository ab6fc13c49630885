/** Reports the age of the label lists, and the list faults that keep every address from green. */
import { sleep } from '@cupel/kit/concurrency'
import type { Logger, Metrics } from '@cupel/contracts'
import type { Database } from '@cupel/postgres'
import { readJudgedLists } from '../read-model/index.js'

export interface ListWatch {
  stop(): Promise<void>
}

export interface ListWatchOptions {
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  /** Milliseconds between two looks; 30 s by default. */
  readonly intervalMs?: number
}

/** Ages are in hours and days. */
const INTERVAL_MS = 30_000

export function watchLists(options: ListWatchOptions): ListWatch {
  const { logger, intervalMs = INTERVAL_MS } = options
  const stopping = new AbortController()
  const look = createLook(options)
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await look().catch((error: unknown) =>
        logger.warn({ err: error }, 'The label lists cannot be read now'),
      )
      await sleep(intervalMs, stopping.signal)
    }
  }
  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

function createLook({ database, metrics }: ListWatchOptions): () => Promise<void> {
  const age = metrics.gauge(
    'label_list_age_seconds',
    'Time since the date of a label list, or since a refresh last found it unchanged',
    ['list'],
  )
  const blocks = metrics.gauge(
    'label_lists_block_green',
    '1 if no address is green because of the label lists, by reason',
    ['reason'],
  )
  return async () => {
    const now = new Date()
    const { labelSets, ...lists } = await readJudgedLists(database, now)
    for (const { source, dataset, asOf, confirmedAt } of labelSets) {
      const dates = [asOf, confirmedAt].flatMap((date) => (date === null ? [] : [Date.parse(date)]))
      if (dates.length === 0) continue
      age.set(Math.max(0, now.getTime() - Math.max(...dates)) / 1_000, { list: `${source}/${dataset}` })
    }
    const reasons = {
      stale: lists.isStale,
      missing: lists.hasMissing,
      incomplete: lists.isIncomplete,
      no_sanctions_list: !lists.hasSanctionsList,
    }
    for (const [reason, isSo] of Object.entries(reasons)) blocks.set(isSo ? 1 : 0, { reason })
  }
}

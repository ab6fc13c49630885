/** Waits for the label view: an import compares when the view is at the end of the log, and ends when the view shows it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { loadCheckpoint, runReadModel, waitUntilProjected } from '@cupel/projections'
import { LABEL_PARTITION, LABEL_TOPIC, labelView, labelViewGroup } from '../read-model/index.js'
import type { LabelImportDeps } from './import-request.js'

/** Time of one wait; after each the import checks whether the view moved. */
const WAIT_MS = 2_000
/** A view that does not move for this long is considered stopped. */
const STALLED_AFTER_MS = 30_000
/** Shorter than the interval of the projector, which commits less often to save work under load. */
const COMMIT_INTERVAL_MS = 5

/** The label view does not follow the log, so an import cannot compare against it. */
export class LabelViewStalledError extends Error {
  override readonly name = 'LabelViewStalledError'
}

/** Runs `work` while the label view follows the log; runs the view in this process if no projector runs. */
export async function withLabelView<T>(deps: LabelImportDeps, work: () => Promise<T>): Promise<T> {
  if (deps.labelView === 'elsewhere') return await work()
  const { log, codec, database, logger, metrics } = deps
  const view = runReadModel({
    readModel: labelView,
    log,
    codec,
    database,
    logger,
    metrics,
    commitIntervalMs: COMMIT_INTERVAL_MS,
  })
  try {
    return await work()
  } finally {
    await view.stop()
  }
}

/** Resolves when the view has applied every record below the offset. Rejects with LabelViewStalledError if it stops moving. */
export async function waitForLabelView(deps: LabelImportDeps, offset: number): Promise<void> {
  const position = { group: labelViewGroup, topic: LABEL_TOPIC, partition: LABEL_PARTITION }
  let reached = -1
  let movedAt = performance.now()
  while (!(await waitUntilProjected({ database: deps.database, ...position, offset, timeoutMs: WAIT_MS }))) {
    const next = (await loadCheckpoint(deps.database, position))?.next ?? 0
    if (next > reached) {
      reached = next
      movedAt = performance.now()
    } else if (performance.now() - movedAt > STALLED_AFTER_MS) {
      throw new LabelViewStalledError(
        `The label view is at offset ${next} of ${offset} and does not move: is the projector running? (cupel status)`,
      )
    }
    await sleep(0)
  }
}

/** Resolves when the view is at the current end of the label topic. */
export async function catchUpLabelView(deps: LabelImportDeps): Promise<void> {
  await waitForLabelView(deps, await deps.log.endOffset(LABEL_TOPIC, LABEL_PARTITION))
}

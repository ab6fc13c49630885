/** The label view as an import needs it: at the end of the log before it compares, and past its publication after it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { loadCheckpoint, runReadModel, waitUntilProjected } from '@cupel/projections'
import { LABEL_PARTITION, LABEL_TOPIC, labelView, labelViewGroup } from '@cupel/read-models'
import type { LabelImportDeps } from './import-request.js'

/** One wait; between two of them it is seen whether the view moves. */
const WAIT_MS = 2_000
/** A view that does not move for so long is not running. */
const STALLED_AFTER_MS = 30_000
/** Rows become visible sooner than a service's projector would make them, which saves commits under load. */
const COMMIT_INTERVAL_MS = 5

/** The label view does not follow the log, so nothing can be compared against it. */
export class LabelViewStalledError extends Error {
  override readonly name = 'LabelViewStalledError'
}

/** Runs `work` while the label view follows the log, in this process where nobody else runs it. */
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

/** Resolves when the view has applied everything below the offset. Throws LabelViewStalledError where it stands still. */
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
        `The label view stands at ${next} of ${offset} and does not move: is the projector running? (cupel status)`,
      )
    }
    await sleep(0)
  }
}

/** The view at the end of the label topic as it is now. */
export async function catchUpLabelView(deps: LabelImportDeps): Promise<void> {
  await waitForLabelView(deps, await deps.log.endOffset(LABEL_TOPIC, LABEL_PARTITION))
}

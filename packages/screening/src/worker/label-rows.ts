/** Compares the rows of labels with the log in the background. */
import type { Logger } from '@cupel/contracts'
import { compareLabelRows, countLabelRows, type ComparedLog } from '@cupel/labels/read-model'
import { followRows, type FollowedRows } from './followed-rows.js'

export interface LabelRowsWatch extends FollowedRows {
  /** Why no label may be used, as a sentence. It stays: what was read of an altered row may still be in memory. */
  fault(): string | null
}

export interface LabelRowsDeps extends ComparedLog {
  readonly logger: Logger
  /** As in `FollowedRowsDeps`. */
  readonly doubt?: string | null
  /** Milliseconds of a monotonic clock; for tests. */
  readonly nowMs?: () => number
}

export function watchLabelRows(deps: LabelRowsDeps): LabelRowsWatch {
  const { database, logger } = deps
  let fault: string | null = null
  const rows = followRows({
    ...deps,
    kind: 'labels',
    countRows: () => countLabelRows(database),
    compare: (afterSlice) => compareLabelRows(deps, afterSlice),
    onDifference(found) {
      logger.error({ fault: found }, 'Screening stops for rows of labels')
      fault = `${found} Rebuild label-view, then restart the scorer.`
    },
  })
  return { ...rows, fault: () => fault ?? rows.doubt() }
}

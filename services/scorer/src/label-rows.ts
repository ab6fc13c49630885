/** Compares the rows of labels with the log in the background, all of them again and again, at a small part of one processor. */
import { sleep, startLoop } from '@cupel/concurrency'
import type { Logger } from '@cupel/contracts'
import { compareLabelRows, type ComparedLog } from '@cupel/read-models'

/** 2 % of one processor. */
const REST_PER_WORK = 49
/** Between two comparisons of all rows. */
const REST_MS = 2_000

export interface LabelRowsWatch {
  /** Why no label may be used, as a sentence. It stays: what was read of an altered row may still be in memory. */
  fault(): string | null
  stop(): Promise<void>
}

export function watchLabelRows({
  logger,
  ...parts
}: ComparedLog & { readonly logger: Logger }): LabelRowsWatch {
  let fault: string | null = null
  const loop = startLoop({
    async step(stopping) {
      const found = await compareLabelRows(parts, async (sliceMs) => {
        await sleep(sliceMs * REST_PER_WORK, stopping)
        return !stopping.aborted
      })
      if (typeof found !== 'string') return
      logger.error({ fault: found }, 'Screening stops')
      fault = `${found} Rebuild label-view, then restart the scorer.`
    },
    restMs: REST_MS,
    onError: (error) => logger.warn({ err: error }, 'The rows of labels are not compared with the log'),
  })
  return { fault: () => fault, stop: () => loop.stop() }
}

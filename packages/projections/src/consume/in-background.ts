/**
 * Commits in the background: appends the outcomes to the log, reads the next batch meanwhile, and moves the checkpoint
 * once the append is acknowledged. A batch that was not acknowledged is read again.
 */
import type { FailpointName } from '@cupel/kit/failpoints'
import type { Database } from '@cupel/postgres'
import { createBackgroundCheckpoint } from './background-checkpoint.js'
import type { CommitterContext, OpenCommitter, OutcomeBatch } from './committer.js'
import { createInFlight } from './in-flight.js'

export interface InBackgroundOptions<O> {
  readonly database: Database
  /** Names the commit of the checkpoint. */
  readonly at: FailpointName
  /** Resolves when all effects of the outcomes are acknowledged. */
  readonly append: (outcomes: readonly O[]) => Promise<unknown>
  /** Limit for records whose appends are pending. Beyond it reading waits, so that memory stays bounded when the log is slow. */
  readonly maxInFlightRecords: number
  readonly onInFlight?: (records: number) => void
}

export function inBackground<O>(options: InBackgroundOptions<O>): OpenCommitter<O> {
  const { database, at, append } = options
  return (context) => {
    const { group, identity, logger, restart } = context
    const inFlight = createInFlight(options.maxInFlightRecords, options.onInFlight)
    const checkpoint = createBackgroundCheckpoint({
      ...{ database, group, log: identity, at, logger },
      // If the partition is still assigned, it continues only after a new start at the stored checkpoint.
      onLost: restart,
    })
    return {
      async load(place) {
        // Without this flush, acknowledged work would be repeated. If it fails, loading reports the reason.
        await checkpoint.flush().catch(() => undefined)
        return await checkpoint.load(place)
      },
      room: () => inFlight.room(),
      commit(batch, deadLetters) {
        const acknowledged = Promise.all([append(batch.outcomes), deadLetters]).then(
          () => checkpoint.acknowledged(batch),
          (error: unknown) => readAgain(context, batch, error),
        )
        inFlight.add(batch.nextOffset - batch.firstOffset, acknowledged)
        return NEXT_BATCH
      },
      async stop() {
        await inFlight.empty()
        await checkpoint.stop()
      },
    }
  }
}

const NEXT_BATCH = Promise.resolve(undefined)

/** Without an acknowledgement it is unknown whether the records were written: they are decided and appended again. */
function readAgain<O>(
  { logger, group, restart }: CommitterContext,
  { topic, partition, firstOffset, nextOffset }: OutcomeBatch<O>,
  error: unknown,
): void {
  logger.warn(
    { err: error, group, topic, partition, firstOffset, nextOffset },
    'The outcomes of a batch were not acknowledged; it is read again',
  )
  restart({ topic, partition })
}

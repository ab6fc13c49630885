/**
 * Commits in the background: the outcomes are appended to the log, the next batch is read meanwhile, and the checkpoint
 * moves once the append is acknowledged. A batch that was not acknowledged is read again.
 */
import type { FailpointName } from '@cupel/failpoints'
import type { Database } from '@cupel/postgres'
import { createBackgroundCheckpoint } from './background-checkpoint.js'
import type { CommitterContext, OpenCommitter, OutcomeBatch } from './committer.js'
import { createInFlight } from './in-flight.js'

export interface InBackgroundOptions<O> {
  readonly database: Database
  /** Names the commit of the checkpoint. */
  readonly at: FailpointName
  /** Resolves when everything that follows from the outcomes is acknowledged. */
  readonly append: (outcomes: readonly O[]) => Promise<unknown>
  /** Records whose appends may be under way at once. Beyond it reading waits: memory stays bounded when the log is slow. */
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
      // Where the partition is still assigned, only a new start at the stored checkpoint gets it moving again.
      onLost: restart,
    })
    return {
      async load(place) {
        // Without this flush, acknowledged work would be repeated. Where it fails, loading reports the reason.
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

/** Without an acknowledgement nobody knows whether the records were written: they are decided and appended again. */
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

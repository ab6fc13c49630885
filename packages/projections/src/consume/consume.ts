/**
 * A consumer: joins a group, reads the records of each partition in order, decides their outcomes, and
 * commits these together with its checkpoint. A record is delivered again until its checkpoint has moved. All its
 * outcomes must therefore be repeatable.
 *
 * - If the schema of a record is not known yet, the consumer waits for it and commits the records before it.
 * - A record that cannot be handled is dead-lettered with its cause; without `deadLetters` the consumer stops before it.
 * - If `decide` or the commit fails, no record is at fault: the batch is read again after a pause.
 * - If the log is not the one of the checkpoint, or was cut, the consumer stops.
 */
import { sleep } from '@cupel/kit/concurrency'
import {
  type EventLog,
  type LogBatch,
  LogStoppedError,
  type Place,
  placeOf,
  type Position,
  type SubscribeOptions,
  type Subscription,
} from '@cupel/event-log'
import type { Committer, OpenCommitter, Resumption } from './committer.js'
import { createBatchHandler, PausedError, type HandleBatch, type HandlingOptions } from './handle-batch.js'
import { createTrouble, type Trouble } from './trouble.js'
import { messageOf, UnappliableRecordError } from './unappliable-record.js'

export interface ConsumeOptions<T, O = T>
  extends
    HandlingOptions<T, O>,
    Pick<SubscribeOptions, 'topics' | 'reads' | 'maxBatchRecords' | 'concurrency' | 'restMs' | 'forgedToo'> {
  readonly log: EventLog
  /** The name under which members share the partitions, if it is not `group`. */
  readonly membership?: string
  /** See inTransaction and inBackground. */
  readonly commit: OpenCommitter<O>
  /** Resolves when reading may begin; called before each attempt to join the group. Rejects if it must be retried. */
  readonly ready?: () => Promise<void>
  /** Why no batch may be handled now; null if one may. */
  readonly refusal?: () => string | null
  /** Something failed and will be retried. The consumer has logged it. */
  readonly onRetry?: (error: unknown) => void
  /** Reading stopped for good; only an operator or a restart can resume it. The consumer has logged it. */
  readonly onStopped?: (error: Error) => void
}

export interface Consumer {
  /** Resolves when the consumer has joined its group, or will no longer join. Never rejects. */
  readonly joined: Promise<void>
  isJoined(): boolean
  /** Why records wait or reading stopped; null if nothing is wrong. */
  problem(): string | null
  /** Why reading stopped for good; null while it goes on. */
  stoppedBy(): Error | null
  /** The partitions held now. */
  assigned(): readonly Place[]
  /** Records appended to those partitions and not yet handled, as last seen. */
  lag(): number
  /** A caller waits for the checkpoint: appended records are read without a rest. */
  nudge(): void
  /** Finishes the current batch and leaves the group. */
  stop(): Promise<void>
}

/** Pause before the consumer retries to join the group. */
const JOIN_RETRY_MS = 1_000
/** Key in the trouble list for a failure to join. */
const JOINING = 'joining'

/** Returns at once; the consumer tries to join its group until it succeeds. */
export function consume<T, O = T>(options: ConsumeOptions<T, O>): Consumer {
  const run: Run<T, O> = {
    options,
    trouble: createTrouble(),
    stopping: new AbortController(),
    toRestart: [],
    committer: null,
    subscription: null,
    stoppedBy: null,
    leaving: null,
  }
  const joined = join(run)
  return {
    joined,
    isJoined: () => run.subscription !== null,
    problem: () => problemOf(run),
    stoppedBy: () => run.stoppedBy,
    assigned: () => run.subscription?.assigned() ?? [],
    lag: () => run.subscription?.lag() ?? 0,
    nudge: () => run.subscription?.nudge(),
    async stop() {
      run.stopping.abort()
      await joined
      await leave(run)
      await run.committer?.stop?.()
    },
  }
}

interface Run<T, O> {
  readonly options: ConsumeOptions<T, O>
  readonly trouble: Trouble
  readonly stopping: AbortController
  /** Partitions to be read again as soon as there is a subscription to tell. */
  readonly toRestart: Place[]
  committer: Committer<O> | null
  subscription: Subscription | null
  stoppedBy: Error | null
  leaving: Promise<void> | null
}

async function join<T, O>(run: Run<T, O>): Promise<void> {
  const { options, stopping, trouble } = run
  while (!stopping.signal.aborted && run.stoppedBy === null) {
    try {
      await options.ready?.()
      run.subscription = await subscribe(run)
      trouble.over(JOINING)
      for (const place of run.toRestart.splice(0)) run.subscription.restart(place)
      // A handler may have found a reason to stop while the consumer was joining the group.
      if (run.stoppedBy !== null) await leave(run)
      return
    } catch (error) {
      await run.committer?.stop?.()
      run.committer = null
      if (stopping.signal.aborted) return
      if (error instanceof LogStoppedError) return stopFor(run, error)
      retryLater(run, JOINING, error)
      await sleep(JOIN_RETRY_MS, stopping.signal)
    }
  }
}

async function subscribe<T, O>(run: Run<T, O>): Promise<Subscription> {
  const { options } = run
  const { log, logger, group, topics, reads, maxBatchRecords, concurrency, restMs, forgedToo } = options
  const committer = options.commit({
    group,
    logger,
    identity: await log.identity(),
    endOffset: (topic, partition) => log.endOffset(topic, partition),
    restart: (place) => restart(run, place),
  })
  run.committer = committer
  const handleBatch = createBatchHandler(options, committer, (error) => stopFor(run, error))
  return await log.subscribe({
    group: options.membership ?? group,
    ...{ topics, maxBatchRecords, concurrency },
    ...(reads === undefined ? {} : { reads }),
    ...(restMs === undefined ? {} : { restMs }),
    ...(forgedToo === undefined ? {} : { forgedToo }),
    checkpoint: (place) => committer.load(place),
    handle: (batch) => handle(run, { committer, handleBatch }, batch),
    onStopped: (error) => stopFor(run, error),
    onRetry: (error, position) => retryLater(run, placeOf(position), error, position),
    onRecovered: (place) => run.trouble.over(placeOf(place)),
  })
}

function restart<T, O>(run: Run<T, O>, place: Place): void {
  if (run.subscription === null) run.toRestart.push(place)
  else run.subscription.restart(place)
}

async function handle<T, O>(
  { options, stoppedBy }: Run<T, O>,
  { committer, handleBatch }: { readonly committer: Committer<O>; readonly handleBatch: HandleBatch },
  batch: LogBatch,
): Promise<Resumption> {
  if (stoppedBy !== null) return { resumeAt: batch.firstOffset }
  const refusal = options.refusal?.() ?? null
  if (refusal !== null) throw new PausedError(refusal)
  const room = committer.room?.()
  if (room !== undefined) await room
  return await handleBatch(batch)
}

function retryLater<T, O>(run: Run<T, O>, place: string, error: unknown, position?: Position): void {
  const { logger, group, onRetry } = run.options
  if (run.stoppedBy !== null || run.stopping.signal.aborted) return
  // An outage is one line in the log, not one per attempt and partition.
  if (run.trouble.failed(place, error))
    logger.warn({ err: error, group, ...position }, `Records wait and are read again: ${messageOf(error)}`)
  onRetry?.(error)
}

function stopFor<T, O>(run: Run<T, O>, error: Error): void {
  if (run.stoppedBy !== null) return
  run.stoppedBy = error
  const { logger, group, onStopped } = run.options
  const position = error instanceof UnappliableRecordError ? error.position : {}
  logger.error({ err: error, group, ...position }, `Reading stopped: ${error.message}`)
  onStopped?.(error)
  void leave(run)
}

async function leave<T, O>(run: Run<T, O>): Promise<void> {
  if (run.subscription === null) return
  run.leaving ??= run.subscription.stop()
  await run.leaving
}

function problemOf<T, O>({ stoppedBy, subscription, trouble }: Run<T, O>): string | null {
  if (stoppedBy !== null) return stoppedBy.message
  if (subscription !== null) trouble.keepOnly(new Set(subscription.assigned().map(placeOf)))
  return trouble.reason()
}

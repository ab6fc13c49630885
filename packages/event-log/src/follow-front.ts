/** Gives a group the records before a cut from a copy, before it goes on in the log: its checkpoint may be of a database from before the cut. */
import { createSlots } from '@cupel/kit/concurrency'
import type {
  Checkpoint,
  EventLog,
  LogRange,
  LogRecord,
  Place,
  SubscribeOptions,
  Subscription,
} from './port.js'
import { placeOf } from './scan.js'

/** What an archive has of a log. */
export interface LogCopy {
  /** The records of the place that it has, without a gap; null if it does not know the topic. */
  rangeOf(place: Place): Promise<LogRange | null>
  read(range: LogRange): AsyncIterable<readonly LogRecord[]>
}

/** Partitions of a group that are read from the copy at a time: a segment of an archive is in memory for each. */
const FRONTS_AT_ONCE = 4

type CopyFrom = (place: Place, from: number, start: number) => Promise<LogCopy | null>

/** Without a copy the log itself says what is missing, and stops. */
export async function subscribeAcross(
  log: EventLog,
  copyFrom: CopyFrom,
  options: SubscribeOptions,
): Promise<Subscription> {
  const stopping = new AbortController()
  const running = new Set<Promise<unknown>>()
  const inTurn = createSlots(FRONTS_AT_ONCE)
  /** Offsets before the cut that a partition has not been given yet. */
  const left = new Map<string, number>()
  /** Reads from the checkpoint to the cut, as batches of the group. */
  const readFront = async (place: Place): Promise<Checkpoint | null> => {
    for (;;) {
      const at = await options.checkpoint(place)
      const next = at?.next ?? 0
      const start = await log.startOffset(place.topic, place.partition)
      if (next >= start || (at !== null && at.log !== (await log.identity()))) return at
      const copy = await copyFrom(place, next, start)
      if (copy === null) return at
      const onLeft = (offsets: number): void => void left.set(placeOf(place), offsets)
      onLeft(start - next)
      await inTurn(() =>
        giveBatches(copy, { place, from: next, to: start, options, onLeft, stopping: stopping.signal }),
      )
    }
  }
  /** Where the last attempt of a partition failed. */
  const failed = new Set<string>()
  const checkpoint = async (place: Place): Promise<Checkpoint | null> => {
    const key = placeOf(place)
    try {
      const at = await readFront(place)
      if (failed.delete(key)) options.onRecovered?.(place)
      return at
    } catch (error) {
      failed.add(key)
      if (!stopping.signal.aborted) options.onRetry(error, { ...place, offset: 0 })
      throw error
    } finally {
      left.delete(key)
    }
  }
  const subscription = await log.subscribe({
    ...options,
    checkpoint: (place) => {
      const read = checkpoint(place).finally(() => running.delete(read))
      running.add(read)
      return read
    },
  })
  return {
    assigned: () => subscription.assigned(),
    // The log may not count what it does not have.
    lag: () =>
      Math.max(
        subscription.lag(),
        [...left.values()].reduce((sum, offsets) => sum + offsets, 0),
      ),
    restart: (place) => subscription.restart(place),
    nudge: () => subscription.nudge(),
    async stop() {
      stopping.abort()
      await subscription.stop()
      await Promise.allSettled(running)
    },
  }
}

interface Front {
  readonly place: Place
  readonly from: number
  /** The cut. */
  readonly to: number
  readonly options: Pick<SubscribeOptions, 'handle' | 'maxBatchRecords'>
  readonly onLeft: (offsets: number) => void
  readonly stopping: AbortSignal
}

/** Ends early if the handler goes on elsewhere than behind a batch. */
async function giveBatches(
  copy: LogCopy,
  { place, from, to, options, onLeft, stopping }: Front,
): Promise<void> {
  stopping.throwIfAborted()
  let firstOffset = from
  const give = async (records: readonly LogRecord[], nextOffset: number): Promise<boolean> => {
    stopping.throwIfAborted()
    const batch = { ...place, records, firstOffset, nextOffset, endOffset: to }
    const done = await options.handle(batch)
    firstOffset = nextOffset
    onLeft(to - nextOffset)
    return done === undefined || done.resumeAt === nextOffset
  }
  for await (const page of copy.read({ ...place, from, to }))
    for (let at = 0; at < page.length; at += options.maxBatchRecords) {
      const records = page.slice(at, at + options.maxBatchRecords)
      if (!(await give(records, records.at(-1)!.offset + 1))) return
    }
  // Offsets that hold no record of the log.
  if (firstOffset < to) await give([], to)
}

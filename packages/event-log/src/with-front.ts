/** A log whose oldest records were handed to an archive: it is read across the cut as if it had them. */
import { subscribeAcross, type LogCopy } from './follow-front.js'
import type { EventLog, Place } from './port.js'

/**
 * Ranges and groups go on across the cut. Who follows the log from its end reads nothing before it.
 * `openCopy` resolves to null if there is no copy of this log; it is asked when a record before the cut is read, and at the bounds of a cut
 * partition. `again`: a copy that was opened before does not reach the cut.
 */
export function withFront(log: EventLog, openCopy: (again: boolean) => Promise<LogCopy | null>): EventLog {
  /** The copy, if it has everything from `from` on up to the cut. */
  const copyFrom = async (place: Place, from: number, start: number): Promise<LogCopy | null> => {
    for (const again of [false, true]) {
      const copy = await openCopy(again)
      const range = (await copy?.rangeOf(place)) ?? null
      if (range !== null && range.from <= from && range.to >= start) return copy
    }
    return null
  }
  return {
    kind: log.kind,
    macs: log.macs,
    ensureTopics: (topics, accepts) => log.ensureTopics(topics, accepts),
    topicFaults: (topics) => log.topicFaults(topics),
    identity: () => log.identity(),
    partitionCount: (topic) => log.partitionCount(topic),
    partitionFor: (topic, key) => log.partitionFor(topic, key),
    append: (at, records) => log.append(at, records),
    endOffset: (topic, partition) => log.endOffset(topic, partition),
    async startOffset(topic, partition) {
      const start = await log.startOffset(topic, partition)
      return start > 0 && (await copyFrom({ topic, partition }, 0, start)) !== null ? 0 : start
    },
    async *read({ topic, partition, from, to, ...how }) {
      const start = await log.startOffset(topic, partition)
      const copy = from < Math.min(start, to) ? await copyFrom({ topic, partition }, from, start) : null
      if (copy !== null) yield* copy.read({ topic, partition, from, to: Math.min(start, to) })
      // Without a copy the log itself says what is missing.
      const next = copy === null ? from : start
      if (next < to || copy === null) yield* log.read({ topic, partition, from: next, to, ...how })
    },
    tail: (options) => log.tail(options),
    subscribe: (options) => subscribeAcross(log, copyFrom, options),
    close: () => log.close(),
  }
}

/** Tells whether topics can be read from their first record: results from a part of a topic differ from those of the whole topic. */
import { LogStoppedError, type EventLog } from './port.js'

type Bounded = Pick<EventLog, 'partitionCount' | 'startOffset'>

/** A sentence about the first partition whose oldest records were deleted; null if every partition begins at offset 0. */
export async function missingFront(log: Bounded, topics: readonly string[]): Promise<string | null> {
  for (const topic of topics) {
    const count = await log.partitionCount(topic)
    const starts = await Promise.all(
      Array.from({ length: count }, (_, partition) => log.startOffset(topic, partition)),
    )
    const partition = starts.findIndex((start) => start > 0)
    if (partition >= 0)
      return `${topic}/${partition} begins at offset ${starts[partition]}: the records before it were deleted, and have to be restored from a backup.`
  }
  return null
}

/** Rejects with LogStoppedError if the oldest records of a topic were deleted. */
export async function requireFront(log: Bounded, topics: readonly string[]): Promise<void> {
  const missing = await missingFront(log, topics)
  if (missing !== null) throw new LogStoppedError('truncated-log', missing)
}

/** Tells whether topics can be read from their first record: results from a part of a topic differ from those of the whole topic. */
import { LogStoppedError, type EventLog } from './port.js'
import { placeOf, placesOf } from './scan.js'

/** For an operator, behind the sentence that records were deleted. */
export const TRUNCATED_REMEDY =
  '`cupel status` names the archive if retention handed them over: set CUPEL_RETENTION_ARCHIVE to it, and restart. Otherwise restore them from a backup.'

type Bounded = Pick<EventLog, 'partitionCount' | 'startOffset'>

/** A sentence about the first partition whose oldest records were deleted; null if every partition begins at offset 0. */
export async function missingFront(log: Bounded, topics: readonly string[]): Promise<string | null> {
  const places = await placesOf(log, topics)
  const starts = await Promise.all(places.map(({ topic, partition }) => log.startOffset(topic, partition)))
  const index = starts.findIndex((start) => start > 0)
  if (index < 0) return null
  return `${placeOf(places[index]!)} begins at offset ${starts[index]}: the records before it were deleted. ${TRUNCATED_REMEDY}`
}

/** Rejects with LogStoppedError if the oldest records of a topic were deleted. */
export async function requireFront(log: Bounded, topics: readonly string[]): Promise<void> {
  const missing = await missingFront(log, topics)
  if (missing !== null) throw new LogStoppedError('truncated-log', missing)
}

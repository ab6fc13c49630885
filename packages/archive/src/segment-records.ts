/** The records of one segment, checked against its manifest before any of them is returned. */
import type { LogRecord } from '@cupel/event-log'
import { BadSegmentError, markerOf, readSegment } from './format/container.js'
import { sha256Of, type Segment } from './format/manifest.js'
import { hasOwnTime, recordOf } from './format/record-type.js'
import { MAX_SEGMENT_FILE_BYTES } from './limits.js'
import { ArchiveError, type ArchiveStore } from './store.js'

/** The signed bytes of the segment. Throws BadSegmentError if they differ. */
export async function signedBytes(store: ArchiveStore, { file, bytes, sha256 }: Segment): Promise<Buffer> {
  const found = await store.read(file, MAX_SEGMENT_FILE_BYTES).catch((cause: unknown) => {
    if (cause instanceof ArchiveError) throw new BadSegmentError(cause.message, { cause })
    throw cause
  })
  if (found === null) throw new BadSegmentError('It is missing.')
  if (found.length !== bytes)
    throw new BadSegmentError(`It has ${found.length} bytes, and ${bytes} were signed.`)
  if (sha256Of(found) !== sha256) throw new BadSegmentError('Its bytes are not those that were signed.')
  return found
}

/**
 * The records of the signed bytes, a block at a time. The signer may have made a mistake: throws BadSegmentError if the records are not
 * those of the place that the manifest states.
 */
export function* recordsOfSegment(
  bytes: Buffer,
  segment: Segment,
  log: string,
): Generator<readonly LogRecord[]> {
  const { topic, partition, first, next } = segment
  let [expected, count] = [first, 0]
  for (const block of readSegment(bytes, markerOf(log, topic, partition, first))) {
    for (const stored of block) {
      if (
        stored.topic !== topic ||
        stored.partition !== partition ||
        stored.offset < expected ||
        stored.offset >= next
      )
        throw new BadSegmentError(
          `It holds ${stored.topic}/${stored.partition} at ${stored.offset} in another place.`,
        )
      if (!hasOwnTime(stored))
        throw new BadSegmentError(
          `The time kept with ${topic}/${partition} at ${stored.offset} is not the one of the record.`,
        )
      expected = stored.offset + 1
    }
    count += block.length
    yield block.map(recordOf)
  }
  if (count !== segment.records)
    throw new BadSegmentError(`It holds ${count} records, and ${segment.records} were signed.`)
}

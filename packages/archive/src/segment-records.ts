/** The records of one segment, checked against its manifest before any of them is returned. */
import { createHash } from 'node:crypto'
import { turnsOnly } from '@cupel/kit/concurrency'
import type { LogRange, LogRecord } from '@cupel/event-log'
import { BadSegmentError, markerOf, readSegment } from './format/container.js'
import type { Segment } from './format/manifest.js'
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
  if ((await sha256InTurns(found)) !== sha256)
    throw new BadSegmentError('Its bytes are not those that were signed.')
  return found
}

const PIECE_BYTES = 1024 * 1024

/** A process that serves calls reads old reports here: they wait for a piece, not for the whole segment. */
async function sha256InTurns(bytes: Buffer): Promise<string> {
  const [sum, pauses] = [createHash('sha256'), turnsOnly()]
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    sum.update(bytes.subarray(at, at + PIECE_BYTES))
    await pauses.next()
  }
  return sum.digest('hex')
}

/**
 * The records of the signed bytes, a block at a time, as far as they can have offsets of the range. The signer may have made a mistake:
 * throws BadSegmentError if the records are not those of the place that the manifest states.
 */
export function* recordsOfSegment(
  bytes: Buffer,
  segment: Segment,
  log: string,
  { from, to }: Pick<LogRange, 'from' | 'to'>,
): Generator<readonly LogRecord[]> {
  const { topic, partition, first, next, records } = segment
  // Then the counts of the blocks tell their offsets.
  const isDense = records === next - first
  let [expected, count] = [first, 0]
  for (const block of readSegment(bytes, markerOf(log, topic, partition, first))) {
    const begins = first + count
    count += block.count
    if (isDense && (begins + block.count <= from || begins >= to)) {
      expected = begins + block.count
      continue
    }
    const found = block.read()
    for (const stored of found) {
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
    yield found.map(recordOf)
  }
  if (count !== records) throw new BadSegmentError(`It holds ${count} records, and ${records} were signed.`)
}

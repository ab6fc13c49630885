/**
 * Avro object container files (Avro 1.11, "Object Container Files"), codec deflate. The bytes depend only on the records: the marker
 * between the blocks is a hash, so that writing a segment again makes the same file.
 */
import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, deflateRaw, inflateRawSync } from 'node:zlib'
import avro from 'avsc'
import { BLOCK_BYTES, MAX_BLOCK_BYTES } from '../limits.js'
import { recordSchema, recordType, type StoredRecord } from './record-type.js'

/** The bytes are not a segment. The message is a sentence. */
export class BadSegmentError extends Error {
  override readonly name = 'BadSegmentError'
}

const MARKER_BYTES = 16
const LEVEL = 4
/** Blocks that are compressed at once. */
const BLOCKS_AHEAD = 4
/** A long takes ten bytes at most. */
const MAX_LONG_BYTES = 10

const headerType = avro.Type.forSchema({
  type: 'record',
  name: 'org.apache.avro.file.Header',
  fields: [
    { name: 'magic', type: { type: 'fixed', name: 'Magic', size: 4 } },
    { name: 'meta', type: { type: 'map', values: 'bytes' } },
    { name: 'sync', type: { type: 'fixed', name: 'Sync', size: MARKER_BYTES } },
  ],
} as avro.Schema)
const longType = avro.Type.forSchema('long')
const deflate = promisify(deflateRaw)

function headerOf(marker: Buffer): Buffer {
  return headerType.toBuffer({
    magic: Buffer.from('Obj\x01', 'latin1'),
    meta: { 'avro.codec': Buffer.from('deflate'), 'avro.schema': Buffer.from(recordSchema) },
    sync: marker,
  })
}

/** The marker of the segment that begins at this offset. */
export const markerOf = (log: string, topic: string, partition: number, first: number): Buffer =>
  Buffer.from(hash('sha256', JSON.stringify([log, topic, partition, first]), 'hex').slice(0, 32), 'hex')

export interface SegmentWriter {
  /** Encodes the record. If it returns a promise, the caller waits for it, so that memory stays bounded. */
  add(record: StoredRecord): Promise<void> | null
  /** Bytes of all records so far, before they are compressed. */
  bytes(): number
  /** SHA-256 in hex of the last record as it is encoded. */
  lastSha256(): string
  end(): Promise<void>
}

/** Hands over the bytes of the file in their order. */
export async function openSegmentWriter(
  marker: Buffer,
  write: (bytes: Buffer) => Promise<void>,
): Promise<SegmentWriter> {
  let scratch = Buffer.allocUnsafeSlow(2 * BLOCK_BYTES)
  let [end, count, total, lastAt] = [0, 0, 0, 0]
  const compressing: Promise<Buffer[]>[] = []
  await write(headerOf(marker))

  function cut(): void {
    if (count === 0) return
    const head = [longType.toBuffer(count)]
    compressing.push(
      deflate(Buffer.from(scratch.subarray(0, end)), {
        level: LEVEL,
        strategy: constants.Z_DEFAULT_STRATEGY,
      }).then((data) => [...head, longType.toBuffer(data.length), data, marker]),
    )
    // The caller that waits for the block gets its error.
    compressing.at(-1)!.catch(() => undefined)
    end = 0
    count = 0
  }

  async function drain(ahead: number): Promise<void> {
    while (compressing.length > ahead) await write(Buffer.concat(await compressing.shift()!))
  }

  let lastSha256 = ''
  return {
    add(record) {
      let next = recordType.encode(record, scratch, end)
      while (next < 0) {
        // A negative position is the number of bytes that are missing.
        const larger = Buffer.allocUnsafeSlow(2 * (scratch.length - next))
        scratch.copy(larger, 0, 0, end)
        scratch = larger
        next = recordType.encode(record, scratch, end)
      }
      lastAt = end
      total += next - end
      end = next
      count += 1
      if (end < BLOCK_BYTES) return null
      lastSha256 = hash('sha256', scratch.subarray(lastAt, end), 'hex')
      cut()
      return compressing.length > BLOCKS_AHEAD ? drain(BLOCKS_AHEAD - 1) : null
    },
    bytes: () => total,
    lastSha256: () => (count === 0 ? lastSha256 : hash('sha256', scratch.subarray(lastAt, end), 'hex')),
    async end() {
      if (count > 0) lastSha256 = hash('sha256', scratch.subarray(lastAt, end), 'hex')
      cut()
      await drain(0)
    },
  }
}

export const sha256OfRecord = (record: StoredRecord): string =>
  hash('sha256', recordType.toBuffer(record), 'hex')

interface SegmentBlock {
  /** Number of its records. */
  readonly count: number
  /** Throws BadSegmentError if the block does not hold them. */
  read(): readonly StoredRecord[]
}

/** The blocks of a file, each unread. Throws BadSegmentError at the first content that no segment writer writes. */
export function* readSegment(file: Buffer, marker: Buffer): Generator<SegmentBlock> {
  const header = headerOf(marker)
  if (!file.subarray(0, header.length).equals(header))
    throw new BadSegmentError('It does not begin as this segment begins.')
  let at = header.length
  while (at < file.length) {
    const [count, afterCount] = longAt(file, at)
    const [size, from] = longAt(file, afterCount)
    const to = from + size
    if (count < 1 || size < 1 || to + MARKER_BYTES > file.length)
      throw new BadSegmentError(`The block at byte ${at} is cut off.`)
    if (!file.subarray(to, to + MARKER_BYTES).equals(marker))
      throw new BadSegmentError(`The block at byte ${at} does not end with the marker of this segment.`)
    const begins = at
    yield { count, read: () => recordsOf(file.subarray(from, to), count, begins) }
    at = to + MARKER_BYTES
  }
}

function recordsOf(data: Buffer, count: number, at: number): StoredRecord[] {
  try {
    const bytes = inflateRawSync(data, { maxOutputLength: MAX_BLOCK_BYTES })
    const records: StoredRecord[] = []
    let next = 0
    while (records.length < count && next < bytes.length) {
      const decoded = recordType.decode(bytes, next) as { value: StoredRecord; offset: number }
      if (decoded.offset < 0) break
      records.push(decoded.value)
      next = decoded.offset
    }
    if (records.length === count && next === bytes.length) return records
  } catch (cause) {
    throw new BadSegmentError(`The block at byte ${at} cannot be read (${(cause as Error).message}).`, {
      cause,
    })
  }
  throw new BadSegmentError(`The block at byte ${at} does not hold the ${count} records that it states.`)
}

function longAt(file: Buffer, at: number): [value: number, next: number] {
  try {
    const { value, offset } = longType.decode(file.subarray(at, at + MAX_LONG_BYTES), 0) as {
      value: number
      offset: number
    }
    if (offset > 0 && Number.isSafeInteger(value)) return [value, at + offset]
  } catch {
    // No writer writes this number.
  }
  throw new BadSegmentError(`There is no block at byte ${at}.`)
}

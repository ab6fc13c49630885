/**
 * Kafka's record batch, magic 2, to and from bytes. Written for the hot path: a batch is encoded in the buffer that is sent, decoded values
 * and keys are views of the received buffer, and headers are decoded on first use. Source: Kafka documentation, "Record Batch" and
 * "Record"; varints are zig-zag encoded as in Protocol Buffers.
 */
import { isCompacted } from '@cupel/contracts'
import { TYPE_HEADER, type Headers, type LogRecord, type NewRecord } from '../port.js'
import { pack, type Compression } from './pack.js'
import { codecs, MAX_UNPACKED_BYTES, TooLargeError } from './unpack.js'

export interface ProducerIdentity {
  readonly id: bigint
  readonly epoch: number
}

/** A producer that is not idempotent. */
export const NO_PRODUCER: ProducerIdentity = { id: -1n, epoch: -1 }

/** Bytes before the first record. */
export const BATCH_OVERHEAD = 61
/** Base offset and length, which the length does not count. */
const LOG_OVERHEAD = 12
const MAGIC = 2
const LARGEST_VARINT = 5
const LARGEST_VARLONG = 10

/** An upper bound of the record's bytes within a batch, without BATCH_OVERHEAD. */
export function recordBytes(record: NewRecord): number {
  let bytes = LARGEST_VARINT * 5 + LARGEST_VARLONG + Buffer.byteLength(record.key) + record.value.length
  for (const name in record.headers)
    bytes += 2 * LARGEST_VARINT + Buffer.byteLength(name) + Buffer.byteLength(record.headers[name]!)
  return bytes
}

export interface NewBatch {
  readonly records: readonly NewRecord[]
  readonly timestampMs: number
  readonly producer: ProducerIdentity
  /** Number of the first record among those of its producer in the partition; without meaning if the producer has no identity. */
  readonly sequence: number
  readonly compression: Compression
}

/** Writes the batch at `start` and returns its end. */
export function writeBatch(
  into: Buffer,
  start: number,
  { records, timestampMs, producer, sequence, compression }: NewBatch,
): number {
  const body = start + BATCH_OVERHEAD
  let end = body
  for (let index = 0; index < records.length; index += 1) end = writeRecord(into, end, records[index]!, index)
  const packed = pack(into, body, end, compression)
  const bytes = into.subarray(start, packed.end)
  bytes.writeBigInt64BE(0n, 0)
  bytes.writeInt32BE(bytes.length - LOG_OVERHEAD, 8)
  bytes.writeInt32BE(-1, 12)
  bytes.writeInt8(MAGIC, 16)
  bytes.writeInt16BE(packed.codec, 21)
  bytes.writeInt32BE(records.length - 1, 23)
  bytes.writeBigInt64BE(BigInt(timestampMs), 27)
  bytes.writeBigInt64BE(BigInt(timestampMs), 35)
  bytes.writeBigInt64BE(producer.id, 43)
  bytes.writeInt16BE(producer.epoch, 51)
  bytes.writeInt32BE(producer.id === -1n ? -1 : sequence, 53)
  bytes.writeInt32BE(records.length, 57)
  bytes.writeUInt32BE(crc32c(bytes, CRC_FROM), 17)
  return packed.end
}

function writeRecord(batch: Buffer, start: number, record: NewRecord, offsetDelta: number): number {
  // The length comes first and its size varies: the record is written behind room for the largest, then moved.
  let at = start + LARGEST_VARINT
  const body = at
  at = batch.writeInt8(0, at)
  at = batch.writeInt8(0, at) // Timestamp delta 0: the whole batch carries one time.
  at = writeVarint(batch, at, offsetDelta)
  at = writeText(batch, at, record.key)
  at = writeVarint(batch, at, isWithoutValue(record) ? -1 : record.value.length)
  at += record.value.copy(batch, at)
  const names = Object.keys(record.headers)
  at = writeVarint(batch, at, names.length)
  for (const name of names) {
    at = writeText(batch, at, name)
    at = writeText(batch, at, record.headers[name]!)
  }
  const length = at - body
  const moved = writeVarint(batch, start, length)
  batch.copyWithin(moved, body, at)
  return moved + length
}

/** On a compacted topic an empty value means no value: only a missing value makes the brokers forget the key. */
function isWithoutValue({ topic, value }: NewRecord): boolean {
  return value.length === 0 && isCompacted(topic)
}

function writeText(batch: Buffer, at: number, text: string): number {
  const bytes = Buffer.byteLength(text)
  const start = writeVarint(batch, at, bytes)
  return start + batch.write(text, start)
}

function writeVarint(batch: Buffer, at: number, value: number): number {
  let rest = ((value << 1) ^ (value >> 31)) >>> 0
  while (rest > 0x7f) {
    batch[at++] = (rest & 0x7f) | 0x80
    rest >>>= 7
  }
  batch[at++] = rest
  return at
}

export interface DecodedBatches {
  readonly records: LogRecord[]
  /** Offset after the last record of the last complete batch; `from` if there was none. */
  readonly next: number
  /** Offset of the first record at or after `from`; null if there was none. */
  readonly first: number | null
  /** Memory of the batches that were read, unpacked. */
  readonly bytes: number
}

/** Another producer wrote the batch with a codec or format that this client does not know, or the bytes are damaged. */
export class UnreadableBatchError extends Error {
  override readonly name = 'UnreadableBatchError'
}

/** The checksum of a batch begins with its attributes: the fields that a broker changes come before them. */
const CRC_FROM = 21
const CODEC_MASK = 0x07
const BROKER_TIME_FLAG = 0x08
const CONTROL_FLAG = 0x20

/**
 * The records from `from` on in the batches of an answer. If `from` lies in the middle of a batch, the batch holds lower offsets. The last
 * batch may be cut off. Records behind a gap are read only in a compacted topic.
 */
export function decodeBatches(bytes: Buffer, topic: string, partition: number, from: number): DecodedBatches {
  const records: LogRecord[] = []
  const mayHaveGaps = isCompacted(topic)
  let next = from
  let first: number | null = null
  let memory = 0
  let at = 0
  while (at + BATCH_OVERHEAD <= bytes.length) {
    const end = at + LOG_OVERHEAD + bytes.readInt32BE(at + 8)
    if (end > bytes.length) break
    const magic = bytes.readInt8(at + 16)
    if (magic !== MAGIC)
      throw new UnreadableBatchError(`${topic}/${partition} holds a batch of format ${magic}`)
    const baseOffset = Number(bytes.readBigInt64BE(at))
    if (crc32c(bytes.subarray(at, end), CRC_FROM) !== bytes.readUInt32BE(at + 17))
      throw new UnreadableBatchError(
        `${topic}/${partition} holds a batch at ${baseOffset} whose checksum is wrong`,
      )
    const attributes = bytes.readInt16BE(at + 21)
    const lastOffset = baseOffset + bytes.readInt32BE(at + 23)
    if (lastOffset >= from) {
      const begins = Math.max(baseOffset, from)
      first ??= begins
      if (begins > next && !mayHaveGaps) break
      if ((attributes & CONTROL_FLAG) === 0) {
        const count = bytes.readInt32BE(at + 57)
        const body = unpacked(
          bytes.subarray(at + BATCH_OVERHEAD, end),
          attributes & CODEC_MASK,
          topic,
          partition,
        )
        readRecords(body, count, timeOf(bytes, at, attributes), baseOffset, from, topic, partition, records)
        memory += BATCH_OVERHEAD + body.length
      }
      next = lastOffset + 1
    }
    at = end
  }
  return { records, next, first, bytes: memory }
}

/** The time from which the records of a batch count theirs, and whether all of them have the time at which the broker took the batch. */
interface BatchTime {
  readonly baseMs: number
  readonly isOfBroker: boolean
}

function timeOf(bytes: Buffer, at: number, attributes: number): BatchTime {
  const isOfBroker = (attributes & BROKER_TIME_FLAG) !== 0
  return { baseMs: Number(bytes.readBigInt64BE(at + (isOfBroker ? 35 : 27))), isOfBroker }
}

function unpacked(body: Buffer, number: number, topic: string, partition: number): Buffer {
  if (number === 0) return body
  const codec = codecs.get(number)
  if (codec === undefined)
    throw new UnreadableBatchError(`${topic}/${partition} holds a batch compressed with codec ${number}`)
  try {
    return codec.unpack(body)
  } catch (error) {
    const isTooLarge = error instanceof TooLargeError
    const why = isTooLarge
      ? `unpacks to more than ${MAX_UNPACKED_BYTES} bytes`
      : `is not what ${codec.name} writes`
    throw new UnreadableBatchError(`${topic}/${partition} holds a batch that ${why}`, { cause: error })
  }
}

/** Position of the cursor within the current batch; decoding is synchronous, so one is enough. */
let cursor = 0

function readRecords(
  body: Buffer,
  count: number,
  { baseMs, isOfBroker }: BatchTime,
  baseOffset: number,
  from: number,
  topic: string,
  partition: number,
  into: LogRecord[],
): void {
  cursor = 0
  for (let index = 0; index < count; index += 1) {
    const length = readVarint(body)
    const end = cursor + length
    if (length <= 0 || end > body.length) throw unsound(topic, partition, baseOffset)
    cursor += 1 // Attributes, unused.
    const delta = readVarlong(body)
    const offset = baseOffset + readVarint(body)
    const timestampMs = isOfBroker ? baseMs : baseMs + delta
    if (offset >= from) into.push(readRecord(body, end, topic, partition, offset, timestampMs))
    cursor = end
  }
  if (cursor !== body.length) throw unsound(topic, partition, baseOffset)
}

/** Some libraries fill missing parts of a broken input with zeros. */
const unsound = (topic: string, partition: number, offset: number): UnreadableBatchError =>
  new UnreadableBatchError(`${topic}/${partition} holds a batch at ${offset} whose records do not fill it`)

function readRecord(
  body: Buffer,
  end: number,
  topic: string,
  partition: number,
  offset: number,
  timestampMs: number,
): LogRecord {
  const keyLength = readVarint(body)
  const keyAt = cursor
  cursor += Math.max(0, keyLength)
  const valueLength = readVarint(body)
  // -1 means no value: a forgotten key on a compacted topic, or a record of another program.
  const value = body.subarray(cursor, cursor + Math.max(0, valueLength))
  cursor += value.length
  const headersAt = cursor
  let headers: Headers | null = null
  return {
    topic,
    partition,
    offset,
    key: body.toString('utf8', keyAt, keyAt + Math.max(0, keyLength)),
    value,
    timestampMs,
    get headers() {
      headers ??= readHeaders(body, headersAt, end)
      return headers
    },
    get type() {
      return headers === null ? readHeader(TYPE, body, headersAt, end) : headers[TYPE_HEADER]
    },
  }
}

function readHeaders(body: Buffer, at: number, end: number): Headers {
  cursor = at
  const count = readVarint(body)
  // Without a prototype: `__proto__` is a header name like any other.
  const headers = Object.create(null) as Record<string, string>
  for (let index = 0; index < count && cursor < end; index += 1) {
    const name = readText(body)
    headers[name] = readText(body)
  }
  return headers
}

const TYPE = Buffer.from(TYPE_HEADER)

/** The last header of this name, without reading the others; undefined if there is none. */
function readHeader(name: Buffer, body: Buffer, at: number, end: number): string | undefined {
  cursor = at
  let value: string | undefined
  for (let left = readVarint(body); left > 0 && cursor < end; left -= 1) {
    const length = Math.max(0, readVarint(body))
    const isWanted = length === name.length && body.compare(name, 0, length, cursor, cursor + length) === 0
    cursor += length
    if (isWanted) value = readText(body)
    else skipText(body)
  }
  return value
}

function skipText(body: Buffer): void {
  // Reading the length moves the cursor: the length must be known before it is added to the cursor.
  const length = readVarint(body)
  cursor += Math.max(0, length)
}

function readText(body: Buffer): string {
  const length = Math.max(0, readVarint(body))
  const text = body.toString('utf8', cursor, cursor + length)
  cursor += length
  return text
}

function readVarint(body: Buffer): number {
  let value = 0
  let shift = 0
  let byte: number
  do {
    byte = body[cursor++]!
    value |= (byte & 0x7f) << shift
    shift += 7
  } while (byte > 0x7f)
  return (value >>> 1) ^ -(value & 1)
}

/** Exact up to 2^53, beyond any time. */
function readVarlong(body: Buffer): number {
  let value = 0
  let unit = 1
  let byte: number
  do {
    byte = body[cursor++]!
    value += (byte & 0x7f) * unit
    unit *= 128
  } while (byte > 0x7f)
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2
}

/** CRC-32C (Castagnoli), reflected polynomial 0x82f63b78. Source: RFC 3720, appendix B.4. Eight bytes a step. */
const BYTES_A_STEP = 8
const TABLE_SIZE = 256
/** Consecutive tables: in the n-th a byte counts as if n zero bytes followed it. */
const TABLES = castagnoliTables()

function castagnoliTables(): Int32Array {
  const tables = new Int32Array(BYTES_A_STEP * TABLE_SIZE)
  for (let byte = 0; byte < TABLE_SIZE; byte += 1) {
    let crc = byte
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1
    tables[byte] = crc
  }
  for (let index = TABLE_SIZE; index < tables.length; index += 1) {
    const before = tables[index - TABLE_SIZE]!
    tables[index] = (before >>> 8) ^ tables[before & 0xff]!
  }
  return tables
}

export function crc32c(bytes: Buffer, from: number): number {
  const tables = TABLES
  let crc = -1
  let at = from
  const last = bytes.length - BYTES_A_STEP
  for (; at <= last; at += BYTES_A_STEP) {
    crc ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
    crc =
      tables[0x700 + (crc & 0xff)]! ^
      tables[0x600 + ((crc >>> 8) & 0xff)]! ^
      tables[0x500 + ((crc >>> 16) & 0xff)]! ^
      tables[0x400 + (crc >>> 24)]! ^
      tables[0x300 + bytes[at + 4]!]! ^
      tables[0x200 + bytes[at + 5]!]! ^
      tables[0x100 + bytes[at + 6]!]! ^
      tables[bytes[at + 7]!]!
  }
  for (; at < bytes.length; at += 1) crc = (crc >>> 8) ^ tables[(crc ^ bytes[at]!) & 0xff]!
  return (crc ^ -1) >>> 0
}

/**
 * Unpacks the records of a compressed batch. The topics of a cluster may be compressed, and other programs may append compressed batches. A
 * few bytes may unpack to gigabytes: for every codec, the size is limited before or while the output is made, and every length in the input
 * is compared with the actual bytes. Sources: LZ4 frame format 1.6.2; RFC 8878; the snappy framing of xerial's snappy-java.
 */
import { gunzipSync } from 'node:zlib'
import { Decompress } from 'fzstd'
import { decompressFrame } from 'lz4js'
import { uncompress as unsnap } from 'snappyjs'
import { MAX_RECORD_BYTES } from '../port.js'

/** Largest unpacked size of a compressed batch: a few records of the greatest size. */
export const MAX_UNPACKED_BYTES = 4 * MAX_RECORD_BYTES

/** The output would be larger than MAX_UNPACKED_BYTES. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError'
}

export interface Codec {
  readonly name: string
  /** Throws TooLargeError, or the library's error for input that is not of this codec. */
  readonly unpack: (packed: Buffer) => Buffer
}

/** By their numbers in the attributes of a batch. */
export const codecs: ReadonlyMap<number, Codec> = new Map([
  [1, { name: 'gzip', unpack: gunzip }],
  [2, { name: 'snappy', unpack: unpackSnappy }],
  [3, { name: 'lz4', unpack: unpackLz4 }],
  [4, { name: 'zstd', unpack: unpackZstd }],
])

function gunzip(packed: Buffer): Buffer {
  try {
    return gunzipSync(packed, { maxOutputLength: MAX_UNPACKED_BYTES })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw new TooLargeError()
    throw error
  }
}

const XERIAL = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00])
/** Magic, version and the least compatible version. */
const XERIAL_HEADER_BYTES = 16

/** Java writes blocks with their lengths behind a header; other clients write one block without a header. */
function unpackSnappy(packed: Buffer): Buffer {
  if (!packed.subarray(0, XERIAL.length).equals(XERIAL)) return unsnapBlock(packed, MAX_UNPACKED_BYTES)
  const blocks: Buffer[] = []
  let room = MAX_UNPACKED_BYTES
  for (let at = XERIAL_HEADER_BYTES; at < packed.length;) {
    const from = at + 4
    at = from + packed.readUInt32BE(at)
    if (at > packed.length) throw new RangeError('A block is longer than the batch')
    const block = unsnapBlock(packed.subarray(from, at), room)
    room -= block.length
    blocks.push(block)
  }
  return Buffer.concat(blocks)
}

/** The block first states its size, as a varint, and the library allocates that much without a check. */
function unsnapBlock(block: Buffer, room: number): Buffer {
  let size = 0
  let at = 0
  for (let factor = 1; ; factor *= 128) {
    const byte = block.readUInt8(at++)
    size += (byte & 0x7f) * factor
    if (byte < 0x80) break
  }
  if (size > room) throw new TooLargeError()
  if (snappySize(block, at) !== size) throw new RangeError('The block has another size than it states')
  return Buffer.from(unsnap(block, room))
}

/** The output size of a block's elements: literals, and copies with offsets of one, two or four bytes. */
function snappySize(block: Buffer, from: number): number {
  let size = 0
  let at = from
  while (at < block.length) {
    const tag = block.readUInt8(at++)
    const kind = tag & 3
    let length = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1
    if (kind === 0) {
      const lengthBytes = Math.max(0, length - 60)
      if (lengthBytes > 0) length = block.readUIntLE(at, lengthBytes) + 1
      at += lengthBytes + length
    } else at += kind === 3 ? 4 : kind
    size += length
  }
  return at === block.length ? size : -1
}

const LZ4_MAGIC = 0x184d2204
const LZ4_BLOCK_BYTES: Readonly<Record<number, number>> = {
  4: 65_536,
  5: 262_144,
  6: 1_048_576,
  7: 4_194_304,
}
const LZ4_RAW = 0x80000000

/** The library trusts every length, and writes past no end: the blocks are measured first. */
function unpackLz4(packed: Buffer): Buffer {
  const { bound, hasBlockSums } = lz4Bound(packed)
  if (hasBlockSums) throw new RangeError('It has checksums of blocks')
  // The last block is seldom full: the bound may exceed the limit by one.
  const output = new Uint8Array(Math.min(bound, MAX_UNPACKED_BYTES + 1))
  const size = decompressFrame(packed, output)
  if (size > MAX_UNPACKED_BYTES) throw new TooLargeError()
  return Buffer.from(output.buffer, 0, size)
}

function lz4Bound(packed: Buffer): { bound: number; hasBlockSums: boolean } {
  if (packed.readUInt32LE(0) !== LZ4_MAGIC) throw new RangeError('It does not begin as a frame')
  const flags = packed.readUInt8(4)
  const largest = LZ4_BLOCK_BYTES[(packed.readUInt8(5) >> 4) & 7]
  if (largest === undefined) throw new RangeError('Its size of blocks is unknown')
  const hasBlockSums = (flags & 0x10) !== 0
  let at = 7 + ((flags & 0x08) === 0 ? 0 : 8)
  let bound = 0
  for (;;) {
    const head = packed.readUInt32LE(at)
    at += 4
    if (head === 0) return { bound, hasBlockSums }
    const isRaw = (head & LZ4_RAW) !== 0
    const size = head & ~LZ4_RAW
    at += size
    if (size > largest || at > packed.length) throw new RangeError('A block is longer than it may be')
    bound += isRaw ? size : largest
    if (bound > MAX_UNPACKED_BYTES + largest) throw new TooLargeError()
  }
}

const ZSTD_MAGIC = 0xfd2fb528
/** The window that every decoder should support. RFC 8878, 3.1.1.1.2. */
const LARGEST_WINDOW_BYTES = 8 * 1024 * 1024

/** The library allocates the window that the frame states. */
function unpackZstd(packed: Buffer): Buffer {
  if (packed.readUInt32LE(0) !== ZSTD_MAGIC) throw new RangeError('It does not begin as a frame')
  if (zstdWindow(packed) > LARGEST_WINDOW_BYTES) throw new TooLargeError()
  const parts: Uint8Array[] = []
  let bytes = 0
  const stream = new Decompress((part) => {
    bytes += part.length
    if (bytes > MAX_UNPACKED_BYTES) throw new TooLargeError()
    // The library reuses its buffer.
    parts.push(part.slice())
  })
  for (let at = 0; at < packed.length; at += ZSTD_STEP_BYTES)
    stream.push(packed.subarray(at, at + ZSTD_STEP_BYTES), at + ZSTD_STEP_BYTES >= packed.length)
  return Buffer.concat(parts)
}

/** Input unpacked between two checks of the size; a block of zstd has 128 KiB at most. */
const ZSTD_STEP_BYTES = 16 * 1024

/** Bytes of history that the frame requires. RFC 8878, 3.1.1.1. */
function zstdWindow(packed: Buffer): number {
  const descriptor = packed.readUInt8(4)
  const isSingleSegment = (descriptor & 0x20) !== 0
  if (!isSingleSegment) {
    const window = packed.readUInt8(5)
    const base = 2 ** (10 + (window >> 3))
    return base + (base / 8) * (window & 7)
  }
  const at = 5 + ([0, 1, 2, 4] as const)[(descriptor & 3) as 0 | 1 | 2 | 3]
  const kind = descriptor >> 6
  if (kind === 0) return packed.readUInt8(at)
  if (kind === 1) return packed.readUInt16LE(at) + 256
  return kind === 2 ? packed.readUInt32LE(at) : Number(packed.readBigUInt64LE(at))
}

/**
 * Searches files for texts, byte for byte: in the stored bytes and in their compressed content. It knows the segments of a
 * broker (record batches), those of an archive (Avro container files), and gzip files as a support bundle is one; it reads every other
 * file as it is.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, inflateRawSync } from 'node:zlib'

export interface Scanned {
  /** `<text> in <file>`, once for each. */
  readonly found: readonly string[]
  /** Number of unpacked batches and blocks. */
  readonly unpacked: number
}

/** Leaves out files that a running process removes meanwhile. */
export function scanFiles(folder: string, texts: readonly string[]): Scanned {
  const wanted = texts.map((text) => [text, Buffer.from(text)] as const)
  const found = new Set<string>()
  let unpacked = 0
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || statSync(path, { throwIfNoEntry: false }) === undefined) continue
    const bytes = readFileSync(path)
    const packed = [...batchesOf(path, bytes), ...blocksOf(bytes), ...gunzipped(bytes)]
    unpacked += packed.length
    for (const part of [bytes, ...packed])
      for (const [text, needle] of wanted) if (part.includes(needle)) found.add(`${text} in ${path}`)
  }
  return { found: [...found], unpacked }
}

const SEGMENT = /^\d{20}\.log$/
const BATCH_HEADER_BYTES = 61
const LENGTH_AT = 8
const LENGTH_BYTES = 12
const CODEC_AT = 22
const CODEC_MASK = 0x07
const [NONE, GZIP] = [0, 1]

/** Returns the records of each gzip batch of a segment. Another codec is an error, because the search would find nothing in it. */
function batchesOf(path: string, bytes: Buffer): Buffer[] {
  if (!SEGMENT.test(path.slice(path.lastIndexOf('/') + 1))) return []
  const records: Buffer[] = []
  for (let at = 0; at + BATCH_HEADER_BYTES <= bytes.length;) {
    const end = at + LENGTH_BYTES + bytes.readInt32BE(at + LENGTH_AT)
    // The broker has not written this space yet.
    if (end <= at + BATCH_HEADER_BYTES || end > bytes.length) break
    const codec = bytes[at + CODEC_AT]! & CODEC_MASK
    if (codec === GZIP) records.push(gunzipSync(bytes.subarray(at + BATCH_HEADER_BYTES, end)))
    else if (codec !== NONE) throw new Error(`${path} has a batch of codec ${codec}`)
    at = end
  }
  return records
}

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b])

const gunzipped = (bytes: Buffer): Buffer[] =>
  bytes.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC) ? [gunzipSync(bytes)] : []

const CONTAINER = Buffer.from('Obj\x01', 'latin1')
const MARKER_BYTES = 16

/** Returns the blocks of an Avro container file with codec deflate. Its marker ends the file, and follows each block. */
function blocksOf(bytes: Buffer): Buffer[] {
  if (!bytes.subarray(0, CONTAINER.length).equals(CONTAINER)) return []
  const marker = bytes.subarray(-MARKER_BYTES)
  const blocks: Buffer[] = []
  let at = bytes.indexOf(marker) + MARKER_BYTES
  while (at < bytes.length) {
    const [, sizeAt] = readLong(bytes, at)
    const [size, start] = readLong(bytes, sizeAt)
    blocks.push(inflateRawSync(bytes.subarray(start, start + size)))
    at = start + size + MARKER_BYTES
  }
  return blocks
}

/** Reads a zigzag number, and returns its value and its end. */
function readLong(bytes: Buffer, start: number): [number, number] {
  let [value, factor, at] = [0, 1, start]
  for (;;) {
    const byte = bytes[at++]!
    value += (byte & 0x7f) * factor
    factor *= 128
    if (byte < 0x80) return [value % 2 === 0 ? value / 2 : -(value + 1) / 2, at]
  }
}

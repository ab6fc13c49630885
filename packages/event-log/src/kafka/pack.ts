/**
 * Packs the records of a batch before they are sent. Reports name the same lists and have the same fields, so that a batch of twenty
 * shrinks to a sixth of its bytes, on disk, between brokers and on the way to each reader. zlib packs them, because every Kafka client
 * unpacks gzip (docs/performance.md has the figures of the other codecs).
 */
import { constants, gzipSync } from 'node:zlib'

/** `none`: batches are written uncompressed. */
export type Compression = 'gzip' | 'none'

export interface Packed {
  /** The new end of the body. */
  readonly end: number
  /** The number of the codec in the attributes of the batch; 0 if the body is unchanged. */
  readonly codec: 0 | 1
}

/** Smallest body worth packing: a single small event gains nothing. */
export const PACK_FROM_BYTES = 1_024
/** A body that stays larger than this share of itself is left unchanged: each reader would unpack it for nothing. */
const WORTH = 0.9
const GZIP = 1
const FASTEST = { level: constants.Z_BEST_SPEED }

/** Packs the bytes from `start` to `end` in their place. */
export function pack(into: Buffer, start: number, end: number, compression: Compression): Packed {
  const bytes = end - start
  if (compression === 'none' || bytes < PACK_FROM_BYTES) return { end, codec: 0 }
  const packed = gzipSync(into.subarray(start, end), FASTEST)
  if (packed.length > bytes * WORTH) return { end, codec: 0 }
  packed.copy(into, start)
  return { end: start + packed.length, codec: GZIP }
}

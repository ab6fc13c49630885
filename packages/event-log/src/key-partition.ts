/** The partition of a key: the same on every log, so that records keep their partitions when an installation moves. */

const SEED = 0x9747b28c
const MULTIPLIER = 0x5bd1e995

/** Apache Kafka's default placement: the positive part of murmur2 of the UTF-8 key, modulo the number of partitions. */
export function keyPartition(key: string, partitions: number): number {
  return (murmur2(Buffer.from(key, 'utf8')) & 0x7fffffff) % partitions
}

/** MurmurHash2, 32 bit, with the seed of org.apache.kafka.common.utils.Utils.murmur2. The result is signed, as in Java. */
export function murmur2(bytes: Uint8Array): number {
  const length = bytes.length
  let hash = SEED ^ length
  let at = 0
  for (; at + 4 <= length; at += 4) {
    let word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
    word = Math.imul(word, MULTIPLIER)
    word ^= word >>> 24
    hash = Math.imul(hash, MULTIPLIER) ^ Math.imul(word, MULTIPLIER)
  }
  const rest = length - at
  if (rest >= 3) hash ^= bytes[at + 2]! << 16
  if (rest >= 2) hash ^= bytes[at + 1]! << 8
  if (rest >= 1) hash = Math.imul(hash ^ bytes[at]!, MULTIPLIER)
  hash = Math.imul(hash ^ (hash >>> 13), MULTIPLIER)
  return (hash ^ (hash >>> 15)) | 0
}

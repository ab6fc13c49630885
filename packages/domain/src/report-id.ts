/**
 * Report ids: 16 hex digits. The first 14 are a 56-bit number from a sequence, through a keyed permutation: unique
 * without a look-up, and not countable from outside. The last 2 name the partition of the report topic.
 */

/** Numbers below this have a report id: 2^56. */
export const REPORT_NUMBERS = 1n << 56n

const HALF_BITS = 28n
const HALF_MASK = (1n << HALF_BITS) - 1n

/** Rounds of the Feistel network. Four make a permutation that looks random; more cost little and leave a margin. */
export const FEISTEL_ROUNDS = 8

/**
 * A keyed function from (round, 28-bit half) to any non-negative whole number up to 2^32; only its lowest 28 bits are
 * used. HMAC-SHA256 under the installation's secret does. It must not change while report ids are made from one sequence.
 */
export type RoundFunction = (round: number, half: number) => number

/**
 * The permutation of the numbers below 2^56 by a balanced Feistel network (Luby and Rackoff 1988): whatever the round
 * function, no two numbers share an image.
 */
export function permuteReportNumber(number: bigint, keyed: RoundFunction): bigint {
  if (number < 0n || number >= REPORT_NUMBERS)
    throw new RangeError(`No report id for ${number}: outside 56 bits`)
  let left = Number(number >> HALF_BITS)
  let right = Number(number & HALF_MASK)
  for (let round = 0; round < FEISTEL_ROUNDS; round++) {
    ;[left, right] = [right, (left ^ keyed(round, right)) & Number(HALF_MASK)]
  }
  return (BigInt(left) << HALF_BITS) | BigInt(right)
}

/** The number a permuted one came from. */
export function restoreReportNumber(permuted: bigint, keyed: RoundFunction): bigint {
  let left = Number(permuted >> HALF_BITS)
  let right = Number(permuted & HALF_MASK)
  for (let round = FEISTEL_ROUNDS - 1; round >= 0; round--) {
    ;[left, right] = [(right ^ keyed(round, left)) & Number(HALF_MASK), left]
  }
  return (BigInt(left) << HALF_BITS) | BigInt(right)
}

/** Values of the last two digits. */
const PARTITION_DIGITS = 256

/**
 * Report id of a number from the sequence.
 * @param partition partition of the report topic whose records the making instance reads
 * @param partitions how many the topic has: a power of two, at most 256
 */
export function reportIdOf(
  number: bigint,
  partition: number,
  partitions: number,
  keyed: RoundFunction,
): string {
  const isPowerOfTwo = Number.isInteger(partitions) && partitions > 0 && (partitions & (partitions - 1)) === 0
  if (!isPowerOfTwo || partitions > PARTITION_DIGITS) {
    throw new RangeError(`${partitions} partitions: not a power of two up to ${PARTITION_DIGITS}`)
  }
  if (!Number.isInteger(partition) || partition < 0 || partition >= partitions) {
    throw new RangeError(`No partition ${partition} among ${partitions}`)
  }
  const permuted = permuteReportNumber(number, keyed)
  // The digits above the partition's are filled from the permuted number, so that they say nothing either.
  const filler = Number(permuted & 0xffn) & (PARTITION_DIGITS - partitions)
  return permuted.toString(16).padStart(14, '0') + (filler | partition).toString(16).padStart(2, '0')
}

/** Whether a text has the form of a report id. */
export function isReportId(text: string): boolean {
  return /^[0-9a-f]{16}$/.test(text)
}

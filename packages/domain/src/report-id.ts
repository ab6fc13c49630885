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
 * A keyed function from a round and 28-bit halves to as many whole numbers below 2^32, each computed only from its own half. Only their
 * lowest 28 bits are used. It must not change while report ids are made from one sequence. It takes many halves at once, because the call
 * of a cipher costs more than its work.
 */
export type RoundFunction = (round: number, halves: Uint32Array) => Uint32Array

/**
 * The permutation of the numbers below 2^56 by a balanced Feistel network (Luby and Rackoff 1988): with any round function, no two numbers
 * share an image. Images in the order of the numbers.
 */
export function permuteReportNumbers(numbers: readonly bigint[], keyed: RoundFunction): bigint[] {
  for (const number of numbers)
    if (number < 0n || number >= REPORT_NUMBERS)
      throw new RangeError(`No report id for ${number}: outside 56 bits`)
  let [left, right] = halvesOf(numbers)
  for (let round = 0; round < FEISTEL_ROUNDS; round++)
    [left, right] = [right, mixed(left, keyed(round, right))]
  return joined(left, right)
}

/** The original numbers of permuted ones. */
export function restoreReportNumbers(permuted: readonly bigint[], keyed: RoundFunction): bigint[] {
  let [left, right] = halvesOf(permuted)
  for (let round = FEISTEL_ROUNDS - 1; round >= 0; round--)
    [left, right] = [mixed(right, keyed(round, left)), left]
  return joined(left, right)
}

function halvesOf(numbers: readonly bigint[]): [left: Uint32Array, right: Uint32Array] {
  const left = Uint32Array.from(numbers, (number) => Number(number >> HALF_BITS))
  return [left, Uint32Array.from(numbers, (number) => Number(number & HALF_MASK))]
}

function mixed(half: Uint32Array, key: Uint32Array): Uint32Array {
  return half.map((bits, index) => (bits ^ key[index]!) & Number(HALF_MASK))
}

function joined(left: Uint32Array, right: Uint32Array): bigint[] {
  return Array.from(left, (bits, index) => (BigInt(bits) << HALF_BITS) | BigInt(right[index]!))
}

/** Values of the last two digits. */
const PARTITION_DIGITS = 256

/**
 * Report ids of numbers from the sequence, in their order.
 * @param partitionOf partition of the report topic whose records the making instance reads, or another for each number
 * @param partitions number of partitions of the topic: a power of two, at most 256
 */
export function reportIdsOf(
  numbers: readonly bigint[],
  partitionOf: (number: bigint) => number,
  partitions: number,
  keyed: RoundFunction,
): string[] {
  const isPowerOfTwo = Number.isInteger(partitions) && partitions > 0 && (partitions & (partitions - 1)) === 0
  if (!isPowerOfTwo || partitions > PARTITION_DIGITS) {
    throw new RangeError(`${partitions} partitions: not a power of two up to ${PARTITION_DIGITS}`)
  }
  const permuted = permuteReportNumbers(numbers, keyed)
  return numbers.map((number, index) => idOf(permuted[index]!, partitionOf(number), partitions))
}

function idOf(permuted: bigint, partition: number, partitions: number): string {
  if (!Number.isInteger(partition) || partition < 0 || partition >= partitions) {
    throw new RangeError(`No partition ${partition} among ${partitions}`)
  }
  // The digits above the partition's come from the permuted number, so that they reveal nothing either.
  const filler = Number(permuted & 0xffn) & (PARTITION_DIGITS - partitions)
  return permuted.toString(16).padStart(14, '0') + (filler | partition).toString(16).padStart(2, '0')
}

/** Whether a text has the form of a report id. */
export function isReportId(text: string): boolean {
  return /^[0-9a-f]{16}$/.test(text)
}

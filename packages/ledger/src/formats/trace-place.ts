/** The order of the calls of one transaction as whole numbers. */

/** Binary digits of a whole number that a float holds exactly. */
const BITS = 53
const SMALL_BITS = 4
const LARGE_BITS = 16
/** Marks a large index. Zero ends an address. */
const LARGE = 15

/**
 * A whole number for the address of a call (indexes from the outermost call inwards), higher than the number of every earlier call; null if
 * the address is too long for a number.
 */
export function placeOfCall(traceAddress: readonly number[]): number | null {
  let place = 0
  let bits = 0
  for (const index of traceAddress) {
    const isSmall = index + 1 < LARGE
    const more = isSmall ? SMALL_BITS : SMALL_BITS + LARGE_BITS
    bits += more
    if (bits > BITS || index >= 2 ** LARGE_BITS) return null
    place = place * 2 ** more + (isSmall ? index + 1 : LARGE * 2 ** LARGE_BITS + index)
  }
  return place * 2 ** (BITS - bits)
}

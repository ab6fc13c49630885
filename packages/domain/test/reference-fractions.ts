/** Exact fractions of big integers, for the second judgement. */

/** A fraction. It is never reduced, and rounded only where the rules require it. */
export interface Ratio {
  readonly top: bigint
  readonly bottom: bigint
}

export const ratio = (top: bigint | number, bottom: bigint | number = 1): Ratio => ({
  top: BigInt(top),
  bottom: BigInt(bottom),
})
export const times = (a: Ratio, b: Ratio): Ratio => ratio(a.top * b.top, a.bottom * b.bottom)
export const minus = (a: Ratio, b: Ratio): Ratio =>
  ratio(a.top * b.bottom - b.top * a.bottom, a.bottom * b.bottom)
export const isLess = (a: Ratio, b: Ratio): boolean => a.top * b.bottom < b.top * a.bottom
export const greater = (a: Ratio, b: Ratio): Ratio => (isLess(a, b) ? b : a)
export const smaller = (a: Ratio, b: Ratio): Ratio => (isLess(a, b) ? a : b)
export const isEqual = (a: Ratio, b: Ratio): boolean => a.top * b.bottom === b.top * a.bottom

/** The nearest multiple of 1/parts; halves round up. */
export function rounded(value: Ratio, parts: bigint): Ratio {
  const doubled = 2n * value.top * parts + value.bottom
  return ratio(doubled / (2n * value.bottom), parts)
}

/** The exact value of a decimal number as written. */
export function decimal(value: number): Ratio {
  const [whole, digits = ''] = value.toFixed(6).split('.')
  return ratio(BigInt(whole! + digits), 10n ** BigInt(digits.length))
}

export const MILLIONTHS = 1_000_000n
/** Points have hundredths; as fractions of one these are ten thousandths. */
export const HUNDREDTHS_OF_POINTS = 10_000n

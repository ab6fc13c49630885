/**
 * The decimal logarithm in whole numbers, the same on every machine: a platform's own may differ in the last digit.
 * Source of the method: multiplicative normalisation (Briggs; Knuth, The Art of Computer Programming 1, 1.2.2, exercise 25).
 */

/** log10(1 + 2^-k) · 10^18 for k = 0 … 60, rounded half up. */
// prettier-ignore
const LOGARITHMS: readonly bigint[] = [
  301_029_995_663_981_195n, 176_091_259_055_681_242n, 96_910_013_008_056_414n, 51_152_522_447_381_289n,
  26_328_938_722_349_148n, 13_363_961_557_981_502n, 6_733_382_658_968_403n, 3_379_740_651_380_597n,
  1_693_158_019_444_975n, 847_404_135_985_516n, 423_908_751_961_152n, 212_006_097_401_853n,
  106_015_985_367_970n, 53_011_227_640_217n, 26_506_422_657_882n, 13_253_413_550_726n,
  6_626_757_332_352n, 3_313_391_305_616n, 1_656_698_812_692n, 828_350_196_320n,
  414_175_295_654n, 207_087_697_200n, 103_543_860_944n, 51_771_933_558n,
  25_885_967_550n, 12_942_983_968n, 6_471_492_032n, 3_235_746_028n,
  1_617_873_017n, 808_936_509n, 404_468_255n, 202_234_127n,
  101_117_064n, 50_558_532n, 25_279_266n, 12_639_633n,
  6_319_816n, 3_159_908n, 1_579_954n, 789_977n,
  394_989n, 197_494n, 98_747n, 49_374n,
  24_687n, 12_343n, 6_172n, 3_086n,
  1_543n, 771n, 386n, 193n,
  96n, 48n, 24n, 12n,
  6n, 3n, 2n, 1n,
  0n,
]

/** Of the quotient's binary form; far beyond what a part per million needs. */
const FRACTION_BITS = 80n
const SCALE = 10n ** 18n
const PPM = 1_000_000n

/** log10(top / bottom) · 10^18 for top ≥ bottom > 0, within 10^-15. */
function scaledLogarithm(top: bigint, bottom: bigint): bigint {
  let power = BigInt(top.toString(2).length - bottom.toString(2).length)
  if (bottom << power > top) power -= 1n
  const quotient = (top << FRACTION_BITS) / (bottom << power)
  let logarithm = power * LOGARITHMS[0]!
  let reached = 1n << FRACTION_BITS
  for (let k = 1; k < LOGARITHMS.length; k++) {
    const next = reached + (reached >> BigInt(k))
    if (next > quotient) continue
    reached = next
    logarithm += LOGARITHMS[k]!
  }
  return logarithm
}

/**
 * How much a value is compared with dust, in parts per million: 0 up to one dust, full `decades` powers of ten above.
 * Rounded half up.
 */
export function sizePpm(value: bigint, dust: bigint, decades: number): number {
  if (dust <= 0n) throw new RangeError('Dust must be a whole number above 0')
  if (value <= dust) return 0
  const divisor = SCALE * BigInt(decades)
  const size = (2n * scaledLogarithm(value, dust) * PPM + divisor) / (2n * divisor)
  return size > PPM ? Number(PPM) : Number(size)
}

/** Which exposure is ignored because too little came in. */
import type { ExposureMeasure } from '@cupel/contracts'

const PPM_N = 1_000_000n

type Amounts = Pick<
  ExposureMeasure,
  'category' | 'relation' | 'direction' | 'contract' | 'isWeak' | 'wholeAmount' | 'dust'
>

/** Value below the dust of its asset. */
export const isBelowDust = ({ dust }: Pick<ExposureMeasure, 'dust'>, amount: bigint): boolean =>
  amount < BigInt(dust)

/**
 * Anyone can send dust to any address, so what came in is ignored while it stays below dust over all assets of its sources together: a
 * payment that is divided among assets is one payment. Each asset's dust is worth about the same, so the sum needs no price, and a table of
 * prices that is lost takes nothing away. The whole value counts, however dates divide it.
 */
export function ignoredDustOf(measures: readonly Amounts[]): (measure: Amounts) => boolean {
  const byKind = new Map<string, Map<string, bigint>>()
  for (const measure of measures) {
    const ofKind = byKind.get(kindOf(measure)) ?? new Map<string, bigint>()
    byKind.set(kindOf(measure), ofKind)
    const dust = BigInt(measure.dust)
    const ppm = dust === 0n ? PPM_N : (BigInt(measure.wholeAmount) * PPM_N) / dust
    // Rows of one asset that dates or subcategories divide state the same whole.
    if (ppm > (ofKind.get(measure.contract) ?? 0n)) ofKind.set(measure.contract, ppm)
  }
  const isIgnored = new Map(
    [...byKind].map(([kind, ofKind]) => [kind, [...ofKind.values()].reduce((sum, ppm) => sum + ppm, 0n) < PPM_N]),
  )
  return (measure) => measure.direction === 'in' && isIgnored.get(kindOf(measure)) === true
}

const kindOf = ({ category, relation, direction, isWeak }: Amounts): string =>
  [category, relation, direction, isWeak].join(' ')

/** How the points of an evidence item come about: base × factors, then a limit, then the weight of its category. */
import type { Evidence } from '@cupel/contracts'
import { PPM } from './policy.js'

/** What the base is multiplied by. Open: later versions add words. */
export const factorNames = ['confidence', 'role', 'share', 'size', 'size_weight'] as const
export type Factor = Evidence['factors'][number] & { readonly name: (typeof factorNames)[number] }

/** Why points are limited. Open: later versions add words. */
export const capReasons = [
  'execution_unknown',
  'order_unknown',
  'pre_designation',
  'historical',
  'coinjoin',
  'cluster',
] as const
export type CappedBy = (typeof capReasons)[number]

/** Of an item that does not count. */
export const notCounted = { base: null, factors: [], capped_by: null, weight: null, contribution: 0 }

/** Points of a label: the whole, by its confidence and its role. */
export const labelPoints = (
  confidencePpm: number,
  rolePpm: number,
  weightPpm: number,
): Pick<Evidence, 'base' | 'weight'> & { readonly factors: Factor[] } => ({
  base: 100,
  factors: [
    { name: 'confidence', value: confidencePpm / PPM },
    { name: 'role', value: rolePpm / PPM },
  ],
  weight: weightPpm / PPM,
})

/** The lowest limit that lowers the points names the reason; null stands for no limit. Hundredths. */
export function limited(
  hundredths: number,
  limits: readonly (readonly [CappedBy, number | null])[],
): { readonly hundredths: number; readonly cappedBy: CappedBy | null } {
  let found: { hundredths: number; cappedBy: CappedBy | null } = { hundredths, cappedBy: null }
  for (const [cappedBy, limit] of limits)
    if (limit !== null && limit < found.hundredths) found = { hundredths: limit, cappedBy }
  return found
}

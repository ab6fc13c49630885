/** How the points of an evidence item come about, in one line: base × factors, then a limit or a minimum, then the weight. */
import type { Evidence } from '@cupel/contracts'
import { en, type Strings } from './strings.en.js'
import { nameOf, wordsOf } from './writing.js'

/** Null for an item that does not count. */
export function pointsText(item: Evidence, strings: Strings = en): string | null {
  const { base, factors, weight, capped_by, contribution } = item
  if (base === null || weight === null) return null
  const { points } = strings
  const product = factors.reduce((sum, { value }) => sum * value, base) * weight
  const isRaised = capped_by === null && contribution > product + ROUNDING
  return [
    points.base(String(base)),
    ...factors.map(({ name, value }) => points.times(String(value), nameOf(points.factors, name))),
    ...(capped_by === null ? [] : [`(${limitText(capped_by, strings)})`]),
    ...(isRaised ? [`(${points.raised})`] : []),
    points.weight(String(weight)),
    points.result(String(contribution)),
  ].join(' ')
}

/** Why the points are limited. */
export const limitText = (cappedBy: string, strings: Strings = en): string =>
  wordsOf(strings.points.limits, cappedBy, strings)

/** Points are rounded twice, to hundredths. */
const ROUNDING = 0.02

/**
 * A second calculation of exposure, written from the rules alone and without code of the product; points are fractions. Slow
 * on purpose. If it and the product differ, one of them is wrong.
 */
import { divided, type ReferenceBreakdown } from './reference-breakdown.js'
import {
  counts,
  scaled,
  sharesOf,
  stepsOf,
  sumOrNull,
  taintOf,
  valueOf,
  type Found,
  type ReferenceCase,
  type ReferenceShare,
  type ReferenceTransfer,
} from './reference-case.js'
import { isCertain, timeline } from './reference-order.js'
import { halfUp, pointsOf, weightedOf } from './reference-points.js'
import { partsThrough, type Part, type ReferenceSource } from './reference-taint.js'

export interface ReferenceMeasure {
  readonly amount: bigint
  readonly wholeAmount: bigint
  readonly provenAmount: bigint
  readonly microUsd: bigint | null
  readonly total: bigint
  readonly totalComplete: boolean
  readonly confidencePpm: number
  readonly transfers: number
  readonly firstAt: number | null
  readonly lastAt: number | null
  readonly counterparties: ReadonlyMap<string, ReferenceShare>
  readonly hundredths: number
  /** Weighted, in hundredths. */
  readonly contribution: number
}

export interface ReferenceExposure {
  /** Keys are `category/subcategory relation direction weak pre group`. */
  readonly measures: ReadonlyMap<string, ReferenceMeasure>
  /** Keys are `direction group`. */
  readonly breakdown: ReadonlyMap<string, ReferenceBreakdown>
  /** The reasons why the history is not complete. */
  readonly incomplete: readonly string[]
}

const SEVERE = ['ransomware', 'terrorist_financing', 'csam']
const COINJOIN = 'coinjoin'

export function referenceExposure(given: ReferenceCase): ReferenceExposure {
  const measures = new Map<string, ReferenceMeasure>()
  const breakdown = new Map<string, ReferenceBreakdown>()
  const spheres: Sphere[] = []
  const counted = given.transfers.filter((one) => counts(given, one) && given.ownIds.includes(one.id))
  const incomplete = reasonsAgainst(given, counted)
  const isComplete =
    !given.truncated && incomplete.every((reason) => [EXECUTION, ORDER, FUNDS].includes(reason))
  for (const group of new Set(Object.values(given.assets).map((asset) => asset.group)))
    for (const direction of ['in', 'out'] as const) {
      const own = counted.filter(
        (one) =>
          given.assets[one.asset]!.group === group &&
          (direction === 'in' ? one.to : one.from) === given.screened,
      )
      const uncounted = uncountedOf(given).filter(
        (one) =>
          given.assets[one.asset]!.group === group && (direction === 'in') === (one.to === given.screened),
      )
      if (uncounted.length > 0)
        breakdown.set(`${direction} ${group}`, divided(given, own, direction, isComplete, uncounted))
      if (own.length === 0) continue
      const total = own.reduce((sum, one) => sum + scaled(given, one), 0n)
      const found = own.flatMap((one) => foundFor(given, one, direction))
      breakdown.set(`${direction} ${group}`, divided(given, own, direction, isComplete, uncounted))
      spheres.push({ group, direction, total, isComplete, found })
    }
  const enough = enoughOf(given, spheres)
  for (const sphere of spheres) measure(given, sphere, enough, measures)
  return { measures, breakdown, incomplete }
}

const EXECUTION = 'execution_unknown'
const ORDER = 'unknown_order'
const FUNDS = 'intermediary_shortfall'

function reasonsAgainst(given: ReferenceCase, own: readonly ReferenceTransfer[]): readonly string[] {
  // If no range of a kind is declared at all, that reason is given instead.
  const isOutside = own.some(
    ({ block, asset }) =>
      block === null &&
      !given.undeclared.includes('range_in_future') &&
      !(asset !== '' && given.undeclared.includes('no_tokens')),
  )
  const reasons = new Set(given.undeclared)
  if (isOutside) reasons.add('range_gap')
  // The sums of a truncated history need not match.
  if (!given.truncated && hasShortfall(given)) reasons.add('shortfall')
  if (uncountedOf(given).length > 0) reasons.add('uncounted_value')
  if (own.some(({ proven }) => !proven)) reasons.add(EXECUTION)
  const mayHide = (asset: string): boolean =>
    mayHideOrder(given, asset, 'in') || mayHideOrder(given, asset, 'out')
  if (Object.keys(given.assets).some(mayHide)) reasons.add(ORDER)
  if (reasons.size === 0 && !given.truncated && mayHideFunds(given)) reasons.add(FUNDS)
  return [...reasons].sort()
}

/** Own transfers that change a balance and have no counterparty: made, destroyed, or of an unknown side. */
const uncountedOf = (given: ReferenceCase): readonly ReferenceTransfer[] =>
  given.transfers.filter(
    (one) =>
      given.ownIds.includes(one.id) &&
      one.amount > 0n &&
      one.from !== one.to &&
      given.assets[one.asset] !== undefined &&
      !counts(given, one),
  )

/** A path leads through an address with an uncertain order, and value of an illicit source came to that address. */
function mayHideOrder(given: ReferenceCase, asset: string, direction: 'in' | 'out'): boolean {
  const steps = stepsOf(given, asset, direction)
  const into = (at: string): readonly string[] => [
    ...new Set(steps.filter(({ to, from }) => to === at && from !== given.screened).map(({ from }) => from)),
  ]
  const isTainted = (at: string, depth: number): boolean =>
    steps.some(
      (one) =>
        one.to === at &&
        one.from !== given.screened &&
        ((given.sources[one.from] ?? []).length > 0 ||
          (depth > 1 &&
            given.followed.includes(one.from) &&
            partsThrough({ ...given, transfers: steps }, direction, one, depth - 1).length > 0)),
    )
  const hides = (at: string, depth: number): boolean =>
    given.followed.includes(at) &&
    ((isTainted(at, depth) && !isCertain(steps.filter(({ from, to }) => from === at || to === at))) ||
      (depth > 1 && into(at).some((from) => hides(from, depth - 1))))
  const own = steps.filter(({ to, id }) => to === given.screened && given.ownIds.includes(id))
  return given.hops > 1 && own.some(({ from }) => hides(from, given.hops - 1))
}

/** At some point of its timeline the screened address had sent more than it had received. Burnt value counts as held. */
function hasShortfall(given: ReferenceCase): boolean {
  return Object.keys(given.assets).some((asset) => {
    const own = given.transfers.filter(
      (one) => one.asset === asset && one.amount > 0n && one.from !== one.to && given.ownIds.includes(one.id),
    )
    let balance = 0n
    return timeline(own, given.screened).some((one) => {
      balance += one.to === given.screened ? one.amount : -one.amount
      return balance < 0n
    })
  })
}

/** Value came over an address that sent more than it had received. */
function mayHideFunds(given: ReferenceCase): boolean {
  return Object.keys(given.assets).some((asset) => {
    const moved = given.transfers.filter(
      (one) => one.asset === asset && one.amount > 0n && one.from !== one.to,
    )
    const lacks = (at: string): boolean => {
      let balance = 0n
      const touching = moved.filter(({ from, to }) => from === at || to === at)
      return timeline(touching, at).some((one) => {
        balance += one.to === at ? one.amount : -one.amount
        return balance < 0n
      })
    }
    const hides = (at: string, depth: number): boolean =>
      depth > 0 &&
      at !== given.screened &&
      given.followed.includes(at) &&
      (lacks(at) || moved.some(({ from, to }) => to === at && hides(from, depth - 1)))
    return moved.some(
      ({ id, from, to }) => to === given.screened && given.ownIds.includes(id) && hides(from, given.hops - 1),
    )
  })
}

interface Standing {
  readonly part: Part
  readonly source: ReferenceSource
}

/** The targets of one own transfer: labelled counterparties, hubs, and the value that came through followed addresses. */
function foundFor(given: ReferenceCase, one: ReferenceTransfer, direction: 'in' | 'out'): readonly Found[] {
  const other = direction === 'in' ? one.from : one.to
  const parts = partsOf(given, one, direction)
  const byKey = new Map<string, Standing[]>()
  for (const part of parts)
    for (const source of sourcesOf(given, part)) {
      const key = `${source.category} ${part.route.length === 1 ? 'direct' : 'indirect'}`
      byKey.set(key, [...(byKey.get(key) ?? []), { part, source }])
    }
  const standing = [...byKey].flatMap(([key, found]) =>
    given.method === 'poison' && key.endsWith('indirect') ? [surest(found)] : found,
  )
  const hub: Standing[] = given.hubs.includes(other)
    ? [{ part: parts[0]!, source: { category: 'unattributed', subcategory: '', ppm: 0, designatedAt: null } }]
    : []
  return [...standing, ...hub].map(({ part, source }): Found => ({
    ...source,
    relation: part.route.length === 1 ? 'direct' : 'indirect',
    source: part.route[0]!,
    amount: part.amount * given.assets[one.asset]!.scale,
    microUsd: valueOf(given, one, part.amount),
    proven: part.proven,
    of: one,
  }))
}

/** The transfer itself, and the parts of it that came through its counterparty. */
function partsOf(given: ReferenceCase, one: ReferenceTransfer, direction: 'in' | 'out'): readonly Part[] {
  const other = direction === 'in' ? one.from : one.to
  const itself: Part = { route: [other], proven: one.proven, amount: one.amount }
  const taint = taintOf(given, one, direction)
  return taint === null ? [itself] : [itself, ...partsThrough(taint, direction, taint.last, given.hops - 1)]
}

/** The illicit sources at the start of a route, unless another address of the category stands between. */
function sourcesOf(given: ReferenceCase, { route }: Part): readonly ReferenceSource[] {
  const isSure = (at: string, category: string): boolean =>
    (given.sources[at] ?? []).some((one) => one.category === category && one.ppm >= 500_000)
  return (given.sources[route[0]!] ?? []).filter(
    ({ category }) => !route.slice(1).some((at) => isSure(at, category)),
  )
}

/** A CoinJoin comes after every sure source: a known source says more than the fact that value was mixed. */
function surest(found: readonly Standing[]): Standing {
  const sign = ({ proven, route }: Part): string => `${proven ? '+' : '-'}${route.join(' ')}`
  const isKnown = ({ subcategory, ppm }: ReferenceSource): boolean =>
    subcategory !== COINJOIN && ppm >= 500_000
  return [...found].sort(
    (a, b) =>
      Number(isKnown(b.source)) - Number(isKnown(a.source)) ||
      b.source.ppm - a.source.ppm ||
      Number(b.part.proven) - Number(a.part.proven) ||
      (sign(a.part) < sign(b.part) ? -1 : 1),
  )[0]!
}

interface Sphere {
  readonly group: string
  readonly direction: 'in' | 'out'
  readonly total: bigint
  readonly isComplete: boolean
  readonly found: readonly Found[]
}

const wholeOf = (row: string): string => row.replace(/\/\w*/, '')

/** The kinds of which dust or more came in over all assets, each asset in millionths of its own dust. */
function enoughOf(given: ReferenceCase, spheres: readonly Sphere[]): ReadonlySet<string> {
  const millionths = new Map<string, bigint>()
  for (const { group, direction, found } of spheres) {
    const kinds = new Set(found.map((one) => wholeOf(fullRowOf(one, direction))))
    for (const kind of kinds) {
      const whole = sumOf(found.filter((one) => wholeOf(fullRowOf(one, direction)) === kind))
      millionths.set(kind, (millionths.get(kind) ?? 0n) + (whole * 1_000_000n) / given.dust[group]!)
    }
  }
  return new Set([...millionths].flatMap(([kind, sum]) => (sum >= 1_000_000n ? [kind] : [])))
}

function measure(
  given: ReferenceCase,
  { group, direction, total, isComplete, found }: Sphere,
  enough: ReadonlySet<string>,
  measures: Map<string, ReferenceMeasure>,
): void {
  const rows = new Map<string, Found[]>()
  for (const one of found) {
    const row = fullRowOf(one, direction)
    rows.set(row, [...(rows.get(row) ?? []), one])
  }
  for (const [row, all] of rows) {
    const wholeAmount = sumOf(
      [...rows].filter(([other]) => wholeOf(other) === wholeOf(row)).flatMap(([, one]) => one),
    )
    for (const pre of [false, true]) {
      const parts = all.filter((one) => isBeforeDesignation(one) === pre)
      if (parts.length === 0) continue
      const isEnough = enough.has(wholeOf(row))
      const [every, proven] = [mean(parts), mean(parts.filter((one) => one.proven))]
      const asked = { row, pre, total, isComplete, wholeAmount, dust: given.dust[group]!, isEnough }
      // Direct dealings with sanctioned parties contradict a clean service, and keep their points.
      const hundredths =
        given.isCleanService && !/^sanctions\/\w* direct /.test(row)
          ? 0
          : pointsOf({ ...asked, weights: given.weights }, every, proven)
      const times = parts.map(({ of }) => of.time)
      const known = times.includes(null) ? [null] : (times as number[])
      measures.set(`${row} ${pre} ${group}`, {
        amount: every.amount,
        wholeAmount,
        provenAmount: proven.amount,
        microUsd: parts.map((one) => one.microUsd).reduce(sumOrNull, 0n),
        total,
        totalComplete: isComplete,
        confidencePpm: every.ppm,
        transfers: new Set(parts.map(({ of }) => of.id)).size,
        firstAt: known[0] === null ? null : Math.min(...(known as number[])),
        lastAt: known[0] === null ? null : Math.max(...(known as number[])),
        counterparties: sharesOf(parts),
        hundredths,
        contribution: weightedOf(hundredths, given.weights[parts[0]!.category] ?? 0),
      })
    }
  }
}

const fullRowOf = (one: Found, direction: string): string => `${rowOf(one)} ${direction} ${one.ppm < 500_000}`

/** Severe kinds and CoinJoins are measured separately. */
const rowOf = ({ category, subcategory, relation, ppm }: Found): string =>
  `${category}/${ppm >= 500_000 && [...SEVERE, COINJOIN].includes(subcategory) ? subcategory : ''} ${relation}`

const isBeforeDesignation = ({ category, designatedAt, of }: Found): boolean =>
  category === 'sanctions' && designatedAt !== null && of.time !== null && of.time < designatedAt

const sumOf = (parts: readonly Found[]): bigint => parts.reduce((sum, { amount }) => sum + amount, 0n)

function mean(parts: readonly Found[]): { amount: bigint; ppm: number } {
  const amount = sumOf(parts)
  const weight = parts.reduce((sum, part) => sum + part.amount * BigInt(part.ppm), 0n)
  return { amount, ppm: amount === 0n ? 0 : halfUp(weight, amount) }
}

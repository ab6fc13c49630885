/**
 * A second calculation of exposure, written only from the rules and without code of the product; points are fractions. Slow
 * on purpose. If it and the product differ, one of them is wrong.
 */
import { divided, type ReferenceBreakdown } from './reference-breakdown.js'
import {
  counts,
  followedAs,
  isOwnOf,
  numberOf,
  scaled,
  sharesOf,
  sumOrNull,
  taintOf,
  valueOf,
  type Found,
  type ReferenceCase,
  type ReferenceShare,
  type ReferenceTransfer,
} from './reference-case.js'
import { netsOf, ofItems, reasonsAgainst, uncountedOf } from './reference-history.js'
import { halfUp, NOTHING, pointsOf, weightedOf } from './reference-points.js'
import { partsThrough, sourceOf, type Part, type ReferenceSource } from './reference-taint.js'

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
  /** The cap, in points, and why the points were limited; null if it does not count. */
  readonly base: number | null
  readonly cappedBy: string | null
  /** Weighted, in hundredths. */
  readonly contribution: number
}

export interface ReferenceExposure {
  /** Keys are `category/subcategory relation direction weak pre cluster historical group`. */
  readonly measures: ReadonlyMap<string, ReferenceMeasure>
  /** Keys are `direction group`. */
  readonly breakdown: ReadonlyMap<string, ReferenceBreakdown>
  /** The reasons why the history is not complete. */
  readonly incomplete: readonly string[]
  /** What transfers explain of each asset; empty if not all were read. */
  readonly nets: ReadonlyMap<string, bigint>
}

const SEVERE = ['ransomware', 'terrorist_financing', 'csam']
const COINJOIN = 'coinjoin'

export function referenceExposure(given: ReferenceCase): ReferenceExposure {
  const measures = new Map<string, ReferenceMeasure>()
  const breakdown = new Map<string, ReferenceBreakdown>()
  const spheres: Sphere[] = []
  const counted = [...given.transfers, ...given.bundles].filter(
    (one) => counts(given, one) && isOwnOf(given, one),
  )
  const incomplete = reasonsAgainst(given, counted)
  const isComplete = !given.truncated && incomplete.every((reason) => ofItems.includes(reason))
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
  for (const [key, flow] of unknownFlowsOf(given, isComplete)) breakdown.set(key, flow)
  const enough = enoughOf(given, spheres)
  for (const sphere of spheres) measure(given, sphere, enough, measures)
  return { measures, breakdown, incomplete, nets: given.truncated ? new Map() : netsOf(given) }
}

/** All tokens outside the table are uncounted; nothing is known of their value. */
function unknownFlowsOf(
  { unknownTokens, screened }: ReferenceCase,
  isComplete: boolean,
): ReadonlyMap<string, ReferenceBreakdown> {
  const flows = new Map<string, Piece[]>()
  for (const { direction, contract, counterparty: source, amount, transfers } of unknownTokens) {
    const of = { ...unplaced, from: source, to: screened, amount, bundle: { transfers, firstTime: null } }
    const key = `${direction} ${contract}`
    flows.set(key, [...(flows.get(key) ?? []), { source, amount, microUsd: null, of }])
  }
  return new Map(
    [...flows].map(([key, pieces]) => {
      const amount = pieces.reduce((sum, one) => sum + one.amount, 0n)
      const whole = { amount, microUsd: null, counterparties: sharesOf(pieces) }
      return [key, { total: amount, microUsd: null, isComplete, parts: new Map([['uncounted ', whole]]) }]
    }),
  )
}

type Piece = Parameters<typeof sharesOf>[0][number]
const unplaced = {
  ...{ id: '', hash: '', asset: '', proven: true, coinJoin: false },
  ...{ block: null, index: null, position: null, time: null, day: null },
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
  const issued = (given.sources[followedAs(given, one)] ?? [])
    .filter((source) => one.asset !== '' && !standing.some((known) => isOneKind(known, source)))
    .map((source): Standing => ({
      part: { route: [one.asset], proven: one.proven, amount: one.amount },
      source,
    }))
  const hub: Standing[] = given.hubs.includes(other)
    ? [{ part: parts[0]!, source: { category: 'unattributed', subcategory: '', ppm: 0, designatedAt: null } }]
    : []
  return [...standing, ...issued, ...hub].map(({ part, source }): Found => ({
    ...source,
    relation: part.route.length === 1 ? 'direct' : 'indirect',
    source: part.route[0]!,
    amount: part.amount * given.assets[one.asset]!.scale,
    microUsd: valueOf(given, one, part.amount),
    proven: part.proven,
    of: one,
  }))
}

/** The counterparty is a direct source of the category as well, sure or not: value counts once. */
const isOneKind = ({ part, source }: Standing, other: ReferenceSource): boolean =>
  part.route.length === 1 &&
  source.category === other.category &&
  source.ppm >= 500_000 === other.ppm >= 500_000

/** The transfer itself, and the parts of it that came through its counterparty. */
function partsOf(given: ReferenceCase, one: ReferenceTransfer, direction: 'in' | 'out'): readonly Part[] {
  const other = direction === 'in' ? one.from : one.to
  const at = one.bundle === undefined ? one : { ...one, firstTime: one.bundle.firstTime }
  const itself: Part = { route: [sourceOf(given, other, at)], proven: one.proven, amount: one.amount }
  const taint = taintOf(given, one, direction)
  return taint === null ? [itself] : [itself, ...partsThrough(taint, direction, taint.last, given.hops - 1)]
}

/** The illicit sources at the start of a route, unless another address of the category stands between. */
function sourcesOf(given: ReferenceCase, { route }: Part): readonly ReferenceSource[] {
  const isSure = (at: string, category: string): boolean =>
    (given.sources[at] ?? []).some((one) => one.category === category && one.ppm >= 500_000)
  return (given.sources[route[0]!] ?? []).filter(
    ({ category }) =>
      (category === 'sanctions' || !route.slice(1).includes('j')) &&
      !route.slice(1).some((at) => isSure(at, category)),
  )
}

/** A CoinJoin comes after every sure source: a known source says more than the fact that value was mixed. */
function surest(found: readonly Standing[]): Standing {
  const sign = ({ proven, route }: Part): string => `${proven ? '+' : '-'}${route.join(' ')}`
  const rank = ({ subcategory, ppm, historical }: ReferenceSource): number =>
    subcategory === COINJOIN || ppm < 500_000 ? 0 : historical === true ? 1 : 2
  return [...found].sort(
    (a, b) =>
      rank(b.source) - rank(a.source) ||
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
    for (const [pre, cluster, historical] of everyFlag) {
      const parts = all.filter(
        (one) =>
          isBeforeDesignation(one) === pre &&
          (one.cluster === true) === cluster &&
          (one.historical === true) === historical,
      )
      if (parts.length === 0) continue
      const isEnough = enough.has(wholeOf(row))
      const [every, proven] = [mean(parts), mean(parts.filter((one) => one.proven))]
      const asked = {
        row,
        pre,
        cluster,
        historical,
        total,
        isComplete,
        wholeAmount,
        dust: given.dust[group]!,
        isEnough,
      }
      // Direct dealings with sanctioned parties contradict a clean service, and keep their points.
      const { hundredths, base, cappedBy } =
        given.isCleanService && !/^sanctions\/\w* direct /.test(row)
          ? NOTHING
          : pointsOf({ ...asked, weights: given.weights }, every, proven)
      const times = parts.flatMap(({ of: { time, bundle } }) => [
        time,
        ...(bundle === undefined ? [] : [bundle.firstTime]),
      ])
      const known = times.includes(null) ? [null] : (times as number[])
      measures.set(`${row} ${pre} ${cluster} ${historical} ${group}`, {
        amount: every.amount,
        wholeAmount,
        provenAmount: proven.amount,
        microUsd: parts.map((one) => one.microUsd).reduce(sumOrNull, 0n),
        total,
        totalComplete: isComplete,
        confidencePpm: every.ppm,
        transfers: numberOf(new Set(parts.map(({ of }) => of))),
        firstAt: known[0] === null ? null : Math.min(...(known as number[])),
        lastAt: known[0] === null ? null : Math.max(...(known as number[])),
        counterparties: sharesOf(parts),
        ...{ hundredths, base, cappedBy },
        contribution: weightedOf(hundredths, given.weights[parts[0]!.category] ?? 0),
      })
    }
  }
}

const everyFlag = [false, true].flatMap((pre) =>
  [false, true].flatMap((cluster) => [false, true].map((historical) => [pre, cluster, historical] as const)),
)

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

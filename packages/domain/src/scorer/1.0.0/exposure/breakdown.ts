/**
 * Divides all value of an address by what it is attributed to. Each transfer is divided once, so the parts add up to the total
 * exactly (docs/exposure.md tells in which order).
 */
import type { ExposureBreakdown, ExposurePart } from '@cupel/contracts'
import type { MeasuredAsset } from '../tables/asset-table.js'
import type { Category, RiskCategory } from '../vocabulary.js'
import { isCoinJoinNode, type Attribution, type CleanAttribution, type SourceAttribution } from './attribution.js'
import { UNATTRIBUTED } from './measures.js'
import { addedValue, type Valuation } from './prices.js'
import { routeText, type Route } from './route.js'
import type { Steps } from './steps.js'
import { addTo, emptyTally, listed, listedOfEach, textOf, type Tally } from './tally.js'
import type { Lot } from './taint.js'
import type { Direction } from './trace-routes.js'
import { ISSUANCE, type Transfer } from './transfer.js'
import type { UnknownTokens } from './unknown-tokens.js'

/** A value with several attributions is shown under the first of these. */
const leadingOrder = [
  'sanctions',
  'darknet',
  'stolen',
  'scam',
  'mixer',
  'clean_exchange',
] as const satisfies readonly Category[]

/** An unlabelled hub. */
const SERVICE = 'service'

/** Value that was made or destroyed, whose other side is not known, or of a token outside the asset table. */
const UNCOUNTED = 'uncounted'

type Attributed = SourceAttribution | CleanAttribution

/** What a transfer of the address is divided by. */
export interface DividedTransfer {
  readonly transfer: Transfer
  readonly counterparty: string
  readonly attribution: Pick<Attribution, 'sources' | 'clean'>
  /** The counterparty is an unlabelled hub or contract, at which paths ended. */
  readonly isHub: boolean
  /** Parts that came through the counterparty, or went through it. */
  readonly lots: readonly Lot<Route>[]
}

interface Flow {
  readonly direction: Direction
  readonly asset: MeasuredAsset
  readonly parts: Map<string, Part>
}

interface Part {
  readonly category: string
  readonly relation: string
  readonly tallies: Map<string, Tally>
}

/** The illicit sources of a route that no source on the way stands for. */
export type SourcesOfRoute = (route: Route) => readonly SourceAttribution[]

export interface FlowOptions {
  readonly direction: Direction
  readonly asset: MeasuredAsset
  readonly valuation: Valuation
  readonly sourcesOfRoute: SourcesOfRoute
  readonly attributionOf: (address: string) => Attribution
  /** Attributions below do not name a value. */
  readonly leastPpm: number
}

export function createBreakdown() {
  const flows = new Map<string, Flow>()

  function partsOf(direction: Direction, asset: MeasuredAsset): Map<string, Part> {
    const key = JSON.stringify([asset.contract, direction])
    let flow = flows.get(key)
    if (flow === undefined) flows.set(key, (flow = { direction, asset, parts: new Map() }))
    return flow.parts
  }

  /** Divides transfers of one direction and contract. */
  function flowOf(options: FlowOptions): { divide(one: DividedTransfer): void } {
    const { direction, asset, valuation } = options
    const parts = partsOf(direction, asset)
    const remembered = new Map<readonly Route[], Found | null>()
    const leadingOfLot = ({ routes }: Lot<Route>): Found | null => {
      let found = remembered.get(routes)
      if (found === undefined) remembered.set(routes, (found = leadingOfRoutes(routes, options)))
      return found
    }

    function put(transfer: Transfer, amount: bigint, { category, relation, address, entity }: Place): void {
      const tally = tallyOf(parts, { category, relation, address, entity })
      addTo(tally, amount * asset.factor, valuation(amount, transfer), transfer)
    }

    return {
      divide({ transfer, counterparty, attribution, isHub, lots }) {
        const leading = leadingOf([...attribution.sources, attribution.clean], options.leastPpm)
        if (leading !== null) {
          const { category, label } = leading
          const entity = label?.entity ?? ''
          put(transfer, transfer.amount, { category, relation: 'direct', address: counterparty, entity })
          return
        }
        if (counterparty === ISSUANCE || isHub) {
          const category = isHub ? SERVICE : ISSUANCE
          const place = { category, relation: 'direct', address: counterparty, entity: '' }
          put(transfer, transfer.amount, place)
          return
        }
        let rest = transfer.amount
        for (const { found, amount } of takenFrom(rest, attributedParts(lots, leadingOfLot, rest))) {
          rest -= amount
          put(transfer, amount, found)
        }
        if (rest > 0n)
          put(transfer, rest, { category: UNATTRIBUTED, relation: '', address: counterparty, entity: '' })
      },
    }
  }

  return {
    flowOf,
    ...uncountedInto(partsOf),
    /** By asset and direction; T of one is complete where that of all is. */
    *list(totalComplete: boolean): Steps<readonly ExposureBreakdown[]> {
      const sorted = [...flows].filter(([, { parts }]) => parts.size > 0).sort(([a], [b]) => (a < b ? -1 : 1))
      const limit = listedOfEach(sorted.reduce((count, [, { parts }]) => count + parts.size, 0))
      const breakdown: ExposureBreakdown[] = []
      for (const [, flow] of sorted) {
        yield
        breakdown.push(breakdownOf(flow, totalComplete, limit))
      }
      return breakdown
    },
  }
}

/** Adds value that is no edge between two counterparties. */
function uncountedInto(partsOf: (direction: Direction, asset: MeasuredAsset) => Map<string, Part>) {
  const tallyFor = (direction: Direction, asset: MeasuredAsset, address: string): Tally =>
    tallyOf(partsOf(direction, asset), { category: UNCOUNTED, relation: '', address, entity: '' })
  return {
    addUncounted(transfer: Transfer, { direction, asset, valuation }: UncountedOptions): void {
      const tally = tallyFor(direction, asset, direction === 'in' ? transfer.from : transfer.to)
      addTo(tally, transfer.amount * asset.factor, valuation(transfer.amount, transfer), transfer)
    },
    /** Nothing is known of the token but its contract, so its amount is in base units. */
    addUnknownTokens({ direction, contract, counterparty, amount, transfers }: UnknownTokens): void {
      const asset = { chain: '', contract, symbol: contract, decimals: 0, dust: 0n, factor: 1n }
      const tally = tallyFor(direction, asset, counterparty)
      tally.amount += amount
      tally.microUsd = null
      tally.transfers += transfers
    },
  }
}

type UncountedOptions = Pick<FlowOptions, 'direction' | 'asset' | 'valuation'>

function tallyOf(parts: Map<string, Part>, { category, relation, address, entity }: Place): Tally {
  const partKey = `${category} ${relation}`
  let part = parts.get(partKey)
  if (part === undefined) parts.set(partKey, (part = { category, relation, tallies: new Map() }))
  let tally = part.tallies.get(address)
  if (tally === undefined) part.tallies.set(address, (tally = emptyTally(entity)))
  return tally
}

interface Place {
  readonly category: string
  readonly relation: string
  readonly address: string
  readonly entity: string
}

/** The source that a part of a transfer is attributed to. */
interface Found extends Place {
  readonly order: number
  readonly confidencePpm: number
  readonly route: Route
}

/** Of attributions that are sure enough, the one in the leading category; null without any. */
function leadingOf(attributed: readonly (Attributed | null)[], leastPpm: number): Attributed | null {
  let leading: Attributed | null = null
  for (const one of attributed) {
    if (one === null || one.confidencePpm < leastPpm) continue
    if (leading === null || orderOf(one) < orderOf(leading)) leading = one
  }
  return leading
}

const orderOf = ({ category }: { readonly category: RiskCategory | 'clean_exchange' }): number =>
  leadingOrder.indexOf(category)

/** The source of these routes that leads: by category, then the surest. */
function leadingOfRoutes(
  routes: readonly Route[],
  { sourcesOfRoute, attributionOf, leastPpm }: FlowOptions,
): Found | null {
  let best: Found | null = null
  for (const route of routes) {
    // As for the other categories, a clean service on the way stands for what came through it.
    const isShadowed = route.between.some(
      (at) => isCoinJoinNode(at) || (attributionOf(at).clean?.confidencePpm ?? 0) >= leastPpm,
    )
    const clean = isShadowed ? null : attributionOf(route.sourceAddress).clean
    const leading = leadingOf([...sourcesOfRoute(route), clean], leastPpm)
    if (leading === null) continue
    const { category, confidencePpm, label } = leading
    const found: Found = {
      category,
      relation: 'indirect',
      address: route.sourceAddress,
      entity: label?.entity ?? '',
      order: orderOf(leading),
      confidencePpm,
      route,
    }
    if (best === null || compareFound(found, best) < 0) best = found
  }
  return best
}

const compareFound = (a: Found, b: Found): number =>
  a.order - b.order ||
  b.confidencePpm - a.confidencePpm ||
  Number(b.route.proven) - Number(a.route.proven) ||
  (routeText(a.route) < routeText(b.route) ? -1 : 1)

/** Attributed parts in the order in which they take from a transfer. Only where they are more than it does the order matter. */
function attributedParts(
  lots: readonly Lot<Route>[],
  leadingOfLot: (lot: Lot<Route>) => Found | null,
  whole: bigint,
) {
  const parts: AttributedPart[] = []
  let sum = 0n
  for (const lot of lots) {
    const found = leadingOfLot(lot)
    if (found === null) continue
    parts.push({ found, amount: lot.amount })
    sum += lot.amount
  }
  return sum <= whole ? parts : parts.sort((a, b) => compareParts(a.found, b.found))
}

interface AttributedPart {
  readonly found: Found
  readonly amount: bigint
}

/** What each takes of a transfer, once for each category and source, so that its value in dollars is rounded once. */
function takenFrom(whole: bigint, parts: readonly AttributedPart[]): Iterable<AttributedPart> {
  const taken = new Map<string, AttributedPart>()
  let rest = whole
  for (const { found, amount } of parts) {
    const part = amount < rest ? amount : rest
    if (part === 0n) continue
    rest -= part
    const key = `${found.category} ${found.address}`
    const known = taken.get(key)
    taken.set(
      key,
      known === undefined ? { found, amount: part } : { found: known.found, amount: known.amount + part },
    )
  }
  return taken.values()
}

/** By category, then by route. */
function compareParts(a: Found, b: Found): number {
  if (a.order !== b.order || a.route === b.route) return a.order - b.order
  return routeText(a.route) < routeText(b.route) ? -1 : 1
}

function breakdownOf(
  { direction, asset, parts }: Flow,
  totalComplete: boolean,
  limit: number,
): ExposureBreakdown {
  const sums = [...parts.values()]
    .sort((a, b) => placeOf(a) - placeOf(b) || (a.relation < b.relation ? -1 : 1))
    .map(({ category, relation, tallies }) => {
      const all = [...tallies.values()]
      const amount = all.reduce((sum, one) => sum + one.amount, 0n)
      const microUsd = all.reduce<bigint | null>((sum, one) => addedValue(sum, one.microUsd), 0n)
      const { counterparties, omitted } = listed(tallies, limit)
      const part: ExposurePart = {
        category,
        relation,
        amount: amount.toString(),
        microUsd: textOf(microUsd),
        counterparties,
        counterpartiesOmitted: omitted,
      }
      return { part, amount, microUsd }
    })
  return {
    direction,
    asset: asset.symbol,
    contract: asset.contract,
    decimals: asset.decimals,
    total: sums.reduce((sum, { amount }) => sum + amount, 0n).toString(),
    microUsd: textOf(sums.reduce<bigint | null>((sum, one) => addedValue(sum, one.microUsd), 0n)),
    totalComplete,
    parts: sums.map(({ part }) => part),
  }
}

/** What a part of the value can be attributed to, in the order of a report. */
export const partCategories = [...leadingOrder, ISSUANCE, SERVICE, UNATTRIBUTED, UNCOUNTED] as const
export type PartCategory = (typeof partCategories)[number]
const placeOf = ({ category }: Part): number => (partCategories as readonly string[]).indexOf(category)

/** Attributes the transfers of an address in one asset and direction: to sources, for measures, and as a whole, for the breakdown. */
import type { ExposureCut } from '@cupel/contracts'
import { findAsset, measuredAs } from '../tables/asset-table.js'
import type { CompiledPolicy } from '../risk/policy.js'
import {
  COINJOIN,
  isCoinJoinNode,
  sourcesOf,
  wasDesignated,
  type Attribution,
  type SourceAttribution,
} from './attribution.js'
import type { createBreakdown, SourcesOfRoute } from './breakdown.js'
import type { Contribution, createMeasures } from './measures.js'
import { valuationOf, type PriceTable } from './prices.js'
import { routeText, type Route } from './route.js'
import { STEP_ITEMS, type Steps } from './steps.js'
import { taintOf, type Lot } from './taint.js'
import type { Timeline } from './timeline.js'
import { createTracer, stepsOfRoute, type Direction, type Tracer } from './trace-routes.js'
import type { Transfer } from './transfer.js'

/** What is the same for every asset and direction. */
export interface FlowContext {
  readonly chain: string
  readonly screened: string
  readonly followed: ReadonlySet<string>
  /** Unlabelled hubs and contracts at which paths ended. */
  readonly hubs: ReadonlySet<string>
  readonly prices: PriceTable | null
  readonly attributionOf: (address: string) => Attribution
  readonly policy: CompiledPolicy
  readonly measures: ReturnType<typeof createMeasures>
  readonly breakdown: ReturnType<typeof createBreakdown>
  /** Called where value of an illicit source was followed through transfers in unknown order. */
  readonly onUnknownOrder: () => void
}

/** Timelines of the addresses that are followed, in one asset. */
export interface Timelines {
  of(address: string): Steps<Timeline>
  /** Transfers of a timeline that was asked for before. */
  known(address: string): readonly Transfer[]
}

/** Cut reasons of addresses whose value is shown as unattributed. */
const hubReasons: ReadonlySet<string> = new Set(['hub', 'contract'])

export const hubsOf = (cut: readonly ExposureCut[]): ReadonlySet<string> =>
  new Set(cut.filter(({ reason }) => hubReasons.has(reason)).map(({ address }) => address))

type IsSure = (one: { readonly confidencePpm: number }) => boolean

interface Flow {
  readonly contract: string
  /** The address's own transfers of the contract. */
  readonly own: readonly Transfer[]
  readonly timelines: Timelines
}

/** Adds transfers of one contract to measures and breakdown. */
export function* attributeFlow(
  context: FlowContext,
  direction: Direction,
  { contract, own, timelines }: Flow,
): Steps<void> {
  const { screened, attributionOf, policy, measures, hubs } = context
  const { document, sourceConfidencePpm } = policy.exposure
  const counted = findAsset(context.chain, contract)!
  const asset = measuredAs(counted)
  const valuation = valuationOf(counted, context.prices)
  const isSure: IsSure = ({ confidencePpm }) => confidencePpm >= sourceConfidencePpm
  const sourcesOfRoute = createSourcesOfRoute(attributionOf, isSure)
  const tracer = tracerOf(context, direction, timelines, isSure)
  const options = {
    direction,
    asset,
    valuation,
    sourcesOfRoute,
    attributionOf,
    leastPpm: sourceConfidencePpm,
  }
  const flow = context.breakdown.flowOf(options)
  const directly: Contribution['stepsOf'] = (_route, transfer) => [transfer]
  const overHops: Contribution['stepsOf'] = (route, transfer) =>
    stepsOfRoute(route, transfer, direction, timelines.known)
  const add = (transfer: Transfer, { source, amount, route }: AttributedPart, isDirect: boolean): void =>
    measures.add({
      transfer,
      relation: isDirect ? 'direct' : 'indirect',
      source,
      isWeak: source === null || !isSure(source),
      amount,
      microUsd: valuation(amount, transfer),
      route,
      stepsOf: isDirect ? directly : overHops,
      asset,
      direction,
    })

  const issuer = contract === '' ? null : attributionOf(contract)
  for (let index = 0; index < own.length; index++) {
    if (index % STEP_ITEMS === 0) yield
    const transfer = own[index]!
    if ((direction === 'in' ? transfer.to : transfer.from) !== screened) continue
    const counterparty = direction === 'in' ? transfer.from : transfer.to
    const attribution = attributionOf(counterparty)
    const isHub = hubs.has(counterparty)
    const { amount } = transfer
    const route = tracer.directRoute(counterparty, transfer)
    const sources = sourcesOf(attribution, route.wasDesignated)
    for (const source of sources) add(transfer, { source, amount, route }, true)
    // Who issues an illicit token is behind all of it; value counts once in a category.
    if (issuer !== null) {
      const issued = tracer.directRoute(contract, transfer)
      for (const source of sourcesOf(issuer, issued.wasDesignated))
        if (!sources.some((one) => one.category === source.category && isSure(one) === isSure(source)))
          add(transfer, { source, amount, route: issued }, true)
    }
    if (isHub) add(transfer, { source: null, amount, route }, true)

    const lots = yield* tracer.partsOf(transfer)
    flow.divide({ transfer, counterparty, attribution: { ...attribution, sources }, isHub, lots })
    if (lots.length === 0) continue
    const parts = attributedParts(lots, sourcesOfRoute)
    // Poison taints a transfer whole, however many sources it has.
    for (const part of document.method === 'poison' ? onePerCategory(parts, isSure) : parts)
      add(transfer, part, false)
    yield
  }
}

/** A part of a transfer by one route from one source; no source stands for an unlabelled hub. */
interface AttributedPart<Source = SourceAttribution | null> {
  readonly source: Source
  readonly amount: bigint
  readonly route: Route
}

type IllicitPart = AttributedPart<SourceAttribution>

/** The illicit parts of a transfer. */
function attributedParts(
  lots: readonly Lot<Route>[],
  sourcesOfRoute: SourcesOfRoute,
): readonly IllicitPart[] {
  const parts: IllicitPart[] = []
  for (const [route, amount] of taintOf(lots))
    for (const source of sourcesOfRoute(route)) parts.push({ source, amount, route })
  return parts
}

const tracerOf = (
  { screened, policy, followed, attributionOf, onUnknownOrder }: FlowContext,
  direction: Direction,
  timelines: Timelines,
  isSure: IsSure,
): Tracer =>
  createTracer({
    screened,
    direction,
    method: policy.exposure.document.method,
    hops: policy.exposure.document.hops,
    timelineOf: timelines.of,
    isSource: (at) => isAnySource(attributionOf(at), isSure),
    wasDesignated: (at, transfer) => wasDesignated(attributionOf(at), transfer),
    isFollowed: (at) => followed.has(at) && at !== screened,
    onUncertain(routes) {
      if (routes.some((route) => sourcesOf(attributionOf(route.sourceAddress), route.wasDesignated).length > 0))
        onUnknownOrder()
    },
  })

/** A clean service is followed too: the breakdown tells what came from it. */
const isAnySource = ({ sources, clean, past }: Attribution, isSure: IsSure): boolean =>
  sources.length > 0 || past !== null || (clean !== null && isSure(clean))

/** A sure source of the same category on the way stands for what came through it. */
function createSourcesOfRoute(
  attributionOf: (address: string) => Attribution,
  isSure: IsSure,
): SourcesOfRoute {
  const known = new Map<Route, readonly SourceAttribution[]>()
  const isShadowed = (category: string, between: readonly string[]): boolean =>
    between.some((at) => attributionOf(at).sources.some((one) => one.category === category && isSure(one)))
  return (route) => {
    let found = known.get(route)
    if (found === undefined) {
      // Behind a CoinJoin nobody is known, except for the share that designated participants put in.
      const isMixed = route.between.some(isCoinJoinNode)
      found = sourcesOf(attributionOf(route.sourceAddress), route.wasDesignated).filter(
        ({ category }) => (!isMixed || category === 'sanctions') && !isShadowed(category, route.between),
      )
      known.set(route, found)
    }
    return found
  }
}

/** Per category the surest of the sources stands for the transfer. */
function onePerCategory(found: readonly IllicitPart[], isSure: IsSure): readonly IllicitPart[] {
  const strongest = new Map<string, IllicitPart>()
  for (const one of found) {
    const known = strongest.get(one.source.category)
    if (known === undefined || isSurer(one, known, isSure)) strongest.set(one.source.category, one)
  }
  return [...strongest.values()]
}

/**
 * A CoinJoin stands behind every sure source, and a designation that ended behind the others of these: both are limited, and whoever is
 * known says more than that value was mixed.
 */
function isSurer(a: IllicitPart, b: IllicitPart, isSure: IsSure): boolean {
  const rankOf = ({ source }: IllicitPart): number =>
    source.subcategory === COINJOIN || !isSure(source) ? 0 : source.isHistorical === true ? 1 : 2
  const difference =
    rankOf(a) - rankOf(b) ||
    a.source.confidencePpm - b.source.confidencePpm ||
    Number(a.route.proven) - Number(b.route.proven)
  return difference > 0 || (difference === 0 && routeText(a.route) < routeText(b.route))
}

/**
 * Measures exposure on a neighbourhood of transfers: how much value of which asset moved between the screened address and
 * labelled ones, directly or over hops. Whole numbers only, and no clock but the report's own time.
 */
import type { ExposureCut, ExposureRecord } from '@cupel/contracts'
import { findAsset } from '../tables/asset-table.js'
import type { Attribution, SourceAttribution } from './attribution.js'
import {
  completeUpTo,
  historyKind,
  mergeRanges,
  recordedRange,
  type AssetTotals,
  type DeclaredRange,
} from './history.js'
import { createMeasures, type Contribution } from './measures.js'
import type { PriceTable } from './prices.js'
import { routeText, type Route } from './route.js'
import { finished, STEP_ITEMS, type Steps } from './steps.js'
import { taintOf } from './taint.js'
import { createTracer, stepsOfRoute, type Direction, type TraceOptions } from './trace-routes.js'
import {
  compareFor,
  createTextHash,
  edgesSha256,
  uncountedReason,
  type TextHash,
  type Transfer,
} from './transfer.js'
import type { CompiledPolicy } from '../risk/policy.js'

/** What was read of a ledger around one address. */
export interface Neighbourhood {
  readonly chain: string
  /** Canonical. */
  readonly address: string
  /** Names the state of the ledger. */
  readonly ledgerSeq: number
  /** Transfers of the address and of every address that is followed. */
  readonly transfers: readonly Transfer[]
  /** Addresses whose transfers were all read, so that paths may be followed through them. */
  readonly followed: readonly string[]
  /** Addresses at which paths ended, and why. */
  readonly cut: readonly ExposureCut[]
  /** Not every transfer of the address was read. */
  readonly truncated: boolean
  /** Ids of those that were, where others came with an address that is followed; absent: all. */
  readonly ownIds?: ReadonlySet<string>
  /** Declared for the chain, of the kinds native, internal and token. */
  readonly ranges: readonly DeclaredRange[]
  /** Daily prices; null where none were imported. */
  readonly prices: PriceTable | null
  /**
   * Of a chain with spent outputs: all outputs to the address less all inputs from it, over every transaction that the ledger
   * read, in base units of the native asset. Null where it is not known.
   */
  readonly netBaseUnits: bigint | null
}

export interface MeasureContext {
  readonly attributionOf: (address: string) => Attribution
  /** UTC, RFC 3339. */
  readonly generatedAt: string
  readonly policy: CompiledPolicy
  /** Hashes the transfers; a native implementation is many times faster. */
  readonly textHash?: TextHash
}

/** A hub has thousands of counterparties that are not followed; a record lists the first ones. */
const RECORDED_CUTS = 100

/** Cut reasons of addresses whose value is shown as unattributed. */
const unattributedCuts: ReadonlySet<string> = new Set(['hub', 'contract'])

/** Measures in one go. */
export const measureExposure = (neighbourhood: Neighbourhood, context: MeasureContext): ExposureRecord =>
  finished(measureInSteps(neighbourhood, context))

/** Measures in steps, each of them short whatever the neighbourhood's size. */
export function* measureInSteps(
  neighbourhood: Neighbourhood,
  context: MeasureContext,
): Steps<ExposureRecord> {
  const { document } = context.policy.exposure
  const { counted, own, byAsset } = yield* sortedOut(neighbourhood)
  yield
  const history = judgeHistory(neighbourhood, own, context)
  const measures = createMeasures({ limits: document.limits, totals: history.totals })
  for (const [contract, transfers] of byAsset) {
    const asset = findAsset(neighbourhood.chain, contract)!
    const transfersOf = yield* orderedByFollowed(neighbourhood, transfers)
    const ownOfAsset = own.filter((one) => one.contract === contract)
    for (const direction of ['in', 'out'] as const) {
      let items = 0
      for (const found of contributions({
        ...{ neighbourhood, own: ownOfAsset, transfersOf, direction, context },
      })) {
        if (found !== undefined) measures.add({ ...found, asset, direction })
        items += 1
        if (found === undefined || items % STEP_ITEMS === 0) yield
      }
    }
  }
  const ranOut = neighbourhood.cut.some(({ reason }) => reason === 'limit' || reason === 'too_many_transfers')
  const status = own.length === 0 ? 'absent' : 'examined'
  return {
    ...emptyExposure(status, { ledgerSeq: neighbourhood.ledgerSeq, policy: context.policy }),
    ranges: history.ranges.map(recordedRange),
    transfersExamined: counted.length,
    ownTransfers: own.length,
    hopsSearched: document.hops,
    truncated: neighbourhood.truncated || ranOut,
    historyComplete: history.isComplete,
    measures: yield* measures.list(),
    cut: neighbourhood.cut.slice(0, RECORDED_CUTS),
    cutOmitted: Math.max(0, neighbourhood.cut.length - RECORDED_CUTS),
    edgesSha256: yield* edgesSha256(counted, context.textHash ?? createTextHash()),
  }
}

/** The transfers that count, those of the address itself, and the first ones by asset. */
function* sortedOut({ chain, address, transfers, ownIds }: Neighbourhood) {
  const counted: Transfer[] = []
  const own: Transfer[] = []
  const byAsset = new Map<string, Transfer[]>()
  for (let index = 0; index < transfers.length; index++) {
    if (index % STEP_ITEMS === 0) yield
    const one = transfers[index]!
    if (uncountedReason(chain, one) !== null) continue
    counted.push(one)
    pushTo(byAsset, one.contract, one)
    if ((one.from === address || one.to === address) && (ownIds?.has(one.id) ?? true)) own.push(one)
  }
  return { counted, own, byAsset }
}

/** Transfers of one asset by the followed addresses that they touch, in the order in which each address saw them. */
function* orderedByFollowed({ followed }: Neighbourhood, transfers: readonly Transfer[]) {
  const byAddress = new Map<string, Transfer[]>(followed.map((one) => [one, []]))
  for (let index = 0; index < transfers.length; index++) {
    if (index % STEP_ITEMS === 0) yield
    const one = transfers[index]!
    byAddress.get(one.from)?.push(one)
    byAddress.get(one.to)?.push(one)
  }
  const ordered = new Set<string>()
  return (address: string): readonly Transfer[] => {
    const found = byAddress.get(address)
    if (found === undefined) return []
    if (!ordered.has(address)) {
      ordered.add(address)
      found.sort(compareFor(address))
    }
    return found
  }
}

/** The record of a stage that measured nothing: it came too late or failed. */
export function emptyExposure(
  status: 'examined' | 'absent' | 'late' | 'failed',
  {
    ledgerSeq,
    policy,
    error = '',
  }: { readonly ledgerSeq: number; readonly policy: CompiledPolicy; readonly error?: string },
): ExposureRecord {
  const { hops, method, limits } = policy.exposure.document
  return {
    status,
    ledgerSeq,
    method,
    limits: {
      hops,
      transfers: limits.transfers,
      intermediaries: limits.intermediaries,
      transfersPerIntermediary: limits.transfers_per_intermediary,
      transfersOfIntermediaries: limits.transfers_of_intermediaries,
      hubCounterparties: limits.hub_counterparties,
      paths: limits.paths,
    },
    ranges: [],
    transfersExamined: 0,
    ownTransfers: 0,
    hopsSearched: 0,
    truncated: false,
    historyComplete: false,
    incomplete: [],
    netBaseUnits: null,
    measures: [],
    breakdown: [],
    cut: [],
    cutOmitted: 0,
    edgesSha256: '',
    priceTableSha256: '',
    error,
  }
}

/** T of every asset and direction, and whether it covers the whole history. */
function judgeHistory(
  { address, ranges, truncated }: Neighbourhood,
  own: readonly Transfer[],
  { generatedAt, policy }: MeasureContext,
) {
  const merged = mergeRanges(ranges)
  const age = {
    generatedAtS: Date.parse(generatedAt) / 1_000,
    maxAgeHours: policy.exposure.document.history_max_age_hours,
  }
  const upTo = { native: completeUpTo(merged, 'native', age), token: completeUpTo(merged, 'token', age) }
  const isKnown = (one: Transfer): boolean => {
    const height = upTo[historyKind(one)]
    return height !== null && one.blockNumber !== null && one.blockNumber <= height
  }
  const totals = new Map<string, { total: bigint; isComplete: boolean }>()
  for (const one of own) {
    const key = `${one.to === address ? 'in' : 'out'} ${one.contract}`
    const known = totals.get(key) ?? { total: 0n, isComplete: !truncated && upTo[historyKind(one)] !== null }
    totals.set(key, {
      total: known.total + one.amount,
      isComplete: known.isComplete && isKnown(one),
    })
  }
  const lookUp: AssetTotals = (contract, direction) =>
    totals.get(`${direction} ${contract}`) ?? { total: 0n, isComplete: false }
  return {
    ranges: merged,
    totals: lookUp,
    isComplete:
      !truncated &&
      upTo.native !== null &&
      // Chains whose assets are the native one alone have no tokens to be declared.
      (upTo.token !== null || !hasTokens(own, ranges)) &&
      own.every((one) => isKnown(one) && one.proven),
  }
}

const hasTokens = (own: readonly Transfer[], ranges: readonly DeclaredRange[]): boolean =>
  own.some(({ contract }) => contract !== '') || ranges.some(({ kind }) => kind === 'token')

/**
 * Yields every part of the address's transfers of one asset that comes from, or goes to, a source. `undefined` is a pause
 * between two steps of work.
 */
function* contributions({
  neighbourhood: { address, followed, cut },
  own,
  transfersOf,
  direction,
  context: { attributionOf, policy },
}: {
  readonly neighbourhood: Neighbourhood
  /** Of one asset. */
  readonly own: readonly Transfer[]
  readonly transfersOf: TraceOptions['transfersOf']
  readonly direction: Direction
  readonly context: MeasureContext
}): Generator<Contribution | undefined, void> {
  const { document, sourceConfidencePpm } = policy.exposure
  const followedSet = new Set(followed)
  const unattributed = new Set(
    cut.filter(({ reason }) => unattributedCuts.has(reason)).map((one) => one.address),
  )
  const trace: TraceOptions = {
    screened: address,
    direction,
    method: document.method,
    hops: document.hops,
    transfersOf,
    isSource: (at) => attributionOf(at).sources.length > 0,
    isFollowed: (at) => followedSet.has(at) && at !== address,
  }
  const tracer = createTracer(trace)
  const isStrong = ({ confidencePpm }: SourceAttribution): boolean => confidencePpm >= sourceConfidencePpm
  /** A source of the same category on the way stands for what came through it. */
  const isShadowed = (category: string, between: readonly string[]): boolean =>
    between.some((at) => attributionOf(at).sources.some((one) => one.category === category && isStrong(one)))
  const sourcesOfRoute = remembering((route: Route) =>
    attributionOf(route.sourceAddress).sources.filter(({ category }) => !isShadowed(category, route.between)),
  )

  for (let index = 0; index < own.length; index++) {
    if (index % STEP_ITEMS === 0) yield
    const transfer = own[index]!
    if ((direction === 'in' ? transfer.to : transfer.from) !== address) continue
    const counterparty = direction === 'in' ? transfer.from : transfer.to
    const direct = (source: SourceAttribution | null): Contribution => ({
      transfer,
      relation: 'direct',
      source,
      isWeak: source === null || !isStrong(source),
      amount: transfer.amount,
      route: tracer.directRoute(counterparty, transfer.proven),
      steps: () => [transfer],
    })
    for (const source of attributionOf(counterparty).sources) yield direct(source)
    if (unattributed.has(counterparty)) yield direct(null)
    const parts = [...taintOf(yield* tracer.partsOf(transfer))]
    const found = parts.flatMap(([route, amount]) =>
      sourcesOfRoute(route).map((source): Contribution => ({
        transfer,
        relation: 'indirect',
        source,
        isWeak: !isStrong(source),
        amount,
        route,
        steps: () => stepsOfRoute(route, transfer, trace),
      })),
    )
    yield* document.method === 'poison' ? onePerCategory(found) : found
  }
}

function remembering<Key, Value>(work: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>()
  return (key) => {
    let value = known.get(key)
    if (value === undefined) known.set(key, (value = work(key)))
    return value
  }
}

/** Poison taints a transfer whole, however many sources it has: per category the surest of them stands for it. */
function onePerCategory(found: readonly Contribution[]): readonly Contribution[] {
  const strongest = new Map<string, Contribution>()
  for (const one of found) {
    const known = strongest.get(one.source!.category)
    if (known === undefined || isSurer(one, known)) strongest.set(one.source!.category, one)
  }
  return [...strongest.values()]
}

function isSurer(a: Contribution, b: Contribution): boolean {
  const difference =
    a.source!.confidencePpm - b.source!.confidencePpm || Number(a.route.proven) - Number(b.route.proven)
  return difference > 0 || (difference === 0 && routeText(a.route) < routeText(b.route))
}

function pushTo<Item>(groups: Map<string, Item[]>, key: string, item: Item): void {
  const group = groups.get(key)
  if (group === undefined) groups.set(key, [item])
  else group.push(item)
}

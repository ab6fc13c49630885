/**
 * Measures exposure on a neighbourhood of transfers: how much value of which asset moved between the screened address and
 * labelled ones, directly or over hops. Whole numbers only, and no clock but the report's own time.
 */
import type { ExposureCut, ExposureRecord } from '@cupel/contracts'
import { findAsset } from './asset-table.js'
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
import { taintOf } from './taint.js'
import {
  createTracer,
  isProvenRoute,
  routeAddresses,
  stepsOfRoute,
  type Direction,
  type TraceOptions,
} from './trace-routes.js'
import { edgesSha256, uncountedReason, type Transfer } from './transfer.js'
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
  /** Declared for the chain. */
  readonly ranges: readonly DeclaredRange[]
}

export interface MeasureContext {
  readonly attributionOf: (address: string) => Attribution
  /** UTC, RFC 3339. */
  readonly generatedAt: string
  readonly policy: CompiledPolicy
}

/** A hub has thousands of counterparties that nobody follows; the first tell enough. */
const RECORDED_CUTS = 100

/** Cut reasons of addresses whose value is shown as nobody's. */
const unattributedCuts: ReadonlySet<string> = new Set(['hub', 'contract'])

export function measureExposure(neighbourhood: Neighbourhood, context: MeasureContext): ExposureRecord {
  const { chain, address } = neighbourhood
  const { document } = context.policy.exposure
  const counted = neighbourhood.transfers.filter((one) => uncountedReason(chain, one) === null)
  const own = counted.filter(
    ({ id, from, to }) => (from === address || to === address) && (neighbourhood.ownIds?.has(id) ?? true),
  )
  const history = judgeHistory(neighbourhood, own, context)
  const measures = createMeasures({ limits: document.limits, totals: history.totals })
  const byAsset = new Map<string, Transfer[]>()
  for (const transfer of counted) pushTo(byAsset, transfer.contract, transfer)
  for (const [contract, transfers] of byAsset) {
    const asset = findAsset(chain, contract)!
    for (const direction of ['in', 'out'] as const) {
      for (const contribution of contributions({ neighbourhood, own, transfers, direction, context }))
        measures.add({ ...contribution, asset, direction })
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
    measures: measures.list(),
    cut: neighbourhood.cut.slice(0, RECORDED_CUTS),
    cutOmitted: Math.max(0, neighbourhood.cut.length - RECORDED_CUTS),
    edgesSha256: edgesSha256(counted),
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
    measures: [],
    cut: [],
    cutOmitted: 0,
    edgesSha256: '',
    error,
  }
}

/** T of every asset and direction, and whether it is all there ever was. */
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

/** Every part of the address's transfers of one asset that comes from, or goes to, a source. */
function* contributions({
  neighbourhood: { address, followed, cut },
  own,
  transfers,
  direction,
  context: { attributionOf, policy },
}: {
  readonly neighbourhood: Neighbourhood
  readonly own: readonly Transfer[]
  /** Of one asset. */
  readonly transfers: readonly Transfer[]
  readonly direction: Direction
  readonly context: MeasureContext
}): Generator<Contribution> {
  const { document, sourceConfidencePpm } = policy.exposure
  const byAddress = new Map<string, Transfer[]>()
  for (const one of transfers) {
    pushTo(byAddress, one.from, one)
    pushTo(byAddress, one.to, one)
  }
  const followedSet = new Set(followed)
  const unattributed = new Set(
    cut.filter(({ reason }) => unattributedCuts.has(reason)).map((one) => one.address),
  )
  const trace: TraceOptions = {
    screened: address,
    direction,
    method: document.method,
    transfersOf: (at) => byAddress.get(at) ?? [],
    isSource: (at) => attributionOf(at).sources.length > 0,
    isFollowed: (at) => followedSet.has(at) && at !== address,
  }
  const tracer = createTracer(trace)
  const isStrong = ({ confidencePpm }: SourceAttribution): boolean => confidencePpm >= sourceConfidencePpm
  /** A source of the same category on the way stands for what came through it. */
  const isShadowed = (category: string, between: readonly string[]): boolean =>
    between.some((at) => attributionOf(at).sources.some((one) => one.category === category && isStrong(one)))

  const { contract } = transfers[0]!
  for (const transfer of own) {
    if (transfer.contract !== contract) continue
    if ((direction === 'in' ? transfer.to : transfer.from) !== address) continue
    const counterparty = direction === 'in' ? transfer.from : transfer.to
    const common = { transfer, counterparty }
    for (const source of attributionOf(counterparty).sources)
      yield {
        ...common,
        relation: 'direct',
        source,
        sourceAddress: counterparty,
        isWeak: !isStrong(source),
        amount: transfer.amount,
        proven: transfer.proven,
        hops: 1,
        route: (transfer.proven ? '+' : '-') + counterparty,
        steps: () => [transfer],
      }
    if (unattributed.has(counterparty))
      yield {
        ...common,
        relation: 'direct',
        source: null,
        sourceAddress: counterparty,
        isWeak: true,
        amount: transfer.amount,
        proven: transfer.proven,
        hops: 1,
        route: (transfer.proven ? '+' : '-') + counterparty,
        steps: () => [transfer],
      }
    if (document.hops < 2) continue
    const parts = [...taintOf(tracer.partsOf(transfer, document.hops))]
    const found = parts.flatMap(([route, amount]): Contribution[] => {
      const [sourceAddress, ...between] = routeAddresses(route)
      return attributionOf(sourceAddress!)
        .sources.filter(({ category }) => !isShadowed(category, between))
        .map((source) => ({
          ...common,
          relation: 'indirect',
          source,
          sourceAddress: sourceAddress!,
          isWeak: !isStrong(source),
          amount,
          proven: isProvenRoute(route),
          hops: between.length + 1,
          route,
          steps: () => stepsOfRoute(route, transfer, trace),
        }))
    })
    yield* document.method === 'poison' ? onePerCategory(found) : found
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
  const difference = a.source!.confidencePpm - b.source!.confidencePpm || Number(a.proven) - Number(b.proven)
  return difference > 0 || (difference === 0 && a.route < b.route)
}

function pushTo<Item>(groups: Map<string, Item[]>, key: string, item: Item): void {
  const group = groups.get(key)
  if (group === undefined) groups.set(key, [item])
  else group.push(item)
}

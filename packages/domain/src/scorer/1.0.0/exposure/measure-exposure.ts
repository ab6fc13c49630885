/**
 * Measures exposure on a neighbourhood of transfers: how much value of which asset moved between the screened address and
 * labelled ones, directly or over hops. Whole numbers only, and no clock but the report's own time.
 */
import type { ExposureCut, ExposureRecord } from '@cupel/contracts'
import { measuredAs, findAsset } from '../tables/asset-table.js'
import type { CompiledPolicy } from '../risk/policy.js'
import { attributeFlow, hubsOf, type FlowContext, type Timelines } from './attribute-flow.js'
import { coinJoinAttribution, isCoinJoinNode, type Attribution } from './attribution.js'
import { createBreakdown } from './breakdown.js'
import {
  explainedBalance,
  explainedTokens,
  hasShortfall,
  hasUpstreamShortfall,
  movesValue,
  totalsHold,
} from './completeness.js'
import {
  historyFaults,
  mergeRanges,
  rangeFaults,
  recordedHistory,
  recordedRange,
  type AddressHistory,
  type DeclaredRange,
  type HistoryFault,
} from './history.js'
import { createMeasures, type AssetTotals } from './measures.js'
import { valuationOf, type PriceTable } from './prices.js'
import { finished, STEP_ITEMS, type Steps } from './steps.js'
import { timelineOf, type Timeline } from './timeline.js'
import type { UnknownTokens } from './unknown-tokens.js'
import { negligibleUnread } from './unread-intermediary.js'
import {
  createTextHash,
  edgesSha256,
  isWrap,
  otherSideOfWrap,
  transfersOf,
  unwrapped,
  uncountedReason,
  withoutRetoldCalls,
  type TextHash,
  type Transfer,
} from './transfer.js'

/** What was read of a ledger around one address. */
export interface Neighbourhood {
  readonly chain: string
  /** Canonical. */
  readonly address: string
  /** Names the state of the ledger. */
  readonly ledgerSeq: number
  /** Transfers of the address and of every address that is followed. */
  readonly transfers: readonly Transfer[]
  /** What the address moved in further transfers, added up; no path is followed through these. Absent: nothing. */
  readonly bundles?: readonly Transfer[]
  /** Addresses whose transfers were read, so that paths may be followed through them. */
  readonly followed: readonly string[]
  /** Addresses at which paths ended, or of which only the largest transfers were read, and why. */
  readonly cut: readonly ExposureCut[]
  /** Not every transfer of the address was read for itself, so not all of its value was followed. */
  readonly truncated: boolean
  /** Ids of those that were, where others came with an address that is followed; absent: all. */
  readonly ownIds?: ReadonlySet<string>
  /** Declared for the chain, of the kinds native, internal and token. */
  readonly ranges: readonly DeclaredRange[]
  /** What providers said of the address, of those that are followed, and of others of their keys; absent: nothing. */
  readonly histories?: readonly AddressHistory[]
  /** Where one owner has several addresses: all of them, by the one that stands for them; absent: each has one. */
  readonly addressesOf?: ReadonlyMap<string, readonly string[]>
  /** Daily prices; null where none were imported. */
  readonly prices: PriceTable | null
  /**
   * Of a chain with spent outputs: all outputs to the address less all inputs from it, over every transaction that the ledger
   * read, in base units of the native asset. Null where it is not known.
   */
  readonly netBaseUnits: bigint | null
  /** What the address sent and received in tokens outside the asset table, by token and counterparty; absent: nothing. */
  readonly unknownTokens?: readonly UnknownTokens[]
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

/** Measures in one go. */
export const measureExposure = (neighbourhood: Neighbourhood, context: MeasureContext): ExposureRecord =>
  finished(measureInSteps(neighbourhood, context))

/** Measures in steps, each of them short whatever the neighbourhood's size. */
export function* measureInSteps(
  neighbourhood: Neighbourhood,
  context: MeasureContext,
): Steps<ExposureRecord> {
  const { ledgerSeq, prices, cut } = neighbourhood
  const { document } = context.policy.exposure
  const transfers = yield* withoutRetoldCalls(neighbourhood.transfers)
  const found = yield* sortedOut({ ...neighbourhood, transfers })
  yield
  const history = yield* judgeHistory(neighbourhood, found, context)
  const measures = createMeasures(document.limits)
  const breakdown = createBreakdown()
  const incomplete = new Set<HistoryFault>(history.faults)
  const flow: FlowContext = {
    chain: neighbourhood.chain,
    screened: neighbourhood.address,
    followed: new Set(neighbourhood.followed),
    hubs: hubsOf(cut),
    prices,
    attributionOf: (address) =>
      isCoinJoinNode(address) ? coinJoinAttribution : context.attributionOf(address),
    policy: context.policy,
    measures,
    breakdown,
    onUnknownOrder: () => void incomplete.add('unknown_order'),
  }
  for (const [contract, transfers] of found.byAsset) {
    const timelines = yield* timelinesOf(neighbourhood, transfers)
    const own = found.own.filter((one) => one.contract === contract)
    for (const direction of ['in', 'out'] as const)
      yield* attributeFlow(flow, direction, { contract, own, timelines })
  }
  addUncountedValue(neighbourhood, found.uncounted, flow)
  if (hasIllicitToken(neighbourhood, flow)) incomplete.add('illicit_token')
  if (found.own.some(({ contract }) => contract !== '' && isSureSource(contract, flow)))
    incomplete.add('designated_contract')
  // The last things to speak against a whole history, so that only those are examined that would count as one.
  if (incomplete.size === 0 && !neighbourhood.truncated) {
    const fault = yield* intermediaryFault(neighbourhood, found, { context, isDeclared: history.isDeclared })
    if (fault !== null) incomplete.add(fault)
  }
  const ranOut = cut.some(({ reason }) => reason === 'limit' || reason === 'too_many_transfers')
  const ownTransfers = found.own.reduce((sum, one) => sum + transfersOf(one), 0)
  const status = ownTransfers + found.uncounted.length === 0 ? 'absent' : 'examined'
  return {
    ...emptyExposure(status, { ledgerSeq, policy: context.policy }),
    ranges: mergeRanges(history.ranges).map(recordedRange),
    histories: history.told.map(recordedHistory),
    transfersExamined: found.counted.length,
    ownTransfers,
    hopsSearched: document.hops,
    truncated: neighbourhood.truncated || ranOut,
    historyComplete: !neighbourhood.truncated && incomplete.size === 0,
    incomplete: [...incomplete],
    netBaseUnits: history.balance?.toString() ?? null,
    nets: history.nets,
    measures: yield* measures.list(history.totals, history.totalsHold),
    breakdown: yield* breakdown.list(history.totalsHold),
    cut: cut.slice(0, RECORDED_CUTS),
    cutOmitted: Math.max(0, cut.length - RECORDED_CUTS),
    edgesSha256: yield* edgesSha256([...found.counted, ...found.bundles], context.textHash ?? createTextHash()),
    priceTableSha256: prices?.sha256 ?? '',
  }
}

/** What speaks against those that value came through, or went to. Ranges that are declared for the chain hold for them too. */
function* intermediaryFault(
  neighbourhood: Neighbourhood,
  { counted, moving, own }: SortedTransfers,
  { context, isDeclared }: { readonly context: MeasureContext; readonly isDeclared: boolean },
): Steps<HistoryFault | null> {
  const { document } = context.policy.exposure
  const { histories = [], followed } = neighbourhood
  const unread = isDeclared
    ? new Set<string>()
    : yield* negligibleUnread({
        ...neighbourhood,
        ...{ transfers: counted, own, histories, age: ageOf(context) },
        addressesOf: (node) => addressesOf(neighbourhood, node),
        ignoredSharePpm: context.policy.doubtfulSharePpm,
      })
  if (unread === null) return 'intermediary_unread'
  const hasShortfall = yield* hasUpstreamShortfall({
    ...neighbourhood,
    ...{ transfers: moving, own, hops: document.hops, followed: followed.filter((one) => !unread.has(one)) },
  })
  return hasShortfall ? 'intermediary_shortfall' : null
}

/** Value that is no edge between two counterparties is part of what the address received and sent. */
function addUncountedValue(
  { chain, address, prices, unknownTokens = [] }: Neighbourhood,
  uncounted: readonly Transfer[],
  { breakdown }: FlowContext,
): void {
  for (const transfer of uncounted) {
    // A wrapped coin has the price of the native one.
    const asset = findAsset(chain, unwrapped(chain, transfer).contract)!
    const direction = transfer.to === address ? 'in' : 'out'
    breakdown.addUncounted(transfer, {
      direction,
      asset: measuredAs(asset),
      valuation: valuationOf(asset, prices),
    })
  }
  for (const tokens of unknownTokens) breakdown.addUnknownTokens(tokens)
}

/** Whether a token outside the asset table came from or went to an illicit source, or is one by its contract. */
const hasIllicitToken = ({ unknownTokens = [] }: Neighbourhood, flow: FlowContext): boolean =>
  unknownTokens.some(({ counterparty, contract }) =>
    [counterparty, contract].some((one) => isSureSource(one, flow)),
  )

const isSureSource = (address: string, { attributionOf, policy }: FlowContext): boolean =>
  attributionOf(address).sources.some(
    ({ confidencePpm }) => confidencePpm >= policy.exposure.sourceConfidencePpm,
  )

interface SortedTransfers {
  readonly counted: readonly Transfer[]
  /** Counted, of the address itself, bundles too. */
  readonly own: readonly Transfer[]
  /** Counted. */
  readonly bundles: readonly Transfer[]
  /** Counted, by contract; bundles have no place in the order of transfers. */
  readonly byAsset: ReadonlyMap<string, readonly Transfer[]>
  /** Of the address itself, whatever changed what it owns; wrapped coins apart from native ones. */
  readonly moved: readonly Transfer[]
  /** Of every address, whatever changed what it owns; wrapped coins as native ones. */
  readonly moving: readonly Transfer[]
  /** Of those, value that was made or destroyed, or whose other side is not known. */
  readonly uncounted: readonly Transfer[]
}

function* sortedOut({ chain, address, transfers, bundles = [], ownIds }: Neighbourhood): Steps<SortedTransfers> {
  const counted: Transfer[] = []
  const own: Transfer[] = []
  const moved: Transfer[] = []
  const uncounted: Transfer[] = []
  const byAsset = new Map<string, Transfer[]>()
  const moving: Transfer[] = []
  for (let index = 0; index < transfers.length; index++) {
    if (index % STEP_ITEMS === 0) yield
    const told = transfers[index]!
    const one = unwrapped(chain, told)
    const isOwn = (one.from === address || one.to === address) && (ownIds?.has(one.id) ?? true)
    if (isOwn && movesValue(chain, told)) moved.push(told)
    if (isWrap(chain, told)) {
      if (isOwn) moved.push(otherSideOfWrap(chain, told))
      continue
    }
    moving.push(one)
    // Created and destroyed wrapped coins are those of the contract, not of the native asset.
    if (uncountedReason(chain, one) !== null) {
      if (isOwn && movesValue(chain, one)) uncounted.push(told)
      continue
    }
    counted.push(one)
    pushTo(byAsset, one.contract, one)
    if (isOwn) own.push(one)
  }
  const counting: Transfer[] = []
  for (let index = 0; index < bundles.length; index++) {
    if (index % STEP_ITEMS === 0) yield
    const told = bundles[index]!
    const one = unwrapped(chain, told)
    if (isWrap(chain, told)) continue
    if (uncountedReason(chain, one) !== null) uncounted.push(told)
    else {
      own.push(one)
      counting.push(one)
      if (!byAsset.has(one.contract)) byAsset.set(one.contract, [])
    }
  }
  return { counted, own, bundles: counting, byAsset, moved, moving, uncounted }
}

/** Timelines of the followed addresses from transfers of one asset, each made when it is first asked for. */
function* timelinesOf({ followed }: Neighbourhood, transfers: readonly Transfer[]): Steps<Timelines> {
  const byAddress = new Map<string, Transfer[]>(followed.map((one) => [one, []]))
  for (let index = 0; index < transfers.length; index++) {
    if (index % STEP_ITEMS === 0) yield
    const one = transfers[index]!
    byAddress.get(one.from)?.push(one)
    byAddress.get(one.to)?.push(one)
  }
  const made = new Map<string, Timeline>()
  return {
    *of(address) {
      let timeline = made.get(address)
      if (timeline === undefined)
        made.set(address, (timeline = yield* timelineOf(address, byAddress.get(address) ?? [])))
      return timeline
    },
    known: (address) => made.get(address)?.transfers ?? [],
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
    histories: [],
    transfersExamined: 0,
    ownTransfers: 0,
    hopsSearched: 0,
    truncated: false,
    historyComplete: false,
    incomplete: [],
    netBaseUnits: null,
    nets: [],
    measures: [],
    breakdown: [],
    cut: [],
    cutOmitted: 0,
    edgesSha256: '',
    priceTableSha256: '',
    error,
  }
}

/** What is known of the address's whole history: T of every asset and direction, its balance, and what is missing. */
function* judgeHistory(
  neighbourhood: Neighbourhood,
  { own, moved, uncounted }: SortedTransfers,
  context: MeasureContext,
) {
  const { chain, address, ranges, histories = [], truncated, netBaseUnits } = neighbourhood
  const age = ageOf(context)
  const history = { chain, address, moved, netBaseUnits }
  const addresses = addressesOf(neighbourhood, address)
  const faults: HistoryFault[] = [...historyFaults({ chain, ranges, histories, addresses, own }, age)]
  const told = histories.filter((one) => addresses.includes(one.address))
  // Where not every transfer was read, earlier ones may explain what is missing.
  if (!truncated && (yield* hasShortfall(history))) faults.push('shortfall')
  if (uncounted.length > 0) faults.push('uncounted_value')
  if (own.some(({ proven }) => !proven)) faults.push('execution_unknown')
  const totals = new Map<string, bigint>()
  for (const { contract, to, amount } of own) {
    const asset = measuredAs(findAsset(chain, contract)!)
    const key = `${to === address ? 'in' : 'out'} ${asset.contract}`
    totals.set(key, (totals.get(key) ?? 0n) + amount * asset.factor)
  }
  const lookUp: AssetTotals = (contract, direction) => totals.get(`${direction} ${contract}`) ?? 0n
  return {
    faults,
    told,
    /** Ranges of one address of several do not hold for the others. */
    ranges: addresses.length > 1 ? ranges : [...ranges, ...told.flatMap((one) => one.ranges)],
    /** Ranges that hold for every address of the chain are enough. */
    isDeclared: rangeFaults(chain, ranges, own, age).length === 0,
    totals: lookUp,
    totalsHold: !truncated && totalsHold(faults),
    balance: truncated ? null : explainedBalance(history),
    nets: truncated ? [] : explainedTokens(history),
  }
}

const ageOf = ({ generatedAt, policy }: MeasureContext) => ({
  generatedAtS: Date.parse(generatedAt) / 1_000,
  maxAgeHours: policy.exposure.document.history_max_age_hours,
})

const addressesOf = ({ addressesOf: known }: Neighbourhood, node: string): readonly string[] =>
  known?.get(node) ?? [node]

function pushTo<Item>(groups: Map<string, Item[]>, key: string, item: Item): void {
  const group = groups.get(key)
  if (group === undefined) groups.set(key, [item])
  else group.push(item)
}

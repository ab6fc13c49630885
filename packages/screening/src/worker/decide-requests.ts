/** Decides a batch of requests: one statement reads their labels, sets and policy, then pure code decides each request. */
import { createHash } from 'node:crypto'
import { decidedEventId, type DomainEvent, type HistoryReading } from '@cupel/contracts'
import {
  compiledDefaultPolicy,
  compilePolicyText,
  decideScreening,
  knownCandidates,
  labelState,
  noChainInputs,
  parseAddress,
  sandboxLabels,
  screeningRequest,
  type ChainFindings,
  type CompiledPolicy,
  type LabelFacts,
  type LabelSetFacts,
  type LabelViewState,
  type ScreeningSnapshot,
} from '@cupel/domain'
import type { LogIdentity } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'
import { PausedError } from '@cupel/projections'
import {
  labelFacts,
  newestPublication,
  rememberLabels,
  setFacts,
  type Label,
  type LabelSnapshot,
  type SnapshotWanted,
} from '@cupel/labels/read-model'
import { onEveryChain, type ChainRequest } from './candidates.js'
import type { PreparedRequest } from './chain-stage.js'
import type { LedgerFindings, LookIntoLedger } from './exposure-stage.js'
import { worstReading, type HistoryStage } from '@cupel/chain-data/worker'
import type { ScorerInstruments } from './instruments.js'
import type { LabelStates } from './label-states.js'
import type { Decide, Decision, Request } from './lane.js'
import { ownLabelsFor, ownQuestions } from './own-labels.js'
import type { StatedInputs } from './stated-inputs.js'

export interface DeciderOptions {
  readonly database: Queryable
  readonly log: LogIdentity
  /** Throws for a policy or sets that the log does not state. */
  readonly stated: Pick<StatedInputs, 'require'>
  readonly labelStates: LabelStates
  /** Whether the label view is current. Throws where it is too old to be used. */
  readonly labelView: () => Exclude<LabelViewState, 'missing'>
  /** Queries the ledger; absent where there is none. */
  readonly lookIntoLedger?: LookIntoLedger
  /** How far histories are read from providers; absent where none is asked for histories. */
  readonly readingOf?: HistoryStage['readingOf']
  readonly instruments: ScorerInstruments
  readonly now: () => Date
}

/** State that changes only with a publication or an activation, and is read only then. */
interface Standing {
  readonly setsSeq: number
  readonly labelsAsOf: string
  readonly labelSets: readonly LabelSetFacts[]
  readonly policySeq: number
  readonly policy: CompiledPolicy | null
}

const nothingKnown: Standing = { setsSeq: -1, labelsAsOf: '', labelSets: [], policySeq: -1, policy: null }

/** The sandbox has its magic addresses with a list of its own, the own labels of its account, and no other labels. */
function sandboxSnapshot(
  { data }: Request,
  own: readonly LabelFacts[],
  generatedAt: string,
): ScreeningSnapshot {
  const { labels, ...lists } = sandboxLabels(data.canonicalAddress, data.chain, generatedAt)
  return { labelSetSeq: 0, labelView: 'current', ...lists, labels: [...labels, ...own] }
}

export function createDecider(options: DeciderOptions): Decide<PreparedRequest> {
  let standing = nothingKnown
  const readLabels = rememberLabels(options.database)

  const read = async (
    asked: Pick<SnapshotWanted, 'lookupKeys' | 'own'>,
  ): Promise<LabelSnapshot & { standing: Standing }> => {
    const since = performance.now()
    const known = standing
    const snapshot = await readLabels({
      ...asked,
      knownSetsSeq: known.setsSeq,
      knownPolicySeq: known.policySeq,
    })
    options.instruments.labelQuery(performance.now() - since)
    await options.stated.require(snapshot)
    // Another batch may have read a newer state meanwhile; this batch is decided from its own snapshot.
    standing = updated(known, snapshot)
    return { ...snapshot, standing }
  }

  return async (requests) => {
    if (requests.length === 0) return []
    const chains = requests.map(onEveryChain)
    const all = chains.flat()
    const look = options.lookIntoLedger?.(all) ?? null
    const { keys, ownKeys, looked } = keysOf(requests, all)
    const snapshot = await read({ lookupKeys: looked, own: ownQuestions(all) })
    const own = ownLabelsFor(snapshot)
    refuseForeign(snapshot, options.log)
    const { policy } = snapshot.standing
    if (policy === null) throw new PausedError('No policy has been activated.')

    const generatedAt = options.now().toISOString()
    const live = { ...snapshot.standing, labelView: options.labelView() }
    const byKey = byLookupKey(snapshot.labels)
    const labelsOf = (one: ChainRequest): readonly LabelFacts[] => [
      ...(byKey.get(String(keys.get(one))) ?? []),
      ...own(one),
    ]
    const prepared = chains.map((onChains): PreparedDecision => {
      const [request] = onChains
      const ownKey = ownKeys.get(request) ?? null
      const refused = causeIn([...onChains.map((one) => keys.get(one) ?? null), ownKey])
      if (refused !== undefined) return refused
      const shared = { request, onChains, labelsOf, generatedAt }
      if (keys.get(request) === SANDBOX)
        return { ...shared, ...ofSandbox(request, own(request), generatedAt) }
      const screened = { ...snapshotOf(live), labels: labelsOf(request) }
      return { ...shared, screened, policy, ownAddressLabels: byKey.get(String(ownKey)) ?? [] }
    })
    await recordStates(prepared, options.labelStates)
    const findings = look?.examine({ ...live, policy, labelSetSeq: live.setsSeq, generatedAt })
    const found = new Map(all.map((one, index) => [one, findings?.[index] ?? null]))
    const since = performance.now()
    const decisions = prepared.map((one, index) => {
      const ledger = chains[index]!.map((onChain) => found.get(onChain) ?? null)
      const { readingOf } = options
      if (readingOf === undefined && ledger.every((of) => of === null))
        return Promise.resolve(decide(one, []))
      return Promise.all(ledger.map(async (of) => await of)).then(async (of) =>
        decide(one, of, await historyReading(one, of, readingOf)),
      )
    })
    options.instruments.batch(requests.length)
    options.instruments.decision(performance.now() - since)
    return decisions
  }
}

/** The inputs of one decision, or the reason why the request cannot be decided. */
type PreparedDecision =
  | {
      readonly request: PreparedRequest
      /** The detected chain first. */
      readonly onChains: readonly ChainRequest[]
      readonly labelsOf: (one: ChainRequest) => readonly LabelFacts[]
      readonly screened: ScreeningSnapshot
      /** Of the own address of a transfer. */
      readonly ownAddressLabels: readonly LabelFacts[]
      readonly policy: CompiledPolicy
      readonly generatedAt: string
    }
  | { readonly cause: string }

/** The state is appended before the report that names it: without its acknowledgement no request is decided. */
async function recordStates(prepared: readonly PreparedDecision[], labelStates: LabelStates): Promise<void> {
  const states = new Set(prepared.flatMap((one) => ('cause' in one ? [] : [labelState(one.screened)])))
  await Promise.all([...states].map((state) => labelStates.record(state)))
}

const SANDBOX = Symbol('no look-up')

function ofSandbox(request: Request, ownOfAccount: readonly LabelFacts[], generatedAt: string) {
  const { transfer, chain } = request.data
  const own = transfer === null ? null : sandboxLabels(transfer.ownCanonicalAddress, chain, generatedAt)
  return {
    screened: sandboxSnapshot(request, ownOfAccount, generatedAt),
    ownAddressLabels: own?.labels ?? [],
    policy: compiledDefaultPolicy,
  }
}

type LookupKey = string | typeof SANDBOX | Cause
interface Cause {
  readonly cause: string
}
const causeIn = (keys: readonly (LookupKey | null)[]): Cause | undefined => keys.find(isCause)
const isCause = (key: LookupKey | null): key is Cause => typeof key === 'object' && key !== null

/** The look-up keys of addresses, and of the own addresses of transfers; `looked` has each once. */
function keysOf(requests: readonly PreparedRequest[], all: readonly ChainRequest[]) {
  const keys = new Map<ChainRequest, LookupKey>(all.map((one) => [one, lookupKeyOf(one)]))
  const ownKeys = new Map<Request, LookupKey | null>(requests.map((one) => [one, ownKeyOf(one)]))
  const looked = [...keys.values(), ...ownKeys.values()].filter((key) => typeof key === 'string')
  return { keys, ownKeys, looked: [...new Set(looked)] }
}

/** The look-up key of the own address of a transfer; null where an address is screened by itself. */
function ownKeyOf({ type, envelope, data }: Request): LookupKey | null {
  const { transfer } = data
  if (transfer === null) return null
  return lookupKeyOf({ type, envelope, data: { ...data, canonicalAddress: transfer.ownCanonicalAddress } })
}

/** The look-up key of the address; none in the sandbox; a cause where the address has no key. */
function lookupKeyOf({ data, lookupKey }: ChainRequest): LookupKey {
  if (!data.livemode) return SANDBOX
  if (lookupKey !== undefined) return lookupKey
  const parsed = parseAddress(data.canonicalAddress, data.chain)
  return parsed.ok ? parsed.lookupKey : { cause: `the canonical address is refused: ${parsed.reason}` }
}

/** Throws where the view was made from another log: it holds other labels. */
function refuseForeign({ checkpoint }: LabelSnapshot, log: LogIdentity): void {
  if (checkpoint === null) throw new PausedError('There is no label view.')
  if (checkpoint.log !== log)
    throw new PausedError(`The label view was made from log ${checkpoint.log}, and this is log ${log}.`)
}

function updated(known: Standing, { labelSetSeq, sets, policySeq, policy }: LabelSnapshot): Standing {
  const withSets =
    sets === null
      ? known
      : { ...known, setsSeq: labelSetSeq, labelsAsOf: newestPublication(sets), labelSets: sets.map(setFacts) }
  return policy === null ? withSets : { ...withSets, policySeq, policy: compilePolicyText(policy.document) }
}

function snapshotOf({
  setsSeq,
  labelView,
  labelsAsOf,
  labelSets,
}: Standing & { labelView: LabelViewState }): Omit<ScreeningSnapshot, 'labels'> {
  return { labelSetSeq: setsSeq, labelView, labelsAsOf, labelSets }
}

function byLookupKey(labels: readonly Label[]): ReadonlyMap<string, LabelFacts[]> {
  const grouped = new Map<string, LabelFacts[]>()
  for (const label of labels) {
    const group = grouped.get(label.lookupKey)
    if (group === undefined) grouped.set(label.lookupKey, [labelFacts(label)])
    else group.push(labelFacts(label))
  }
  return grouped
}

/** On every chain that is judged, the detected one first. Nothing of the sandbox is sent to a provider. */
async function historyReading(
  prepared: PreparedDecision,
  ledger: readonly (LedgerFindings | null)[],
  readingOf: DeciderOptions['readingOf'],
): Promise<HistoryReading | null> {
  if (readingOf === undefined || 'cause' in prepared || !prepared.request.data.livemode) return null
  const places = prepared.onChains.map(({ data }) => ({
    ...{ accountId: data.accountId, chain: data.chain, address: data.canonicalAddress },
  }))
  const readings = places.map((place, index) => {
    const { exposure, searched } = ledger[index] ?? { exposure: null, searched: { followed: [] } }
    return readingOf({
      ...{ ...place, root: places[0]!, exposure, followed: searched.followed },
      neverAsks: prepared.request.neverAsks === true,
      generatedAt: prepared.generatedAt,
      maxAgeHours: prepared.policy.exposure.document.history_max_age_hours,
    })
  })
  return worstReading(await Promise.all(readings))
}

const noLedger = { exposure: null, cluster: null }

/** Decides from what the ledger says on each chain; null where it was not queried. */
function decide(
  prepared: PreparedDecision,
  ledger: readonly (LedgerFindings | null)[],
  historyReading: HistoryReading | null = null,
): Decision {
  if ('cause' in prepared) return { kind: 'undecidable', cause: prepared.cause }
  const { request, onChains, labelsOf, screened, ownAddressLabels, policy, generatedAt } = prepared
  try {
    const [detected, ...others] = onChains.map((one, index): ChainFindings => {
      const { chain, canonicalAddress } = one.data
      const chainInputs = request.chainInputs?.get(chain) ?? noChainInputs
      const { exposure, cluster } = ledger[index] ?? noLedger
      return { chain, canonicalAddress, labels: labelsOf(one), chainInputs, exposure, cluster }
    })
    const inputs = {
      ...detected,
      historyReading,
      request: screeningRequest(request.data),
      snapshot: screened,
      candidates: knownCandidates(screened.labels, others),
      ownAddressLabels,
      policy,
      generatedAt,
    }
    const decision = decideScreening(inputs, sha256)
    if (decision.outcome === 'unavailable') return { kind: 'undecidable', cause: decision.detail }
    return {
      kind: 'report',
      event: { type: 'ReportGenerated', data: decision.event, envelope: envelopeOf(request, generatedAt) },
    }
  } catch (error) {
    // The decision is pure: it would throw again for this request.
    return {
      kind: 'undecidable',
      cause: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    }
  }
}

/** The native hash takes a fifth of the time of one in plain ECMAScript, and every report is hashed. */
function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** One event id per report id: a repeat may be decided from newer labels and differ, and the first record counts. */
function envelopeOf({ data, envelope }: Request, generatedAt: string): DomainEvent['envelope'] {
  return {
    id: decidedEventId('ReportGenerated', data.reportId),
    source: 'cupel/scorer',
    time: generatedAt,
    subject: data.reportId,
    correlationId: envelope.correlationId,
    causationId: envelope.id,
    ...(envelope.traceparent === undefined ? {} : { traceparent: envelope.traceparent }),
  }
}

/**
 * The stage of the ledger, exposure and clusters: where the ledger contains a screened address, the scorer reads its neighbourhood within a budget, in
 * the state of ledger and labels that the report names. A late stage is dropped whole, recorded as late, and finished in the background
 * for the next screen; its other limits are counts. Without a ledger the stage does nothing and does not wait.
 */
import { createSlots, LATE, withinMs, type Slots } from '@cupel/concurrency'
import type { ExposureRecord, Lane, Logger, Metrics } from '@cupel/contracts'
import {
  chainFactsOf,
  compiledDefaultPolicy,
  emptyExposure,
  type ClusterFacts,
  type CompiledPolicy,
  type LabelFacts,
  type LabelSetFacts,
  type PriceTable,
} from '@cupel/domain'
import { examineAddress, readClusterFacts, readTransfers, type KnownSizes, type Pace } from '@cupel/ledger'
import type { Queryable } from '@cupel/postgres'
import { labelFacts, readLabelsAsOf } from '@cupel/read-models'
import type { ChainRequest } from './candidates.js'
import { createLateWork, MAX_WORK_MS, type Finished, type LateWork, type WorkKey } from './late-work.js'
import { watchLedger, type Ranges } from './ledger-watch.js'
import { createTurns, LateError, type Turns } from './turns.js'

export interface ExposureContext {
  readonly policy: CompiledPolicy
  readonly labelSetSeq: number
  readonly labelSets: readonly LabelSetFacts[]
  /** UTC, RFC 3339. */
  readonly generatedAt: string
}

/**
 * Begins to query the ledger for a batch while its labels are still being read. `null` where there is no ledger: then nothing
 * waits.
 */
export type LookIntoLedger = (requests: readonly ChainRequest[]) => LedgerLook | null

export interface LedgerLook {
  /** One promise per request, in their order; null for the sandbox, and for a candidate that the ledger does not contain. */
  examine(context: ExposureContext): readonly (Promise<LedgerFindings> | null)[]
}

/** The facts of the ledger about one address. */
export interface LedgerFindings {
  readonly exposure: ExposureRecord
  /** Null for an address that never spent together with another one. */
  readonly cluster: ClusterFacts | null
}

/** Whether a report of these findings says less than a later one would. */
const lacksPart = ({ exposure, cluster }: LedgerFindings): boolean =>
  exposure.status === 'late' || exposure.status === 'failed' || cluster?.stopped === 'failed'

export interface ExposureStage {
  forLane(lane: Lane): LookIntoLedger
  /** Resolves when nothing that was late for this address is still under way. */
  settled(place: { readonly chain: string; readonly address: string }): Promise<unknown>
  stop(): Promise<void>
}

export interface ExposureStageDeps {
  readonly database: Queryable
  readonly logger: Logger
  readonly metrics: Metrics
  /** How long a screen waits for the ledger, in milliseconds. */
  readonly budgetMs: number
}

/** No caller waits for one item of a bulk job: its budget is this many times as long. */
const BULK_BUDGETS = 10
/** Addresses examined at once: each uses a connection that label look-ups need too. */
const CONCURRENT_EXAMINATIONS = 3

/** Resolves after the first look at the ledger. */
export async function startExposureStage(deps: ExposureStageDeps): Promise<ExposureStage> {
  const ledger = await watchLedger(deps)
  const stage: Stage = {
    ...deps,
    ledger,
    outcomes: deps.metrics.counter('scorer_exposure_total', 'Addresses looked for in the ledger', ['status']),
    inSlot: createSlots(CONCURRENT_EXAMINATIONS),
    turns: createTurns(),
    late: createLateWork((error) =>
      deps.logger.warn({ err: error }, 'A late examination of the ledger failed'),
    ),
    knownSizes: new Map(),
    transfersLimit: compiledDefaultPolicy.exposure.document.limits.transfers,
  }
  return {
    forLane: (lane) => (requests) => {
      const ledgerSeq = ledger.seq()
      if (ledgerSeq === 0 || !requests.some(({ data }) => data.livemode)) return null
      const budgetMs = lane === 'bulk' ? deps.budgetMs * BULK_BUDGETS : deps.budgetMs
      return look(stage, requests, { ledgerSeq, lane, deadlineAtMs: performance.now() + budgetMs })
    },
    settled: (place) => stage.late.settled(place),
    async stop() {
      await stage.late.stop()
      await ledger.stop()
    },
  }
}

interface Stage extends ExposureStageDeps {
  readonly ledger: Awaited<ReturnType<typeof watchLedger>>
  readonly outcomes: ReturnType<Metrics['counter']>
  readonly inSlot: Slots
  readonly turns: Turns
  readonly late: LateWork<LedgerFindings>
  readonly knownSizes: KnownSizes
  /** Number of transfers of an address that the policy in force reads; learned from the policy. */
  transfersLimit: number
}

interface LookOptions {
  readonly ledgerSeq: number
  readonly lane: Lane
  /** On the clock of `performance.now()`. */
  readonly deadlineAtMs: number
}

function look(
  stage: Stage,
  requests: readonly ChainRequest[],
  { ledgerSeq, lane, deadlineAtMs }: LookOptions,
): LedgerLook {
  const { ledger, outcomes } = stage
  const isHeld = ({ data: { chain, canonicalAddress } }: ChainRequest): boolean =>
    ledger.mayHold(chain, canonicalAddress, ledgerSeq)
  const examined = requests.filter((one) => one.isCandidate !== true || isHeld(one))
  const groups = [...addressesByChain(examined)].map(([chain, addresses]) =>
    beginReading(stage, { chain, addresses, ledgerSeq, lane, deadlineAtMs }),
  )
  return {
    examine(context) {
      const records = new Map<string, Promise<LedgerFindings>>()
      for (const read of groups) {
        const group = { ...read, own: ownUnder(stage, context.policy, read) }
        for (const address of group.screened)
          records.set(`${group.chain} ${address}`, findOrExamine(stage, address, { group, context }))
      }
      return requests.map(({ data }) => {
        const { chain, canonicalAddress } = data
        const findings = records.get(`${chain} ${canonicalAddress}`)
        if (!data.livemode || findings === undefined) return null
        return findings.then((one) => {
          outcomes.inc({ status: one.exposure.status })
          return one
        })
      })
    },
  }
}

interface ReadOptions extends LookOptions {
  readonly chain: string
  readonly addresses: ReadonlySet<string>
}

function beginReading(
  { database, ledger, turns, transfersLimit: limit }: Stage,
  { chain, addresses, ledgerSeq, lane, deadlineAtMs }: ReadOptions,
): LookGroup {
  // Most addresses are in no ledger. An in-memory filter identifies many of them, and those are not queried.
  const asked = [...addresses].filter((one) => ledger.mayHold(chain, one, ledgerSeq))
  const state = { chain, ledgerSeq, addresses: asked, lane, deadlineAtMs, pace: turns.until(deadlineAtMs) }
  const own = readTransfers(database, { ...state, limit })
  // The examination handles a failure; until it begins the rejection must not count as unhandled.
  own.catch(() => undefined)
  const ranges = ledger.rangesOf(chain, ledgerSeq)
  return { ...state, screened: addresses, ranges, prices: ledger.prices(), own: { limit, transfers: own } }
}

interface ExaminationOf {
  readonly group: LookGroup
  readonly context: ExposureContext
  readonly onLabel?: (label: LabelFacts) => void
}

/** What was finished in the background is as good as read now. What is under way there is not begun a second time. */
async function findOrExamine(stage: Stage, address: string, of: ExaminationOf): Promise<LedgerFindings> {
  const { group, context } = of
  const key = workKey(address, of)
  const kept = (): LedgerFindings | undefined => stage.late.find(key, Date.parse(context.generatedAt))
  const underWay = stage.late.underWay(key)
  if (underWay !== undefined) await withinMs(group.deadlineAtMs - performance.now(), underWay)
  const found = kept() ?? (await examine(stage, address, of))
  if (lacksPart(found)) stage.late.finish(key, () => examineLate(stage, address, of))
  return found
}

function workKey(address: string, { group, context }: ExaminationOf): WorkKey {
  const { chain, ledgerSeq, prices } = group
  const state = [ledgerSeq, context.labelSetSeq, context.policy.sha256, prices?.sha256].join(' ')
  return { chain, address, state }
}

async function examine(stage: Stage, address: string, of: ExaminationOf): Promise<LedgerFindings> {
  const [exposure, cluster] = await Promise.all([
    withinDeadline(stage, () => examineOne(stage, address, of), of),
    clusterWithin(stage, address, of),
  ])
  return { exposure, cluster }
}

/** Reads everything again, in the state that the late report names, and takes no slot of a screen. */
async function examineLate(
  stage: Stage,
  address: string,
  { group: { chain, ledgerSeq, prices }, context }: ExaminationOf,
): Promise<Finished<LedgerFindings> | null> {
  const deadlineAtMs = performance.now() + MAX_WORK_MS
  const addresses = new Set([address])
  const read = beginReading(stage, { chain, addresses, ledgerSeq, lane: 'bulk', deadlineAtMs })
  const group = { ...read, prices, own: ownUnder(stage, context.policy, read) }
  const moments: number[] = []
  const onLabel = ({ validTo }: LabelFacts): void =>
    void (validTo !== null && moments.push(Date.parse(validTo)))
  const result = await examine({ ...stage, inSlot: (work) => work() }, address, { group, context, onLabel })
  if (lacksPart(result)) return null
  const maxAgeMs = context.policy.exposure.document.history_max_age_hours * HOUR_MS
  for (const { toAtS } of await group.ranges)
    if (toAtS !== null) moments.push(toAtS * 1_000, toAtS * 1_000 + maxAgeMs)
  const madeAtMs = Date.parse(context.generatedAt)
  return { result, holdsUntilMs: Math.min(Infinity, ...moments.filter((at) => at >= madeAtMs)) }
}

const HOUR_MS = 3_600_000

/** Another policy may read more or fewer transfers than were read. */
function ownUnder(stage: Stage, policy: CompiledPolicy, { own, ...state }: LookGroup): LookGroup['own'] {
  const limit = policy.exposure.document.limits.transfers
  stage.transfersLimit = limit
  if (limit === own.limit) return own
  const transfers = readTransfers(stage.database, { ...state, limit })
  transfers.catch(() => undefined)
  return { limit, transfers }
}

async function examineOne(
  { database, inSlot, knownSizes }: Stage,
  address: string,
  of: ExaminationOf,
): Promise<ExposureRecord> {
  const { chain, ledgerSeq, addresses, ranges, prices, lane, pace } = of.group
  const found = addresses.includes(address) ? (await of.group.own.transfers).get(address) : undefined
  const own = found ?? { transfers: [], isCut: false, netBaseUnits: null }
  const labels = labelsOf(database, of)
  const examine = async (): Promise<ExposureRecord> =>
    await examineAddress(
      database,
      { ...of.context, chain, ledgerSeq, address, prices, labelsOf: labels },
      { before: { own, ranges: await ranges }, pace, knownSizes },
    )
  return own.transfers.length === 0
    ? await examine()
    : await inSlot(examine, { isUrgent: lane === 'interactive' })
}

/** A stage that is late is dropped whole, and the report records that. */
async function withinDeadline(
  { logger }: Stage,
  work: () => Promise<ExposureRecord>,
  { group: { ledgerSeq, deadlineAtMs }, context: { policy } }: ExaminationOf,
): Promise<ExposureRecord> {
  const state = { ledgerSeq, policy }
  const ended = work().catch((error: unknown) => {
    if (error instanceof LateError) return emptyExposure('late', state)
    logger.warn({ err: error }, 'The ledger could not be examined')
    return emptyExposure('failed', { ...state, error: error instanceof Error ? error.name : 'Error' })
  })
  const record = await withinMs(deadlineAtMs - performance.now(), ended)
  return record === LATE ? emptyExposure('late', state) : record
}

/** A cluster that is late or cannot be read counts nothing, and the report records that. */
async function clusterWithin(
  { database, inSlot, logger }: Stage,
  address: string,
  of: ExaminationOf,
): Promise<ClusterFacts | null> {
  const { chain, ledgerSeq, lane, addresses } = of.group
  // An address that spends has transfers.
  if (chainFactsOf(chain)?.spendsTogether !== true || !addresses.includes(address)) return null
  const unread: ClusterFacts = { clusterId: '', size: 0, ledgerSeq, stopped: 'failed', labels: [] }
  const maxAddresses = of.context.policy.document.cluster.addresses
  const read = (): Promise<ClusterFacts | null> =>
    readClusterFacts(database, {
      ...{ chain, address, ledgerSeq, maxAddresses },
      labelsOf: labelsOf(database, of),
    })
  const ended = inSlot(read, { isUrgent: lane === 'interactive' }).catch((error: unknown) => {
    logger.warn({ err: error }, 'A cluster could not be read')
    return unread
  })
  const cluster = await withinMs(of.group.deadlineAtMs - performance.now(), ended)
  return cluster === LATE ? unread : cluster
}

function addressesByChain(requests: readonly ChainRequest[]): ReadonlyMap<string, ReadonlySet<string>> {
  const byChain = new Map<string, Set<string>>()
  for (const { data } of requests) {
    if (!data.livemode) continue
    const addresses = byChain.get(data.chain) ?? new Set<string>()
    byChain.set(data.chain, addresses.add(data.canonicalAddress))
  }
  return byChain
}

/** The addresses of one chain, and the queries about them. */
interface LookGroup {
  readonly lane: Lane
  /** Limits the work for this batch; it ends at the deadline. */
  readonly pace: Pace
  /** On the clock of `performance.now()`. */
  readonly deadlineAtMs: number
  readonly chain: string
  readonly ledgerSeq: number
  readonly screened: ReadonlySet<string>
  /** The addresses of these that the ledger may contain. */
  readonly addresses: readonly string[]
  readonly ranges: Promise<Ranges>
  readonly prices: PriceTable | null
  readonly own: { readonly limit: number; readonly transfers: ReturnType<typeof readTransfers> }
}

/** Reads the labels of counterparties, in the state of labels that the report names. */
function labelsOf(database: Queryable, { context: { labelSetSeq }, onLabel }: ExaminationOf) {
  return async (lookupKeys: readonly string[]): Promise<ReadonlyMap<string, readonly LabelFacts[]>> => {
    const { labels } = await readLabelsAsOf(database, { lookupKeys, labelSetSeq })
    const byKey = new Map<string, LabelFacts[]>()
    for (const label of labels) {
      const facts = labelFacts(label)
      onLabel?.(facts)
      const known = byKey.get(label.lookupKey)
      if (known === undefined) byKey.set(label.lookupKey, [facts])
      else known.push(facts)
    }
    return byKey
  }
}

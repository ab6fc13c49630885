/**
 * The stage of the ledger, exposure and clusters: where the ledger contains a screened address, the scorer reads its neighbourhood within a budget, in
 * the state of ledger and labels that the report names. A late stage is dropped whole, recorded as late, and finished in the background
 * for the next screen; its other limits are counts. Without a ledger the stage does nothing and does not wait.
 */
import { LATE, withinMs } from '@cupel/kit/concurrency'
import type { ExposureRecord, Lane, Logger, Metrics } from '@cupel/contracts'
import {
  chainFactsOf,
  emptyExposure,
  isDemoAddress,
  isExaminedInDemo,
  type ClusterFacts,
  type CompiledPolicy,
  type LabelSetFacts,
} from '@cupel/domain'
import { busiestAddresses, examineAddress, type CheckedLedgerDeps, type Searched } from '@cupel/ledger'
import type { Database, Queryable } from '@cupel/postgres'
import { PausedError } from '@cupel/projections'
import type { ChainRequest } from './candidates.js'
import { createBusyWork, type BusyWork } from './examination/busy-work.js'
import { screenedByAccount, type Screened } from './examination/screened-addresses.js'
import { createExaminationThreads } from './examination/examination-threads.js'
import {
  createExaminer,
  noTransfers,
  processMs,
  type Examined,
  type Examiner,
  type ExaminationOrder,
} from './examination/examiner.js'
import { createLateWork, MAX_WORK_MS, type Finished, type LateWork, type WorkKey } from './late-work.js'
import { watchLedger, type LedgerWatch, type Ranges } from './ledger-watch.js'
import { LateError } from './turns.js'

export interface ExposureContext {
  readonly policy: CompiledPolicy
  readonly labelSetSeq: number
  readonly labelSets: readonly LabelSetFacts[]
  /** UTC, RFC 3339. */
  readonly generatedAt: string
}

/** Looks which addresses of a batch the ledger may hold. `null` if there is no ledger: then nothing waits. Throws PausedError if its rows are not those of the log. */
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
  readonly searched: Searched
}

const nothingSearched: Searched = { followed: [], historiesAtS: [] }

/** Whether a report of these findings says less than a later one would. */
const lacksPart = ({ exposure, cluster }: LedgerFindings): boolean =>
  exposure.status === 'late' || exposure.status === 'failed' || cluster?.stopped === 'failed'

export interface ExposureStage {
  forLane(lane: Lane): LookIntoLedger
  /** The state of the ledger that is examined now; 0 where there is none. */
  seq(): number
  /** Why nothing of the ledger may be used, as a sentence; null if it may. */
  fault(): string | null
  /** How far all rows of the ledger are compared with the log. */
  rows(): ReturnType<LedgerWatch['rows']>
  /** Resolves when nothing that was late for this address is still under way. */
  settled(place: { readonly chain: string; readonly address: string }): Promise<unknown>
  stop(): Promise<void>
}

export interface ExposureStageDeps extends CheckedLedgerDeps {
  /** With it threads examine, with connections of their own; this thread does otherwise. */
  readonly connection?: Database['connection']
  readonly logger: Logger
  readonly metrics: Metrics
  /** How long a screen waits for the ledger, in milliseconds. */
  readonly budgetMs: number
  /** A difference of the rows that an ended scorer found. */
  readonly doubt?: string | null
}

/** No caller waits for one item of a bulk job: its budget is this many times as long. */
const BULK_BUDGETS = 10

/** Resolves after the first look at the ledger. */
export async function startExposureStage(deps: ExposureStageDeps): Promise<ExposureStage> {
  const { database, connection, logger, metrics, budgetMs } = deps
  const threads = connection === undefined ? null : createExaminationThreads({ connection, logger })
  const ledger = await watchLedger({
    ...deps,
    // A thread takes some time to begin, and no screen should wait for that.
    beforeFirst: async () => await threads?.ready(),
  })
  const busy = createBusyWork({
    addressesOf: (chain) => busiestAddresses(database, chain),
    onError: (error) =>
      logger.warn({ err: error }, 'The busiest addresses of the ledger are not examined early'),
  })
  const stage: Stage = {
    ...{ database, logger, ledger, busy },
    outcomes: metrics.counter('scorer_exposure_total', 'Addresses looked for in the ledger', ['status']),
    examiner: threads ?? createExaminer(database),
    demoExaminer: createExaminer(database),
    late: createLateWork((error) => logger.warn({ err: error }, 'A late examination of the ledger failed')),
  }
  return {
    forLane: (lane) => (requests) => {
      const fault = ledger.fault()
      if (fault !== null) throw new PausedError(fault)
      const ledgerSeq = ledger.seq()
      if (!requests.some((one) => isAsked(one, ledgerSeq))) return null
      const limitMs = lane === 'bulk' ? budgetMs * BULK_BUDGETS : budgetMs
      return look(stage, requests, { ledgerSeq, lane, deadlineAtMs: processMs() + limitMs })
    },
    seq: () => ledger.seq(),
    fault: () => ledger.fault(),
    rows: () => ledger.rows(),
    settled: (place) => stage.late.settled(place),
    async stop() {
      await Promise.all([busy.stop(), stage.late.stop()])
      await ledger.stop()
      await threads?.close()
    },
  }
}

/** The first report of an installation is made while its process still warms up, and must show a path of money. */
const DEMO_EXTRA_MS = 5_000

const isOfDemo = ({ data }: ChainRequest): boolean => isDemoAddress(data.chain, data.canonicalAddress)

/** Without a ledger only addresses of the demo are examined, on the ledger of the demo. */
const isAsked = (one: ChainRequest, ledgerSeq: number): boolean =>
  one.data.livemode && (ledgerSeq > 0 || isOfDemo(one))

interface Stage {
  readonly database: Queryable
  readonly logger: Logger
  readonly ledger: Awaited<ReturnType<typeof watchLedger>>
  readonly outcomes: ReturnType<Metrics['counter']>
  readonly examiner: Examiner
  /** Examines the few transfers of the demo in this thread, so that a first screen waits for no thread to begin. */
  readonly demoExaminer: Examiner
  readonly late: LateWork<LedgerFindings>
  readonly busy: BusyWork
}

interface LookOptions {
  readonly ledgerSeq: number
  readonly lane: ExaminationOrder['lane']
  /** On the clock of `processMs`. */
  readonly deadlineAtMs: number
}

function look(
  stage: Stage,
  requests: readonly ChainRequest[],
  { ledgerSeq, lane, deadlineAtMs }: LookOptions,
): LedgerLook {
  const { ledger, outcomes } = stage
  const isHeld = ({ data: { chain, canonicalAddress } }: ChainRequest): boolean =>
    mayHold(ledger, { chain, address: canonicalAddress, ledgerSeq })
  const examined = requests.filter(
    (one) => isAsked(one, ledgerSeq) && (one.isCandidate !== true || isHeld(one)),
  )
  const groupsOf = (some: readonly ChainRequest[]): LookGroup[] =>
    screenedByAccount(some).map((screened) => groupOf(ledger, { ...screened, ledgerSeq, lane, deadlineAtMs }))
  const real = groupsOf(examined.filter((one) => !isOfDemo(one)))
  const ofDemo = groupsOf(examined.filter(isOfDemo))
  return {
    examine(context) {
      const { labelSets } = context
      const isOn = ({ chain, screened }: LookGroup): boolean =>
        [...screened].some((address) => isExaminedInDemo({ chain, address, labelSets }))
      const untilMs = (group: LookGroup): number => deadlineAtMs + (isOn(group) ? DEMO_EXTRA_MS : 0)
      const groups = [...real, ...ofDemo.map((group) => ({ ...group, deadlineAtMs: untilMs(group) }))]
      const records = new Map<string, Promise<LedgerFindings>>()
      for (const group of groups) prepareBusiest(stage, { group, context })
      for (const group of groups)
        for (const address of group.screened)
          records.set(nameOf(group, address), findOrExamine(stage, address, { group, context }))
      return requests.map(({ data }) => {
        const { chain, canonicalAddress, accountId } = data
        const findings = records.get(nameOf({ chain, accountId }, canonicalAddress))
        if (!data.livemode || findings === undefined) return null
        if (ledgerSeq === 0 && !isExaminedInDemo({ chain, address: canonicalAddress, labelSets })) return null
        return findings.then((one) => {
          outcomes.inc({ status: one.exposure.status })
          return one
        })
      })
    },
  }
}

const nameOf = ({ chain, accountId }: Pick<LookGroup, 'chain' | 'accountId'>, address: string): string =>
  `${accountId} ${chain} ${address}`

/** The addresses of one account and chain, and the state in which they are examined. */
interface LookGroup extends LookOptions, Screened {
  /** The addresses of these that the ledger may contain. */
  readonly held: ReadonlySet<string>
  readonly ranges: Promise<Ranges>
  readonly hasHistories: Promise<boolean>
  readonly pricesSha256: string | null
}

/** The ledger of the demo holds what no ledger of a chain does. */
const mayHold = (
  ledger: Stage['ledger'],
  { chain, address, ledgerSeq }: Pick<ExaminationOrder, 'chain' | 'address' | 'ledgerSeq'>,
): boolean => isDemoAddress(chain, address) || ledger.mayHold(chain, address, ledgerSeq)

/** Most addresses are in no ledger. An in-memory filter identifies many of them, and those are not queried. */
function groupOf(
  ledger: Stage['ledger'],
  { accountId, chain, screened, ...options }: Screened & LookOptions,
): LookGroup {
  const { ledgerSeq } = options
  const held = new Set([...screened].filter((address) => mayHold(ledger, { chain, address, ledgerSeq })))
  const ranges = ledger.rangesOf(chain, ledgerSeq)
  const hasHistories = ledger.hasHistories(chain, ledgerSeq)
  // The examination handles a failure; until it begins the rejection must not count as unhandled.
  for (const reading of [ranges, hasHistories]) reading.catch(() => undefined)
  const read = { ranges, hasHistories, pricesSha256: ledger.pricesSha256() }
  return { accountId, chain, screened, held, ...read, ...options }
}

interface ExaminationOf {
  readonly group: LookGroup
  readonly context: ExposureContext
}

/** What was finished in the background is as good as read now. What is under way there is not begun a second time. */
async function findOrExamine(stage: Stage, address: string, of: ExaminationOf): Promise<LedgerFindings> {
  const { group, context } = of
  const key = workKey(address, of)
  const kept = (): LedgerFindings | undefined => stage.late.find(key, Date.parse(context.generatedAt))
  const underWay = stage.late.underWay(key)
  // The timer of a busy process may end some milliseconds early. Nothing is begun in what is left then.
  const isOver =
    underWay !== undefined && (await withinMs(group.deadlineAtMs - processMs(), underWay)) === LATE
  const known = kept()
  if (known !== undefined) return known
  const { result } = await examine(
    stage,
    address,
    isOver ? { ...of, group: { ...group, deadlineAtMs: processMs() } } : of,
  )
  if (lacksPart(result)) stage.late.finish(group.accountId, key, () => examineLate(stage, address, of))
  return result
}

function workKey(address: string, { group, context }: ExaminationOf): WorkKey {
  const { chain, ledgerSeq, pricesSha256 } = group
  const state = [ledgerSeq, context.labelSetSeq, context.policy.sha256, pricesSha256].join(' ')
  return { chain, address, state }
}

/** What no account asked for takes turns with the accounts. */
const NOBODY = ''

/** The first screen of a state begins the examination of the addresses that take longest, so that their own screens find a result. */
function prepareBusiest(stage: Stage, { group, context }: ExaminationOf): void {
  const { late, ledger, busy } = stage
  const { chain, ledgerSeq, lane, deadlineAtMs } = group
  busy.begin(chain, workKey('', { group, context }).state, async (address) => {
    const screened = new Set([address])
    const options = { accountId: NOBODY, ledgerSeq, lane, deadlineAtMs }
    const of = { group: groupOf(ledger, { chain, screened, ...options }), context }
    const key = workKey(address, of)
    if (late.find(key, Date.parse(context.generatedAt)) !== undefined) return
    late.finish(NOBODY, key, () => examineLate(stage, address, of))
    await late.settled(key)
  })
}

async function examine(stage: Stage, address: string, of: ExaminationOf): Promise<Examined<LedgerFindings>> {
  const [exposure, cluster] = await Promise.all([
    exposureWithin(stage, address, of),
    clusterWithin(stage, address, of),
  ])
  const labelsHoldUntilMs = Math.min(exposure.labelsHoldUntilMs, cluster.labelsHoldUntilMs)
  const { result, searched = nothingSearched } = exposure
  return { result: { exposure: result, cluster: cluster.result, searched }, labelsHoldUntilMs }
}

/** Reads everything again, in the state that the late report names. */
async function examineLate(
  stage: Stage,
  address: string,
  { group, context }: ExaminationOf,
): Promise<Finished<LedgerFindings> | null> {
  const again = { ...group, lane: 'late', deadlineAtMs: processMs() + MAX_WORK_MS } as const
  const ranges = await stage.ledger.rangesOf(group.chain, group.ledgerSeq)
  const found = await examine(stage, address, {
    group: { ...again, ranges: Promise.resolve(ranges) },
    context,
  })
  if (lacksPart(found.result)) return null
  const maxAgeMs = context.policy.exposure.document.history_max_age_hours * HOUR_MS
  const madeAtMs = Date.parse(context.generatedAt)
  const ends = [...ranges.map(({ toAtS }) => toAtS), ...found.result.searched.historiesAtS]
  const moments = ends.flatMap((toAtS) =>
    toAtS === null ? [] : [toAtS * 1_000, toAtS * 1_000 + maxAgeMs].filter((at) => at >= madeAtMs),
  )
  return { result: found.result, holdsUntilMs: Math.min(found.labelsHoldUntilMs, ...moments) }
}

const HOUR_MS = 3_600_000

/** A timer may end a moment before its time. */
const hasTimeLeft = ({ deadlineAtMs }: Pick<LookGroup, 'deadlineAtMs'>): boolean =>
  deadlineAtMs - processMs() > 1

async function orderOf(address: string, { group, context }: ExaminationOf): Promise<ExaminationOrder> {
  const { accountId, chain, ledgerSeq, lane, deadlineAtMs, pricesSha256 } = group
  const { policy, labelSetSeq, labelSets, generatedAt } = context
  return {
    ...{ accountId, chain, address, ledgerSeq, labelSetSeq, labelSets, generatedAt },
    ...{ policyText: policy.canonical },
    ...{
      ranges: await group.ranges,
      hasHistories: await group.hasHistories,
      pricesSha256,
      lane,
      deadlineAtMs,
    },
  }
}

/** A stage that is late is dropped whole, and the report records that. */
async function exposureWithin(
  stage: Stage,
  address: string,
  of: ExaminationOf,
): Promise<Examined<ExposureRecord>> {
  const { ledgerSeq, deadlineAtMs } = of.group
  const state = { ledgerSeq, policy: of.context.policy }
  const unread = (status: 'late' | 'failed', error = ''): Examined<ExposureRecord> => ({
    result: emptyExposure(status, { ...state, error }),
    labelsHoldUntilMs: Infinity,
  })
  const ended = exposureOf(stage, address, of).catch((error: unknown) => {
    if (error instanceof LateError) return unread('late')
    stage.logger.warn({ err: error }, 'The ledger could not be examined')
    return unread('failed', error instanceof Error ? error.name : 'Error')
  })
  const examined = await withinMs(deadlineAtMs - processMs(), ended)
  return examined === LATE ? unread('late') : examined
}

async function exposureOf(
  { examiner, demoExaminer, database }: Stage,
  address: string,
  of: ExaminationOf,
): Promise<Examined<ExposureRecord>> {
  const order = await orderOf(address, of)
  if (of.group.held.has(address)) {
    if (!hasTimeLeft(order)) throw new LateError()
    return await (isExaminedInDemo(order) ? demoExaminer : examiner).exposure(order)
  }
  const request = { ...order, policy: of.context.policy, labelsOf: () => Promise.resolve(new Map()) }
  const before = { own: noTransfers, ranges: order.ranges, hasHistories: order.hasHistories }
  return { result: await examineAddress(database, request, { before }), labelsHoldUntilMs: Infinity }
}

/** A cluster that is late or cannot be read counts nothing, and the report records that. */
async function clusterWithin(
  { examiner, logger }: Stage,
  address: string,
  of: ExaminationOf,
): Promise<Examined<ClusterFacts | null>> {
  const { chain, ledgerSeq, held, deadlineAtMs } = of.group
  const holding = (result: ClusterFacts | null) => ({ result, labelsHoldUntilMs: Infinity })
  // An address that spends has transfers.
  if (chainFactsOf(chain)?.spendsTogether !== true || !held.has(address)) return holding(null)
  const unread = holding({ clusterId: '', size: 0, ledgerSeq, stopped: 'failed', labels: [] })
  if (!hasTimeLeft(of.group)) return unread
  const read = async () => await examiner.cluster(await orderOf(address, of))
  const ended = read().catch((error: unknown) => {
    logger.warn({ err: error }, 'A cluster could not be read')
    return unread
  })
  const examined = await withinMs(deadlineAtMs - processMs(), ended)
  return examined === LATE ? unread : examined
}

/** The scorer as a running service: it watches the label view and, once that is complete, decides the requests of its lanes. */
import { createBatcher } from '@cupel/kit/concurrency'
import { screenTopic, topicOf, type Lane, type Logger, type Metrics, type Tracing } from '@cupel/contracts'
import { missingFront, type EventCodec, type EventLog, type LogIdentity } from '@cupel/event-log'
import {
  knownDifference,
  tellComparedRows,
  tellDwells,
  type ComparedRows,
  type DwellTelling,
} from '@cupel/projections/heartbeats'
import { noteProvidedChains } from '@cupel/ledger'
import { sqlState, type Database } from '@cupel/postgres'
import { consume, inBackground, loadCheckpoint, PausedError, type Consumer } from '@cupel/projections'
import { LABEL_PARTITION, LABEL_TOPIC, labelViewGroup } from '@cupel/labels/read-model'
import { openSignedLog, startInstallationClock } from '@cupel/operation/connections'
import type { SigningConfig } from '@cupel/evidence/transparency'
import type { Check, Config, RunningService } from '@cupel/kit/service'
import {
  openChainStage,
  type ChainStage,
  type ChainStageConfig,
  type PreparedRequest,
  createDecider,
  startExposureStage,
  type ExposureStage,
  createStatedInputs,
  type StatedInputs,
  createInstruments,
  type ScorerInstruments,
  watchLabelRows,
  createLabelStates,
  type LabelStates,
  startLabelWatch,
  type LabelWatch,
  createLaneWork,
  type Decide,
  type Outcome,
  type RequestRecord,
  createPatience,
  type Patience,
  neverAsking,
  confirmTransfers,
  watchFollowers,
  laneSettings,
} from '@cupel/screening/worker'
import { type HistoryStage, openHistoryStage, type HistoryConfig } from '@cupel/chain-data/worker'

export interface ScorerDeps {
  readonly config: Pick<
    Config,
    | 'CUPEL_SCORER_LANE'
    | 'CUPEL_LABEL_LAG_LIMIT_MS'
    | 'CUPEL_LABEL_LAG_REFUSE_MS'
    | 'CUPEL_EXPOSURE_BUDGET_MS'
    | 'CUPEL_BULK_DWELL_TARGET_MS'
  > &
    ChainStageConfig &
    HistoryConfig &
    SigningConfig
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  /** Null or absent: no traces are made. */
  readonly tracing?: Tracing | null
  /** Called for a failure that only a restart repairs. */
  readonly fail: (reason: string, error: unknown) => void
  /** In place of the clock of this machine. */
  readonly now?: () => Date
}

/** Partitions that a lane handles at once; more than any topic has. */
const MAX_CONCURRENT_PARTITIONS = 64
/** Records whose reports may be on their way to the log at once. */
const MAX_IN_FLIGHT_RECORDS = 2_000
/** How long a record may wait for the schema it was written with. Later records wait as long, so it is less than a second. */
const SCHEMA_PATIENCE_MS = 800

/** They state what the scorer reads from tables. */
const STATED_TOPICS = [LABEL_TOPIC, topicOf('PolicyActivated'), topicOf('LedgerSegmentImported')]

/** Resolves as soon as the scorer has begun; it handles requests once its checks pass. */
export async function startScorer(given: ScorerDeps): Promise<RunningService> {
  const deps = { ...given, log: await openSignedLog(given) }
  const clock = await startInstallationClock({ ...deps, machineNow: deps.now })
  const { now } = clock
  const instruments = createInstruments(deps.metrics)
  const lanes: { readonly lane: Lane; readonly consumer: Consumer }[] = []
  const identity = await deps.log.identity()
  const chainStage = await openChainStage({ ...deps, now })
  await tellProvidedChains(deps.database, chainStage.chains)
  const exposureStage = await startExposureStage({
    ...deps,
    connection: deps.database.connection,
    budgetMs: deps.config.CUPEL_EXPOSURE_BUDGET_MS,
    doubt: await knownDifference(deps.database, 'ledger'),
  })
  const stated = createStatedInputs(deps)
  const labelRows = watchLabelRows({ ...deps, doubt: await knownDifference(deps.database, 'labels') })
  const comparedRows = (): readonly ComparedRows[] => [labelRows.state(), exposureStage.rows()]
  const onUntold = (error: unknown): void =>
    deps.logger.warn({ err: error }, 'The installation is not told what was compared with the log')
  const telling = tellComparedRows(deps.database, { read: comparedRows, onError: onUntold })
  const followers = watchFollowers(deps)
  const watch = startLabelWatch({
    endOffset: () => deps.log.endOffset(LABEL_TOPIC, LABEL_PARTITION),
    viewNext: () => readViewNext(deps.database, identity),
    inputFault: async () =>
      (await missingFront(deps.log, STATED_TOPICS)) ??
      exposureStage.fault() ??
      labelRows.fault() ??
      (await stated.fault()),
    limits: {
      staleAfterMs: deps.config.CUPEL_LABEL_LAG_LIMIT_MS,
      refuseAfterMs: deps.config.CUPEL_LABEL_LAG_REFUSE_MS,
    },
    now: () => now().getTime(),
    logger: deps.logger,
    onLook: (verdict) => {
      if ('lagMs' in verdict && verdict.lagMs !== null) instruments.labelLag(verdict.lagMs)
      for (const { lane, consumer } of lanes) instruments.lag(lane, consumer.lag())
      comparedRows().forEach(instruments.compared)
    },
  })
  const labelStates = createLabelStates(deps)
  const dwells = startDwells(deps)
  const { historyStage, patience } = await openBackground(deps, { chainStage, exposureStage, now })
  const more = { labelStates, chainStage, exposureStage, historyStage, patience, instruments, dwells, now }
  const context = { deps, identity, watch, stated, ...more }
  for (const lane of lanesOf(deps.config.CUPEL_SCORER_LANE))
    lanes.push({ lane, consumer: runLane(lane, context) })
  return {
    name: 'scorer',
    checks: () => [
      labelCheck(watch),
      ...comparedRows().map(rowsCheck),
      ...[followers.check(), ...(historyStage?.checks() ?? [])],
      ...lanes.map(({ lane, consumer }) => laneCheck(lane, consumer)),
    ],
    async stop() {
      await Promise.all([telling.stop(), followers.stop()])
      patience.stop()
      await watch.stop()
      await labelRows.stop()
      await Promise.all(lanes.map(({ consumer }) => consumer.stop()))
      await dwells.stop()
      await Promise.all([historyStage?.stop(), chainStage.close()])
      await exposureStage.stop()
      await clock.stop()
    },
  }
}

/** What goes on beside the screens, and who waits for it. */
async function openBackground(
  deps: ScorerDeps,
  {
    chainStage,
    exposureStage,
    now,
  }: { readonly chainStage: ChainStage; readonly exposureStage: ExposureStage; readonly now: () => Date },
): Promise<{ readonly historyStage: HistoryStage | undefined; readonly patience: Patience }> {
  const ledgerSeq = (): number => exposureStage.seq()
  const historyStage = await openHistoryStage({ ...deps, providers: chainStage.own, ledgerSeq, now })
  const patience = createPatience({
    now,
    settled: (place) => Promise.all([exposureStage.settled(place), historyStage?.settled(place)]),
  })
  return { historyStage, patience }
}

const startDwells = ({ database, logger, config }: ScorerDeps): DwellTelling =>
  tellDwells(database, {
    targetMs: config.CUPEL_BULK_DWELL_TARGET_MS,
    onError: (error) =>
      logger.warn({ err: error }, 'Bulk jobs do not learn how long interactive screens wait'),
  })

/** For later decisions as of a past moment. An installation without a ledger has no table, and nothing to be contradicted. */
async function tellProvidedChains(database: Database, chains: readonly string[]): Promise<void> {
  await noteProvidedChains(database, chains).catch((error: unknown) => {
    if (sqlState(error) !== UNDEFINED_TABLE) throw error
  })
}

/** SQLSTATE of an installation without ledger tables. */
const UNDEFINED_TABLE = '42P01'

const lanesOf = (choice: Config['CUPEL_SCORER_LANE']): readonly Lane[] =>
  choice === 'both' ? ['interactive', 'bulk'] : [choice]

/** Null where there is no checkpoint, or one of another log. */
async function readViewNext(database: Database, identity: LogIdentity): Promise<number | null> {
  const place = { group: labelViewGroup, topic: LABEL_TOPIC, partition: LABEL_PARTITION }
  const checkpoint = await loadCheckpoint(database, place)
  return checkpoint === null || checkpoint.log !== identity ? null : checkpoint.next
}

function labelCheck(watch: LabelWatch): Check {
  const verdict = watch.verdict()
  const ok = verdict.kind === 'current' || verdict.kind === 'lagging'
  const detail =
    'reason' in verdict ? verdict.reason : `${verdict.kind}, ${Math.round(verdict.lagMs)} ms behind`
  return { name: 'label view', ok, detail }
}

const rowsCheck = ({ kind, ageMs, fault, difference }: ComparedRows): Check => ({
  name: `rows of ${kind}`,
  ok: fault === null && difference === null,
  detail: difference ?? fault ?? `compared with the log ${Math.round(ageMs / 1_000)} s ago`,
})

interface LaneContext {
  readonly deps: ScorerDeps
  readonly identity: LogIdentity
  readonly watch: LabelWatch
  readonly stated: StatedInputs
  readonly labelStates: LabelStates
  readonly chainStage: ChainStage
  readonly exposureStage: ExposureStage
  readonly historyStage: HistoryStage | undefined
  readonly patience: Patience
  readonly instruments: ScorerInstruments
  readonly dwells: DwellTelling
  readonly now: () => Date
}

function runLane(lane: Lane, context: LaneContext): Consumer {
  const { deps, watch, chainStage, patience, instruments, dwells, now } = context
  const { database, log, codec, logger, metrics } = deps
  const { group, maxBatchRecords } = laneSettings[lane]
  const { read, decide, append, outcomeOf } = createLaneWork({
    ...{ lane, log, codec, instruments, now },
    onDwell: (dwellMs) => dwells.decided(dwellMs),
    tracing: deps.tracing,
    decide: patience.after(
      confirmTransfers(lane, chainStage.before(lane, decideTogether(lane, context)), {
        confirmations: context.historyStage?.confirmations,
        ...{ budgetMs: deps.config.CUPEL_CHAIN_DATA_BUDGET_MS, now },
        neverAsking: (accountIds) => neverAsking(database, accountIds),
      }),
    ),
  })
  return consume<RequestRecord, Outcome>({
    ...{ log, logger, group, maxBatchRecords, read, decide },
    topics: [screenTopic(lane, true), screenTopic(lane, false)],
    concurrency: MAX_CONCURRENT_PARTITIONS,
    schemaPatienceMs: SCHEMA_PATIENCE_MS,
    ready: () => watch.started(),
    refusal: () => {
      const verdict = watch.verdict()
      return 'reason' in verdict ? verdict.reason : null
    },
    deadLetters: {
      at: 'scorer.dead-letter',
      metrics,
      outcomeOf,
      window: {
        isReachable: watch.reachable,
        isSuccess: (outcome) =>
          outcome.kind === 'awaited' ? outcome.outcome.then(isDecided) : isDecided(outcome),
      },
    },
    commit: inBackground({
      database,
      at: 'scorer.checkpoint',
      append,
      maxInFlightRecords: MAX_IN_FLIGHT_RECORDS,
      onInFlight: (records) => instruments.inFlight(lane, records),
    }),
    onStopped: (error) => deps.fail(`The ${lane} lane of the scorer has stopped`, error),
  })
}

/** A caller that waits for more has a report already. */
const isDecided = ({ kind }: Outcome): boolean =>
  kind === 'report' || kind === 'awaited' || kind === 'refused'

/** Requests of several partitions that arrive in the same moment are decided from one snapshot. */
function decideTogether(
  lane: Lane,
  { deps, identity, watch, stated, labelStates, exposureStage, historyStage, instruments, now }: LaneContext,
): Decide<PreparedRequest> {
  const { maxBatchRecords, maxConcurrentBatches } = laneSettings[lane]
  const decide = createDecider({
    ...{ database: deps.database, log: identity, stated, labelStates, instruments, now },
    labelView: () => {
      const verdict = watch.verdict()
      if ('reason' in verdict) throw new PausedError(verdict.reason)
      return verdict.kind
    },
    lookIntoLedger: exposureStage.forLane(lane),
    ...(historyStage === undefined ? {} : { readingOf: historyStage.readingOf }),
  })
  const batcher = createBatcher({
    async run(requests: readonly PreparedRequest[]) {
      const decisions = await decide(requests)
      // No caller waits for one item of a bulk job. The lane waits for a batch before it decides the next: more items at once
      // would make each other late.
      if (lane === 'bulk') await Promise.all(decisions)
      // Whoever asked may still wait for other batches.
      for (const decision of decisions) decision.catch(() => undefined)
      return decisions.map((decision) => ({ decision }))
    },
    maxBatchItems: maxBatchRecords,
    maxConcurrentBatches,
  })
  return async (requests) => (await batcher.addAll(requests)).map(({ decision }) => decision)
}

function laneCheck(lane: Lane, consumer: Consumer): Check {
  const problem = consumer.problem() ?? (consumer.isJoined() ? null : 'starting')
  return { name: `${lane} requests`, ok: problem === null, ...(problem === null ? {} : { detail: problem }) }
}

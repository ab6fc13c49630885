/** The scorer: follows the label view, and once that is complete takes requests from its lanes. */
import { screenTopic, type Lane, type Logger, type Metrics } from '@cupel/contracts'
import type { EventCodec, EventLog, LogIdentity, Subscription } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { createBackgroundCheckpoint, loadCheckpoint, type BackgroundCheckpoint } from '@cupel/projections'
import { LABEL_PARTITION, LABEL_TOPIC, labelViewGroup } from '@cupel/read-models'
import type { Check, Config, RunningService } from '@cupel/service-kit'
import { openChainStage, type ChainStage, type ChainStageConfig } from './chain-stage.js'
import { deadLetterTopic } from './dead-letter.js'
import { createDecider } from './decide-requests.js'
import { startExposureStage, type ExposureStage } from './exposure-stage.js'
import { createFailureWindow } from './failure-window.js'
import { createGatherer } from './gather.js'
import { createInstruments, type ScorerInstruments } from './instruments.js'
import { startLabelWatch, type LabelWatch } from './label-watch.js'
import { createLane, PausedError, type HandledRange, type LaneHandler } from './lane.js'

export interface ScorerDeps {
  readonly config: Pick<
    Config,
    | 'CUPEL_SCORER_LANE'
    | 'CUPEL_LABEL_LAG_LIMIT_MS'
    | 'CUPEL_LABEL_LAG_REFUSE_MS'
    | 'CUPEL_EXPOSURE_BUDGET_MS'
  > &
    ChainStageConfig
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  /** Called where only a restart leads back. */
  readonly fail: (reason: string, error: unknown) => void
  readonly now?: () => Date
}

interface LaneSettings {
  readonly group: string
  readonly maxBatchRecords: number
  readonly maxConcurrentBatches: number
}

/** Bulk goes in small pieces, one at a time: on a shared event loop a large one would stand before interactive requests. */
const laneSettings: Readonly<Record<Lane, LaneSettings>> = {
  interactive: { group: 'scorer.interactive.v1', maxBatchRecords: 256, maxConcurrentBatches: 2 },
  bulk: { group: 'scorer.bulk.v1', maxBatchRecords: 32, maxConcurrentBatches: 1 },
}
/** Partitions a lane handles at once; beyond any topic's number of them. */
const MAX_CONCURRENT_PARTITIONS = 64
/** Pause before a start that failed is tried again. */
const START_RETRY_MS = 1_000

export const SCORER_GROUPS: readonly string[] = Object.values(laneSettings).map(({ group }) => group)

/** What the scorer lays aside lies here; needed before the first record of a group fails. */
export const scorerDeadLetterTopics = SCORER_GROUPS.map(deadLetterTopic)

/** Resolves as soon as the scorer has begun; it takes requests once its checks hold. */
export async function startScorer(deps: ScorerDeps): Promise<RunningService> {
  const now = deps.now ?? (() => new Date())
  const instruments = createInstruments(deps.metrics)
  const identity = await deps.log.identity()
  await deps.log.ensureTopics(scorerDeadLetterTopics)
  const chainStage = await openChainStage({ ...deps, now })
  const exposureStage = await startExposureStage({ ...deps, budgetMs: deps.config.CUPEL_EXPOSURE_BUDGET_MS })
  const watch = startLabelWatch({
    endOffset: () => deps.log.endOffset(LABEL_TOPIC, LABEL_PARTITION),
    viewNext: () => readViewNext(deps.database, identity),
    limits: {
      staleAfterMs: deps.config.CUPEL_LABEL_LAG_LIMIT_MS,
      refuseAfterMs: deps.config.CUPEL_LABEL_LAG_REFUSE_MS,
    },
    now: () => now().getTime(),
    logger: deps.logger,
    onLook: (verdict) => {
      if ('lagMs' in verdict && verdict.lagMs !== null) instruments.labelLag(verdict.lagMs)
    },
  })
  const lanes = lanesOf(deps.config.CUPEL_SCORER_LANE).map((lane) =>
    runLane(lane, { deps, identity, watch, chainStage, exposureStage, instruments, now }),
  )
  return {
    name: 'scorer',
    checks: () => [labelCheck(watch), ...lanes.flatMap((lane) => lane.checks())],
    async stop() {
      await watch.stop()
      await Promise.all(lanes.map((lane) => lane.stop()))
      await chainStage.close()
      await exposureStage.stop()
    },
  }
}

const lanesOf = (choice: Config['CUPEL_SCORER_LANE']): readonly Lane[] =>
  choice === 'both' ? ['interactive', 'bulk'] : [choice]

/** A checkpoint of another log says nothing about this one. */
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

interface LaneContext {
  readonly deps: ScorerDeps
  readonly identity: LogIdentity
  readonly watch: LabelWatch
  readonly chainStage: ChainStage
  readonly exposureStage: ExposureStage
  readonly instruments: ScorerInstruments
  readonly now: () => Date
}

interface RunningLane {
  readonly checks: () => readonly Check[]
  stop(): Promise<void>
}

function runLane(
  lane: Lane,
  { deps, identity, watch, chainStage, exposureStage, instruments, now }: LaneContext,
): RunningLane {
  const { database, log, logger } = deps
  const { group, maxBatchRecords, maxConcurrentBatches } = laneSettings[lane]
  const failures = createFailureWindow()
  const checkpoint = createBackgroundCheckpoint({
    database,
    group,
    log: identity,
    at: 'scorer.checkpoint',
    logger,
    // Where the partition is still ours, only reading on from the stored checkpoint leads back to one that moves.
    onLost: (position) => subscription?.restart(position),
  })
  let subscription: Subscription | null = null
  let problem: string | null = 'starting'
  let stopping = false

  const labelView = (): 'current' | 'lagging' => {
    const verdict = watch.verdict()
    if ('reason' in verdict) throw new PausedError(verdict.reason)
    return verdict.kind
  }
  const decide = createDecider({
    ...{ database, log: identity, labelView, instruments, now },
    lookIntoLedger: exposureStage.forLane(lane),
  })
  const gatherer = createGatherer({
    // Nobody waits for an item of a bulk: as many at once as one batch holds, or they would make each other late.
    run: lane === 'bulk' ? async (requests) => await Promise.all(await decide(requests)) : decide,
    maxBatchItems: maxBatchRecords,
    maxConcurrentBatches,
  })
  const handler = createLane({
    ...{ lane, group, log, logger, instruments, failures, now },
    codec: deps.codec,
    decide: chainStage.before(lane, gatherer.submit),
    refusal: () => {
      const verdict = watch.verdict()
      return 'reason' in verdict ? verdict.reason : null
    },
    reachable: watch.reachable,
    progress: {
      done: (range) => checkpoint.acknowledged(range),
      failed: (range, error) => readAgain(range, error),
    },
  })

  /** Without an acknowledgement nobody knows whether the reports were written: they are decided and appended again. */
  function readAgain(range: HandledRange, error: unknown): void {
    logger.warn(
      { err: error, group, ...range },
      'Reports were not acknowledged; their requests are read again',
    )
    subscription?.restart(range)
  }

  async function start(): Promise<void> {
    await watch.started()
    subscription = await log.subscribe({
      group,
      topics: [screenTopic(lane, true), screenTopic(lane, false)],
      checkpoint: async (position) => {
        // What is acknowledged and not yet stored would be done again; where storing fails, loading says so.
        await checkpoint.flush().catch(() => undefined)
        return await checkpoint.load(position)
      },
      handle: async (batch) => {
        const outcome = await handler.handle(batch)
        problem = null
        instruments.inFlight(lane, handler.inFlight.count())
        return outcome
      },
      maxBatchRecords,
      concurrency: MAX_CONCURRENT_PARTITIONS,
      onStopped: (error) => {
        problem = error.message
        deps.fail(`The ${lane} lane of the scorer has stopped`, error)
      },
      onRetry: (error) => complain(error),
    })
    problem = null
  }

  /** An outage is one line, not one per attempt. */
  function complain(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    if (reason !== problem) logger.warn({ err: error, group }, `Requests wait and are tried again: ${reason}`)
    problem = reason
  }

  const starting = untilStarted(start, { complain, isStopping: () => stopping })
  return {
    checks: () => [
      { name: `${lane} requests`, ok: problem === null, ...(problem === null ? {} : { detail: problem }) },
    ],
    async stop() {
      stopping = true
      await starting
      await finish(subscription, handler, checkpoint)
    },
  }
}

async function untilStarted(
  start: () => Promise<void>,
  { complain, isStopping }: { complain: (error: unknown) => void; isStopping: () => boolean },
): Promise<void> {
  while (!isStopping()) {
    try {
      return await start()
    } catch (error) {
      if (isStopping()) return
      complain(error)
      await new Promise((resolve) => setTimeout(resolve, START_RETRY_MS))
    }
  }
}

/** What was taken is finished: reports acknowledged, then the checkpoint stored, so that nothing is repeated needlessly. */
async function finish(
  subscription: Subscription | null,
  handler: LaneHandler,
  checkpoint: BackgroundCheckpoint,
): Promise<void> {
  await subscription?.stop()
  await handler.inFlight.empty()
  await checkpoint.stop()
}

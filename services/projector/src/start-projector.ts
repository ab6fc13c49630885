/**
 * Runs every read model, each with its own checkpoint, the outbox relay, the transparency log, and where it is switched on the topic of the
 * latest reports.
 */
import { topicSpecs, type Logger, type Metrics, type Tracing } from '@cupel/contracts'
import { LogStoppedError, type EventCodec, type EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import {
  runReadModel,
  startOutboxRelay,
  type OutboxRelay,
  type ProjectionStatus,
  type ReadModel,
  type RunningReadModel,
} from '@cupel/projections'
import { readModels } from '@cupel/operation/read-models'
import { openSignedLog, watchDatabaseSize } from '@cupel/operation/connections'
import {
  type EvidenceConfig,
  evidenceSettings,
  type EvidenceSettings,
  forgetWitnesses,
  lostRecords,
  readWitnessSettings,
  type RunningTransparency,
  type RunningWitnesses,
  type SigningConfig,
  startTransparency,
  startWitnesses,
} from '@cupel/evidence/transparency'
import { ConfigError, type Check, type RunningService } from '@cupel/kit/service'
import { SigningKeysError } from '@cupel/signing'
import { keepLatestReports, type LatestReports } from '@cupel/reports/worker'
import { watchLists } from '@cupel/labels/worker'

export interface ProjectorDeps {
  readonly log: EventLog
  readonly codec: EventCodec
  /** Uses one connection per read model and six more. */
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  /** Null or absent: no traces are made. */
  readonly tracing?: Tracing | null
  /** Ends the process, so that a new one takes its place. A read model that stopped at a record is not a reason: the others go on. */
  readonly fail?: (reason: string, error: unknown) => void
  /**
   * Names the signing keys and the file of witnesses, and says whether the topic of the latest reports is kept. Without signing keys
   * there is no transparency log.
   */
  readonly config?: EvidenceConfig &
    SigningConfig & {
      readonly CUPEL_LATEST_REPORTS?: boolean
      readonly CUPEL_WITNESSES_FILE?: string | undefined
    }
}

export interface RunningProjector extends RunningService {
  readonly projections: () => readonly ProjectionStatus[]
  /** Stops one read model; the others go on. Throws if there is none of this name. */
  stopProjection(name: string): Promise<void>
}

/** Resolves once every projection has been started; `checks` report when they run. The tables exist already. */
export async function startProjector({ config, ...given }: ProjectorDeps): Promise<RunningProjector> {
  const log = config === undefined ? given.log : await openSignedLog({ ...given, config })
  const deps = { ...given, ...(config && { config }), log }
  const { codec, database, logger, metrics } = deps
  const evidence = await openEvidence(deps)
  const projections = new Map<string, RunningReadModel>(
    readModels.map((readModel: ReadModel) => [
      readModel.name,
      runReadModel({
        ...{ readModel, log, codec, database, logger, metrics, tracing: deps.tracing ?? null },
        onStuck: (error) => deps.fail?.(`The read model ${readModel.name} hangs`, error),
      }),
    ]),
  )
  const lists = watchLists({ database, logger, metrics })
  const size = watchDatabaseSize({ database, logger, metrics })
  const relay = startOutboxRelay({ log, codec, database, logger, metrics })
  const latest = keptLatestReports(deps)
  const statuses = (): ProjectionStatus[] =>
    [...projections.values()].map((projection) => projection.status())
  return {
    name: 'projector',
    projections: statuses,
    checks: () => [
      ...statuses().map(projectionCheck),
      relayCheck(relay),
      ...asideChecks({ ...evidence, ...latest }),
    ],
    async stopProjection(name) {
      const projection = projections.get(name)
      if (projection === undefined) throw new RangeError(`There is no projection ${name}`)
      await projection.stop()
    },
    async stop() {
      await Promise.all([
        relay.stop(),
        lists.stop(),
        size.stop(),
        ...Object.values<Aside>({ ...evidence }).map((running) => running.stop()),
        latest?.['latest-reports'].stop(),
        ...[...projections.values()].map((projection) => projection.stop()),
      ])
    },
  }
}

/** The evidence that nothing was altered. All parts use the signing keys. */
interface Evidence {
  readonly transparency: RunningTransparency
  /** Absent where the installation has no witnesses. */
  readonly witnesses?: RunningWitnesses
}

async function openEvidence(deps: ProjectorDeps): Promise<Evidence | null> {
  const settings = await openSettings(deps)
  if (settings === null) return null
  const parts = { ...deps, ...settings, topics: topicSpecs }
  const file = deps.config?.CUPEL_WITNESSES_FILE
  const named = file === undefined ? null : readWitnessSettings(file)
  if (named === null) await forgetWitnesses(deps.database)
  const witnesses = named === null ? null : startWitnesses({ ...parts, settings: named })
  return {
    transparency: startTransparency({
      ...parts,
      witnesses: named?.policy,
      onSigned: () => witnesses?.wake(),
    }),
    ...(witnesses === null ? {} : { witnesses }),
  }
}

/**
 * Null if the installation has no signing keys. Throws ConfigError if they cannot be used, and where the log lost signed records:
 * later reads of the log would contradict earlier answers.
 */
async function openSettings({ config, ...deps }: ProjectorDeps): Promise<EvidenceSettings | null> {
  try {
    const settings =
      config === undefined ? null : evidenceSettings(config, (sentence) => deps.logger.warn({}, sentence))
    if (settings === null) return null
    const lost = await lostRecords({ ...deps, ...settings })
    if (lost !== null) throw new ConfigError(lost)
    return settings
  } catch (error) {
    if (!(error instanceof SigningKeysError)) throw error
    throw new ConfigError(error.message, { cause: error })
  }
}

/** Null if the installation does not keep their topic. */
function keptLatestReports(deps: ProjectorDeps): { readonly 'latest-reports': Aside } | null {
  if (deps.config?.CUPEL_LATEST_REPORTS !== true) return null
  const latest: LatestReports = keepLatestReports({
    ...deps,
    onStopped(error) {
      if (error instanceof LogStoppedError && error.reason === 'stuck')
        deps.fail?.('The topic of the latest reports is not kept any more', error)
    },
  })
  return { 'latest-reports': { error: () => latest.problem(), stop: () => latest.stop() } }
}

interface Aside {
  error(): string | null
  stop(): Promise<void>
}

/** Reported like a stopped audit view: it is at fault, and no reason to refuse screens. */
function asideChecks(asides: Readonly<Record<string, Pick<Aside, 'error'>>>): Check[] {
  return Object.entries(asides).map(([name, running]) => {
    const detail = running.error()
    return detail === null ? { name, ok: true } : { name, ok: false, aside: true, detail }
  })
}

const ASIDE: ReadonlySet<string> = new Set(
  readModels.flatMap(({ name, isAside }: ReadModel) => (isAside === true ? [name] : [])),
)

function projectionCheck({ name, state, error, stoppedAt }: ProjectionStatus): Check {
  const place =
    stoppedAt === null
      ? ''
      : ` in front of ${stoppedAt.topic}[${stoppedAt.partition}] offset ${stoppedAt.offset}`
  if (state === 'running') return { name, ok: true }
  const detail = `${state}${place}${error === null ? '' : `: ${error}`}`
  return { name, ok: false, ...(state === 'stopped' && ASIDE.has(name) ? { aside: true } : {}), detail }
}

function relayCheck(relay: OutboxRelay): Check {
  const error = relay.error()
  return error === null
    ? { name: 'outbox-relay', ok: true }
    : { name: 'outbox-relay', ok: false, detail: error }
}

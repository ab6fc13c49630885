/** Runs every read model, each with its own checkpoint, and the outbox relay. */
import type { Logger, Metrics } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import {
  installReadModels,
  runReadModel,
  startOutboxRelay,
  type OutboxRelay,
  type ProjectionStatus,
  type ReadModel,
  type RunningReadModel,
} from '@cupel/projections'
import { auditView, readModels } from '@cupel/read-models'
import type { Check, RunningService } from '@cupel/service-kit'

export interface ProjectorDeps {
  readonly log: EventLog
  readonly codec: EventCodec
  /** Uses one connection per read model and two more. */
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
}

export interface RunningProjector extends RunningService {
  readonly projections: () => readonly ProjectionStatus[]
  /** Stops one read model; the others go on. Throws where there is none of this name. */
  stopProjection(name: string): Promise<void>
}

/** Resolves once the tables exist and every projection has been started; `checks` report when they run. */
export async function startProjector(deps: ProjectorDeps): Promise<RunningProjector> {
  const { log, codec, database, logger, metrics } = deps
  await installReadModels(database, readModels)
  const projections = new Map<string, RunningReadModel>(
    readModels.map((readModel: ReadModel) => [
      readModel.name,
      runReadModel({ readModel, log, codec, database, logger, metrics }),
    ]),
  )
  const relay = startOutboxRelay({ log, codec, database, logger, metrics })
  const statuses = (): ProjectionStatus[] =>
    [...projections.values()].map((projection) => projection.status())
  return {
    name: 'projector',
    projections: statuses,
    checks: () => [...statuses().map(projectionCheck), relayCheck(relay)],
    async stopProjection(name) {
      const projection = projections.get(name)
      if (projection === undefined) throw new RangeError(`There is no projection ${name}`)
      await projection.stop()
    },
    async stop() {
      await Promise.all([relay.stop(), ...[...projections.values()].map((projection) => projection.stop())])
    },
  }
}

/** No decision and no answer to a screen rests on these: stopped, they are told and stop nothing else. */
const ASIDE: ReadonlySet<string> = new Set([auditView.name])

function projectionCheck({ name, state, error, stoppedAt }: ProjectionStatus): Check {
  const place =
    stoppedAt === null
      ? ''
      : ` in front of ${stoppedAt.topic}[${stoppedAt.partition}] offset ${stoppedAt.offset}`
  if (state === 'running') return { name, ok: true }
  const ok = state === 'stopped' && ASIDE.has(name)
  return { name, ok, detail: `${state}${place}${error === null ? '' : `: ${error}`}` }
}

function relayCheck(relay: OutboxRelay): Check {
  const error = relay.error()
  return error === null
    ? { name: 'outbox-relay', ok: true }
    : { name: 'outbox-relay', ok: false, detail: error }
}

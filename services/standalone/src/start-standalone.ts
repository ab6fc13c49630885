/** Every service in one process, on one log: for installations that fit on one machine. */
import { startApi } from '@cupel/api'
import { startBulkCoordinator } from '@cupel/bulk-coordinator'
import type { Logger, Metrics } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { startLabelRefresher } from '@cupel/label-refresher'
import { startProjector } from '@cupel/projector'
import { startScorer } from '@cupel/scorer'
import type { Config, RunningService } from '@cupel/service-kit'
import { startWebhookDispatcher } from '@cupel/webhook-dispatcher'

export interface StandaloneDeps {
  readonly config: Config
  readonly log: EventLog
  readonly codec: EventCodec
  readonly apiDatabase: Database
  /** Apart from the API's, so that a busy worker never makes a caller wait for a connection. */
  readonly workerDatabase: Database
  readonly logger: Logger
  readonly metrics: Metrics
  /** Called where only a restart leads back. */
  readonly fail: (reason: string, error: unknown) => void
}

export interface RunningStandalone extends RunningService {
  /** Where the API listens. */
  readonly url: string
}

/** Resolves once calls are served. The topics, tables and schemas exist already. */
export async function startStandalone(deps: StandaloneDeps): Promise<RunningStandalone> {
  const { apiDatabase, workerDatabase, ...common } = deps
  const workers = { ...common, database: workerDatabase }
  const running: RunningService[] = []
  const started = <T extends RunningService>(service: T): T => {
    running.push(service)
    return service
  }
  const stop = async (): Promise<void> => {
    // The API first: it stops taking screens while those that answer what it has taken still run.
    for (const service of [...running].reverse()) await service.stop()
  }
  try {
    const starting = [
      startProjector(workers).then(started),
      startScorer(workers).then(started),
      startBulkCoordinator(workers).then(started),
      ...(deps.config.CUPEL_LABEL_REFRESH_FILE === undefined
        ? []
        : [startLabelRefresher(workers).then(started)]),
    ]
    // A failure is told only when nothing is still starting: else that would never be stopped.
    await Promise.allSettled(starting)
    await Promise.all(starting)
    const api = started(await startApi({ ...common, database: apiDatabase }))
    // After the API, whose address webhooks name.
    started(await startWebhookDispatcher({ ...workers, baseUrl: () => api.baseUrl }))
    return {
      name: 'standalone',
      url: api.url,
      checks: () =>
        running.flatMap((service) =>
          service.checks().map((check) => ({ ...check, name: `${service.name}: ${check.name}` })),
        ),
      stop,
    }
  } catch (error) {
    // What started before the failure must not run on without an owner.
    await stop()
    throw error
  }
}

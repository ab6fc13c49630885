/** All services in one process, for installations on one machine. */
import { randomBytes } from 'node:crypto'
import { startApi } from '@cupel/api'
import { startBulkCoordinator } from '@cupel/bulk-coordinator'
import type { Logger, Metrics, Tracing } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { startLabelRefresher, startProjector } from '@cupel/projector'
import { startScorer } from '@cupel/scorer'
import { readWebSecret, type Config, type RunningService } from '@cupel/kit/service'
import { startWeb, type RunningWeb } from '@cupel/web'
import { startWebhookDispatcher } from '@cupel/webhook-dispatcher'
import { allStarted, startTogether } from './start-together.js'

export interface StandaloneDeps {
  readonly config: Config
  readonly log: EventLog
  readonly codec: EventCodec
  readonly apiDatabase: Database
  /** Separate from the pool of the API, so that a busy worker never makes a caller wait for a connection. */
  readonly workerDatabase: Database
  readonly logger: Logger
  readonly metrics: Metrics
  /** Null or absent: no traces are made. */
  readonly tracing?: Tracing | null
  /** Called for a failure that only a restart can repair. */
  readonly fail: (reason: string, error: unknown) => void
}

export interface RunningStandalone extends RunningService {
  /** Address of the API. */
  readonly url: string
  /** Address of the console; null if it is not served. */
  readonly webUrl: string | null
}

/** Resolves when the API serves requests. Topics, tables and schemas must exist. */
export async function startStandalone(deps: StandaloneDeps): Promise<RunningStandalone> {
  const { apiDatabase, workerDatabase, ...common } = deps
  const workers = { ...common, database: workerDatabase }
  // In reverse order: the API accepts no more screens while the projector and the scorer still run for those it accepted.
  const { result, ...service } = await startTogether(
    { name: 'standalone', logger: deps.logger },
    async (started) => {
      await allStarted([
        startProjector(workers).then(started),
        startScorer(workers).then(started),
        startBulkCoordinator(workers).then(started),
        startLabelRefresher(workers).then(started),
      ])
      const { api, web } = await startApiAndWeb({ ...common, database: apiDatabase }, started)
      // After the API, because webhooks contain its address.
      started(
        await startWebhookDispatcher({
          ...workers,
          baseUrl: () => api.baseUrl,
          webUrl: () => web?.url ?? null,
        }),
      )
      return { url: api.url, webUrl: web?.url ?? null }
    },
  )
  return { ...service, ...result }
}

const SECRET_BYTES = 32

/** The console listens first, so that every report names its page; it stops first, while the API still answers it. */
async function startApiAndWeb(
  deps: Omit<Parameters<typeof startApi>[0], 'web'> & Pick<StandaloneDeps, 'config'>,
  started: <T extends RunningService>(service: T) => T,
): Promise<{ readonly api: Awaited<ReturnType<typeof startApi>>; readonly web: RunningWeb | null }> {
  if (!deps.config.CUPEL_WEB) return { api: started(await startApi(deps)), web: null }
  const secret = (await readWebSecret(deps.config)) ?? randomBytes(SECRET_BYTES).toString('hex')
  let apiUrl: string | null = null
  const web = await startWeb({ ...deps, api: { url: () => apiUrl, secret } })
  try {
    const api = started(await startApi({ ...deps, web: { url: web.url, secret } }))
    apiUrl = api.url
    return { api, web: started(web) }
  } catch (error) {
    await web.stop()
    throw error
  }
}

/** Runs the services of the embedded profile in this process. */
import { setTimeout as sleep } from 'node:timers/promises'
import { LocalStackError } from '@cupel/local-stack'
import {
  countRoundTrips,
  loadConfig,
  openLogExport,
  openTracing,
  startHealthServer,
  type Check,
  type Config,
  type MetricsRegistry,
  type ServiceLogger,
  type Shutdown,
} from '@cupel/kit/service'
import { startStandalone } from '@cupel/standalone'
import type { CliContext } from '@cupel/command-line'
import { connectionSettings, openPool, type Stack } from '@cupel/command-line/installation'
import type { Services } from './start-options.js'
import { webPortOf } from './web-port.js'

export interface InProcessOptions {
  readonly stack: Stack
  readonly context: CliContext
  readonly config: Config
  readonly logger: ServiceLogger
  readonly metrics: MetricsRegistry
  readonly shutdown: Shutdown
  /** Called for a fatal failure; ends everything. */
  readonly fail: (reason: string, error: unknown) => void
}

export async function startInProcess(options: InProcessOptions): Promise<Services> {
  const { stack, context, logger, metrics, shutdown } = options
  const config = loadConfig({
    ...context.environment,
    ...connectionSettings(stack.serviceDatabaseUrl, undefined),
    CUPEL_HOME: context.home,
    CUPEL_PERSONAL_DATA_KEYS_FILE: stack.personalDataKeysFile,
    CUPEL_WEB_PORT: String(webPortOf(options.config, 1)),
  })
  const copies = await openLogExport({ service: 'standalone', config, logger, metrics })
  shutdown.phase('log records', () => copies.close())
  let checks: () => readonly Check[] = () => [{ name: 'started', ok: false }]
  const health = await startHealthServer({
    host: config.CUPEL_METRICS_HOST,
    port: config.CUPEL_METRICS_PORT,
    checks: () => checks(),
    metrics,
  })
  shutdown.phase('health server', () => health.close())
  const traces = await openTracing({ service: 'standalone', config, logger, metrics })
  shutdown.phase('traces', () => traces.close())
  // Two pools, so that a busy worker never makes a caller wait for a connection.
  const onRoundTrip = countRoundTrips(metrics)
  const pool = (applicationName: string, further = 0) =>
    openPool(options, stack.serviceDatabaseUrl, {
      applicationName,
      onRoundTrip,
      maxConnections: config.CUPEL_DATABASE_CONNECTIONS + further,
    })
  const standalone = await startStandalone({
    config,
    log: stack.log,
    codec: stack.codec,
    apiDatabase: pool('cupel-api'),
    workerDatabase: pool('cupel-workers', COORDINATOR_CONNECTIONS + DISPATCHER_CONNECTIONS),
    logger,
    metrics,
    tracing: traces.tracing,
    fail: options.fail,
  })
  shutdown.phase('services', () => standalone.stop())
  checks = standalone.checks
  await untilReady(checks)
  // A fault that stops nothing must not go unseen.
  for (const { name, detail } of checks()) if (detail !== undefined) context.note(`${name}: ${detail}`)
  return {
    baseUrls: [standalone.url],
    webUrl: standalone.webUrl,
    processes: [{ name: standalone.name, healthUrl: health.url }],
  }
}

/** The bulk coordinator needs a connection for its lease and some for its work, besides those of the other workers. */
const COORDINATOR_CONNECTIONS = 4
/** The webhook dispatcher reads, claims, records and builds bodies concurrently. */
const DISPATCHER_CONNECTIONS = 4
const READY_TIMEOUT_MS = 120_000
const READY_POLL_MS = 20

/** Resolves when every check succeeds that work waits for. */
async function untilReady(checks: () => readonly Check[]): Promise<void> {
  const giveUpAt = Date.now() + READY_TIMEOUT_MS
  for (;;) {
    const failing = checks().filter(({ ok, aside }) => !ok && aside !== true)
    if (failing.length === 0) return
    if (Date.now() > giveUpAt) {
      const reasons = failing.map(({ name, detail }) => (detail === undefined ? name : `${name} (${detail})`))
      throw new LocalStackError(
        'child-failed',
        `The services were not ready after ${READY_TIMEOUT_MS / 1000} s: ${reasons.join(', ')}.`,
      )
    }
    await sleep(READY_POLL_MS)
  }
}

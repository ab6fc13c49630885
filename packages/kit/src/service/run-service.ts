/** The frame of a service process: settings, logger, metrics, health server, signals, phased shutdown. */
import { createLogger, type ServiceLogger } from './logger.js'
import { debugOnSignal } from './debug-on-signal.js'
import { ConfigError, loadConfig, type Config } from './config.js'
import { startHealthServer, type Check } from './health-server.js'
import { createMetrics, type MetricsRegistry } from './metrics.js'
import { createShutdown, type Shutdown } from './shutdown.js'
import { openLogExport } from './log-export/open-log-export.js'
import type { Logger } from '@cupel/contracts'

/** A service as seen by its process or by the embedded composition. */
export interface RunningService {
  readonly name: string
  /** Conditions for the service to do its work; shown by /readyz. */
  readonly checks: () => readonly Check[]
  /** Finishes accepted work, then closes everything it opened. */
  stop(): Promise<void>
}

export interface ServiceFrame<Name extends string = string> {
  /** Name of the service, as in its folder. */
  readonly name: Name
  readonly config: Config
  readonly logger: Logger
  readonly metrics: MetricsRegistry
  readonly shutdown: Shutdown
  /** Conditions for the service to do its work; while the start continues, a check fails. */
  readonly checks: () => readonly Check[]
  /** Ends the process after an orderly shutdown: for faults that only a restart clears. */
  readonly fail: (reason: string, error?: unknown) => void
}

/** One exit code for each kind of end. */
export const EXIT_CONFIG = 78
export const EXIT_FAILED = 1

export function runService<Name extends string>(
  name: Name,
  start: (frame: ServiceFrame<Name>) => Promise<RunningService>,
): void {
  let config: Config
  try {
    config = loadConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(EXIT_CONFIG)
  }
  const logger = createLogger({
    service: name,
    level: config.CUPEL_LOG_LEVEL,
    ...(config.CUPEL_INSTANCE === 'auto' ? {} : { instance: config.CUPEL_INSTANCE }),
  })
  debugOnSignal(logger, config.CUPEL_LOG_DEBUG_MS)
  const metrics = createMetrics(name)
  const shutdown = createShutdown({ logger, timeoutMs: config.CUPEL_SHUTDOWN_TIMEOUT_MS })
  const end = (reason: string, failed: boolean): void => {
    void shutdown.run(reason).then((code) => process.exit(failed ? EXIT_FAILED : code))
  }
  const fail = (reason: string, error?: unknown): void => {
    logger.error({ err: error }, reason)
    end(reason, true)
  }
  process.once('uncaughtException', (error) => fail('Uncaught exception', error))
  process.once('unhandledRejection', (error) => fail('Unhandled rejection', error))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      // A second signal ends the process at once.
      process.once(signal, () => process.exit(EXIT_FAILED))
      end(signal, false)
    })
  }
  let service: RunningService | null = null
  const checks = (): readonly Check[] => service?.checks() ?? [{ name: 'started', ok: false }]
  const frame: ServiceFrame<Name> & { readonly logger: ServiceLogger } = {
    name,
    config,
    logger,
    metrics,
    shutdown,
    checks,
    fail,
  }
  const started = async (): Promise<RunningService> => (service = await start(frame))
  void serve(frame, started).catch((error: unknown) => fail('Start failed', error))
}

async function serve(
  frame: ServiceFrame & { readonly logger: ServiceLogger },
  start: () => Promise<RunningService>,
): Promise<void> {
  // Closed last, so that the log lines of the shutdown are sent too.
  const copies = await openLogExport({ ...frame, service: frame.name })
  frame.shutdown.phase('log records', () => copies.close())
  const health = await startHealthServer({
    host: frame.config.CUPEL_METRICS_HOST,
    port: frame.config.CUPEL_METRICS_PORT,
    checks: frame.checks,
    metrics: frame.metrics,
  })
  frame.shutdown.phase('health server', () => health.close())
  const service = await start()
  frame.shutdown.phase(frame.name, () => service.stop())
  frame.logger.info({ health: health.url }, 'Started')
}

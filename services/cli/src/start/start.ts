/** `cupel start`: runs everything on this machine until it receives a signal. */
import {
  holdHome,
  killChildren,
  rememberProfile,
  requireFreePort,
  stopOrphans,
  type Profile,
} from '@cupel/local-stack'
import { createLogger, createMetrics, createShutdown, debugOnSignal, type Config } from '@cupel/service-kit'
import type { CliContext } from '../context.js'
import { CommandError, EXIT_CONFIG, EXIT_FAILED, EXIT_USAGE } from '../explain.js'
import { PRIVATE } from '../private-files.js'
import { parseBrokers, requireBrokers } from '../stack/run-kafka.js'
import { runPostgres } from '../stack/run-postgres.js'
import type { Boot } from './boot.js'
import { parseScale } from './scale.js'
import type { StartOptions } from './start-options.js'
import { listenForStop, StoppedEarly } from './stop-request.js'
import { webPortOf } from './web-port.js'

/** Longer than the limits of services, registry, broker and Postgres together. */
const STOP_TIMEOUT_MS = 90_000
const EXIT_FORCED = 130

export async function start(options: StartOptions, context: CliContext): Promise<void> {
  const profile: Profile = options.kafka === true ? 'kafka' : 'embedded'
  if (profile === 'embedded' && options.scale !== undefined)
    throw new CommandError('--scale needs --kafka: the embedded installation is one process.', EXIT_USAGE)
  if (profile === 'embedded' && options.brokers !== undefined)
    throw new CommandError('--brokers needs --kafka: the embedded installation has no brokers.', EXIT_USAGE)
  const brokers = options.brokers === undefined ? undefined : parseBrokers(options.brokers)
  const scale = parseScale(options.scale)
  const config = await context.config()
  await requireRefreshPlan(config)
  const stop = listenForStop()
  try {
    // Files that this process and its children create belong to their user alone: keys, segments of the log, files of the database.
    process.umask(PRIVATE)
    const home = await holdHome(context.home, profile === 'kafka' ? 'cupel start --kafka' : 'cupel start')
    stop.onForced(() => void killChildren(home.processFolder).finally(() => process.exit(EXIT_FORCED)))
    try {
      await requireBrokers(home, brokers)
      await runUntilStopped({ options, context, profile, brokers, scale, config, home, stop })
    } finally {
      home.release()
    }
  } finally {
    stop.dispose()
  }
}

/** Checked before anything starts, so that no planned list silently stays without refresh. */
async function requireRefreshPlan({ CUPEL_LABEL_REFRESH_FILE: file }: Config): Promise<void> {
  if (file === undefined) return
  const { readRefreshPlan, RefreshPlanError } = await import('@cupel/labels')
  try {
    readRefreshPlan(file)
  } catch (error) {
    if (!(error instanceof RefreshPlanError)) throw error
    throw new CommandError(error.message, EXIT_CONFIG, { cause: error })
  }
}

async function runUntilStopped(
  start: Omit<Boot, 'logger' | 'metrics' | 'shutdown' | 'fail' | 'startedAt' | 'postgres'>,
): Promise<void> {
  const { context, home, profile, config, options, stop } = start
  const logFile = home.logFile(profile, 'cupel')
  const logger = createLogger({
    service: 'cupel',
    level: config.CUPEL_LOG_LEVEL,
    ...(context.verbose ? {} : { file: logFile }),
  })
  const debug = debugOnSignal(logger, config.CUPEL_LOG_DEBUG_MS)
  const shutdown = createShutdown({ logger, timeoutMs: STOP_TIMEOUT_MS })
  const crash = listenForCrash()
  let reason = 'the start failed'
  let exitCode = 0
  try {
    await prepare({ ...start, logger, metrics: createMetrics('standalone'), shutdown, fail: crash.fail })
    reason = await Promise.race([stop.requested, crash.crashed])
    if (options.json !== true) context.note('Stopping …')
  } catch (error) {
    // Interrupted work may fail because of the stop; the log has the details.
    if (!(error instanceof StoppedEarly) && !stop.wasRequested()) throw error
    if (!(error instanceof StoppedEarly)) logger.warn({ err: error }, 'The start was interrupted')
    reason = 'asked to stop before it was ready'
  } finally {
    exitCode = await shutdown.run(reason)
    debug.dispose()
  }
  if (exitCode !== 0) throw new CommandError(`Not everything stopped in order; see ${logFile}.`, EXIT_FAILED)
}

/** Takes what must be free, starts the database server, and loads the rest meanwhile. */
async function prepare(start: Omit<Boot, 'startedAt' | 'postgres'>): Promise<void> {
  const { context, profile, scale, home, config, stop } = start
  const startedAt = new Date().toISOString()
  const orphans = await stopOrphans(home.processFolder)
  if (orphans.length > 0)
    context.note(`Stopped processes that an earlier start left running: ${orphans.join(', ')}.`)
  await requireFreePort(config.CUPEL_PORT, config.CUPEL_HOST, 'CUPEL_PORT')
  if (config.CUPEL_WEB)
    await requireFreePort(webPortOf(config, scale.api), config.CUPEL_WEB_HOST, 'CUPEL_WEB_PORT')
  rememberProfile(home.folder, profile)
  stop.check()
  // With Kafka nothing is created before Java is found.
  const postgres = profile === 'embedded' ? runPostgres({ ...start, note: context.note }) : undefined
  // `boot` reports its failure.
  postgres?.catch(() => undefined)
  const { boot } = await import('./boot.js')
  await boot({ ...start, startedAt, postgres })
}

interface Crash {
  /** Rejects on an uncaught error, or on a failure that a service reports as fatal. */
  readonly crashed: Promise<never>
  readonly fail: (reason: string, error: unknown) => void
}

/** Everything is stopped in order before the error is reported. */
function listenForCrash(): Crash {
  let reject: (error: unknown) => void = () => undefined
  const crashed = new Promise<never>((_, rejectCrash) => {
    reject = rejectCrash
  })
  // During the start this promise is not awaited; its rejection must not count as unhandled.
  crashed.catch(() => undefined)
  process.once('uncaughtException', reject)
  process.once('unhandledRejection', reject)
  return { crashed, fail: (reason, cause) => reject(new Error(reason, { cause })) }
}

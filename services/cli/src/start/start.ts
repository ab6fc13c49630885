/** `cupel start`: runs everything on this machine until it receives a signal. */
import { join } from 'node:path'
import { databaseBehindLog } from '@cupel/gate/access'
import { readRefreshPlan, RefreshPlanError } from '@cupel/labels'
import {
  holdHome,
  killChildren,
  rememberProfile,
  requireFreePort,
  stopOrphans,
  type HeldHome,
  type Profile,
} from '@cupel/local-stack'
import {
  createLogger,
  createMetrics,
  createShutdown,
  debugOnSignal,
  type Config,
  type MetricsRegistry,
  type Shutdown,
  type ServiceLogger,
} from '@cupel/kit/service'
import { createSigningKeys } from '@cupel/signing'
import { lostRecords, SIGNING_KEYS_FILE } from '@cupel/evidence/transparency'
import {
  installationEvidence,
  PRIVATE,
  parseBrokers,
  requireBrokers,
  startStack,
  type Stack,
  ensureDefaultPolicy,
  renewReadModels,
} from '@cupel/command-line/installation'
import { type CliContext, CommandError, EXIT_CONFIG, EXIT_FAILED, EXIT_USAGE } from '@cupel/command-line'
import { sanctionsListHint, listState } from '@cupel/labels/commands'
import { ensureDemoKeys } from './demo-keys.js'
import { readyLine, readyText, type Ready } from './ready-line.js'
import { parseScale, type Scale } from './scale.js'
import { startServiceProcesses } from './service-processes.js'
import type { Services, StartOptions } from './start-options.js'
import { ensureStarterLabels } from './starter-labels.js'
import { webPortOf } from './web-port.js'
import { listenForStop, StoppedEarly, type StopRequest } from './stop-request.js'

/** Longer than the limits of services, registry, broker and Postgres together. */
const STOP_TIMEOUT_MS = 90_000
const EXIT_FORCED = 130

export async function start(options: StartOptions, context: CliContext): Promise<void> {
  const profile: Profile = options.kafka === true ? 'kafka' : 'embedded'
  if (profile === 'embedded' && options.scale !== undefined)
    throw new CommandError('--scale needs --kafka: the embedded installation is one process.', EXIT_USAGE)
  if (profile === 'embedded' && options.brokers !== undefined)
    throw new CommandError('--brokers needs --kafka: the embedded installation has no brokers.', EXIT_USAGE)
  if (profile === 'embedded' && options.processes === true)
    throw new CommandError('--processes needs --kafka: the embedded installation is one process.', EXIT_USAGE)
  const brokers = options.brokers === undefined ? undefined : parseBrokers(options.brokers)
  const scale = parseScale(options.scale)
  const config = await context.config()
  requireRefreshPlan(config)
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
function requireRefreshPlan({ CUPEL_LABEL_REFRESH_FILE: file }: Config): void {
  if (file === undefined) return
  try {
    readRefreshPlan(file)
  } catch (error) {
    if (!(error instanceof RefreshPlanError)) throw error
    throw new CommandError(error.message, EXIT_CONFIG, { cause: error })
  }
}

async function runUntilStopped(start: Omit<Boot, 'logger' | 'metrics' | 'shutdown' | 'fail'>): Promise<void> {
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
    await boot({ ...start, logger, metrics: createMetrics('standalone'), shutdown, fail: crash.fail })
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

interface Boot {
  readonly options: StartOptions
  readonly context: CliContext
  readonly profile: Profile
  readonly brokers: number | undefined
  readonly scale: Scale
  readonly config: Config
  readonly home: HeldHome
  readonly logger: ServiceLogger
  /** Of the services that run in this process. */
  readonly metrics: MetricsRegistry
  readonly shutdown: Shutdown
  readonly stop: StopRequest
  readonly fail: (reason: string, error: unknown) => void
}

async function boot(boot: Boot): Promise<void> {
  const { context, profile, scale, home, logger, metrics, shutdown, config, stop, options } = boot
  const startedAt = new Date().toISOString()
  const orphans = await stopOrphans(home.processFolder)
  if (orphans.length > 0)
    context.note(`Stopped processes that an earlier start left running: ${orphans.join(', ')}.`)
  await requireFreePort(config.CUPEL_PORT, config.CUPEL_HOST, 'CUPEL_PORT')
  if (config.CUPEL_WEB)
    await requireFreePort(webPortOf(config, scale.api), config.CUPEL_WEB_HOST, 'CUPEL_WEB_PORT')
  rememberProfile(home.folder, profile)
  stop.check()
  loadAhead(profile)

  const stack = await startStack({
    ...{ home, profile, config, logger, metrics, shutdown },
    brokers: boot.brokers,
    registry: 'always',
    note: context.note,
  })
  const run = {
    profile,
    startedAt,
    databaseUrl: stack.databaseUrl,
    brokers: stack.kafka?.access.brokers ?? [],
    kafkaSasl: stack.kafka?.access.sasl ?? null,
    topicPrefix: config.CUPEL_TOPIC_PREFIX,
  }
  home.writeRun({ ...run, registry: null, state: 'starting', baseUrls: [], services: [] })
  stop.check()
  await requireWholeLog(stack, context, config)
  await renewReadModels(stack, { logger, note: context.note })
  stop.check()
  const [keys] = await Promise.all([ensureDemoKeys(stack, home), ensureDefaultPolicy(stack)])
  beginSigning(home, config)
  stop.check()

  const services = await startServices(boot, stack)
  stop.check()
  await ensureStarterLabels(stack, { logger, note: context.note })
  stop.check()
  const registry = stack.kafka === null ? null : await stack.kafka.registry()
  stop.check()
  const ready: Ready = readyLine({
    baseUrls: services.baseUrls,
    webUrl: services.webUrl,
    keys,
    metricsUrls: services.processes.map(({ healthUrl }) => `${healthUrl}/metrics`),
    log: logLine(stack, registry),
    home: home.folder,
  })
  shutdown.phase('run.json', async () =>
    home.writeRun({ ...run, registry, state: 'stopping', baseUrls: [], services: [] }),
  )
  home.writeRun({
    ...run,
    registry,
    state: 'ready',
    baseUrls: services.baseUrls,
    services: services.processes,
  })
  context.print(
    options.json === true
      ? JSON.stringify(ready)
      : readyText(ready, `${home.profileFolder(profile)}/logs`, await nextStep(stack, config)),
  )
}

/** Throws if the database is older than the log, or the log lost records that were signed, before anything follows it. */
async function requireWholeLog(
  { log, database, codec }: Stack,
  context: CliContext,
  config: Config,
): Promise<void> {
  const behind = await databaseBehindLog({ log, database, codec })
  if (behind !== null) throw new CommandError(behind, EXIT_FAILED)
  const settings = installationEvidence(context, config)
  if (settings === null) return
  const lost = await lostRecords({ log, database, ...settings })
  if (lost !== null) throw new CommandError(lost, EXIT_FAILED)
}

/** Makes the signing keys in the home. */
function beginSigning(home: HeldHome, config: Config): void {
  if (config.CUPEL_SIGNING_KEYS_FILE === undefined)
    createSigningKeys(join(home.folder, SIGNING_KEYS_FILE), config.CUPEL_LOG_PREFIX)
}

function logLine({ kafka }: Stack, registry: string | null): Ready['log'] {
  if (kafka === null || registry === null) return { kind: 'embedded' }
  const { access, clientProperties } = kafka
  return { kind: 'kafka', brokers: access.brokers, client_properties: clientProperties, registry }
}

/** A configured refresh may still be fetching its first list; without one, no list is fetched. */
async function nextStep({ database }: Stack, { CUPEL_LABEL_REFRESH_FILE: plan }: Config): Promise<string> {
  if (plan !== undefined) return ''
  const { hasSanctionsList } = await listState(database, new Date())
  return hasSanctionsList ? '' : sanctionsListHint()
}

/** Loads the services of the embedded profile while the database starts. If that fails, `startServices` reports it. */
function loadAhead(profile: Profile): void {
  if (profile === 'embedded') import('./in-process.js').catch(() => undefined)
}

async function startServices(boot: Boot, stack: Stack): Promise<Services> {
  if (boot.profile === 'embedded') {
    const { startInProcess } = await import('./in-process.js')
    return await startInProcess({ ...boot, stack })
  }
  const processes = await startServiceProcesses({
    ...boot,
    stack,
    shares: boot.options.processes !== true,
    environment: boot.context.environment,
    note: boot.context.note,
  })
  return {
    baseUrls: processes.flatMap(({ baseUrl }) => (baseUrl === null ? [] : [baseUrl])),
    webUrl: processes.find(({ webUrl }) => webUrl !== null)?.webUrl ?? null,
    processes: processes.map(({ name, healthUrl }) => ({ name, healthUrl })),
  }
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

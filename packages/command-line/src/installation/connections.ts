/** Connects a command to an installation: to a running one, or to one that is started only for the command. */
import { setTimeout as sleep } from 'node:timers/promises'
import { noMetrics } from '@cupel/contracts'
import {
  holdHome,
  holdsInstallation,
  lastProfile,
  readRun,
  stopOrphans,
  type KafkaAccess,
  type RunFile,
} from '@cupel/local-stack'
import { openPersonalData } from '@cupel/personal-data'
import { requireVerifiedConnections } from '@cupel/operation/connections'
import { createLogger, createShutdown, loadConfig, type Config, type Shutdown } from '@cupel/kit/service'
import { connect, type ConnectParts, type Connections } from './connect.js'
import { CommandError, EXIT_NOT_FOUND, EXIT_UNAVAILABLE, type CliContext } from '../index.js'
import { homePersonalDataKeys, homeRecordKeys } from './record-keys-file.js'

/** Whether services are running that should see what a command changed. */
export const isServed = ({ run }: Connections, context: CliContext): boolean =>
  run !== null || (context.environment['CUPEL_DATABASE_URL'] ?? '') !== ''

/** How long a command waits for an installation that is starting. */
const STARTING_TIMEOUT_MS = 60_000
/** How long a command waits for another one that holds the folder. */
const HELD_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 60_000
/** Mask of the permissions of new files: none for others. Processes that a command starts write into the home. */
export const PRIVATE = 0o077

/** The folder has no installation, and the command does not begin one. */
export class NoInstallationError extends CommandError {
  constructor(home: string) {
    super(`There is no installation in ${home}: check CUPEL_HOME.`, EXIT_NOT_FOUND)
  }
}

export interface ConnectionOptions {
  /**
   * Whether the command may begin an installation in an empty folder, as an import before the first start does. Any other command
   * with a mistyped CUPEL_HOME would answer from an empty installation that it made itself.
   */
  readonly creates?: boolean
  /** Whether the reader is an auditor with public keys and without record keys: MACs are not checked, and nothing is appended. */
  readonly isAuditor?: boolean
  /** Whether the work goes on without the keys of personal data: it reads none. */
  readonly needsNoPersonalData?: boolean
  /** Whether the work ends by itself on a signal to the process, before its connections are closed. */
  readonly endsOnSignal?: boolean
}

/**
 * Runs `work` with connections to an installation and closes them. The installation is that of CUPEL_DATABASE_URL; else the one
 * that runs on CUPEL_HOME; else Postgres (and Kafka, if that profile was started last) is started for the command.
 * Throws NoInstallationError.
 */
export async function withConnections<T>(
  context: CliContext,
  work: (connections: Connections) => Promise<T>,
  options: ConnectionOptions = {},
): Promise<T> {
  const config = await context.config()
  const logger = createLogger({ service: 'cupel', level: context.verbose ? 'info' : 'warn' })
  const shutdown = createShutdown({ logger, timeoutMs: STOP_TIMEOUT_MS })
  const ended = options.endsOnSignal === true ? null : endOnSignal(shutdown)
  try {
    return await work(await open(context, config, { logger, shutdown, ...options }))
  } finally {
    await shutdown.run('the command is done')
    ended?.dispose()
  }
}

/** Runs `work` with its own connections, for another thread of the process. Signals to the process are not handled here. */
export async function withConfig<T>(
  config: Config,
  work: (connections: Connections) => Promise<T>,
  { isAuditor }: Pick<ConnectionOptions, 'isAuditor'> = {},
): Promise<T> {
  const logger = createLogger({ service: 'cupel', level: 'warn' })
  const shutdown = createShutdown({ logger, timeoutMs: STOP_TIMEOUT_MS })
  try {
    return await work(await connect(config, null, { logger, shutdown, isAuditor: isAuditor === true }))
  } finally {
    await shutdown.run('the thread is done')
  }
}

async function open(
  context: CliContext,
  config: Config,
  { creates = false, ...parts }: ConnectParts & ConnectionOptions,
): Promise<Connections> {
  const databaseUrl = config.CUPEL_DATABASE_ADMIN_URL ?? config.CUPEL_DATABASE_URL
  if (databaseUrl !== undefined) {
    requireVerifiedConnections(config, context.note)
    return await connect({ ...config, CUPEL_DATABASE_URL: databaseUrl }, null, parts)
  }
  const run = await runningOn(context.home)
  if (run === null && !creates && !holdsInstallation(context.home))
    throw new NoInstallationError(context.home)
  if (run === null) return await startForCommand(context, config, parts)
  return await connect(configOf(run, context), run, parts)
}

/** The installation that runs on the folder, when it is ready; null if none runs. */
async function runningOn(home: string): Promise<RunFile | null> {
  const giveUpAt = Date.now() + STARTING_TIMEOUT_MS
  for (;;) {
    const run = readRun(home)
    if (run === null || run.state === 'ready') return run
    if (Date.now() > giveUpAt)
      throw new CommandError(
        `The installation in ${home} has been ${run.state} for more than ${STARTING_TIMEOUT_MS / 1000} s: check the output of \`${run.command}\`.`,
        EXIT_UNAVAILABLE,
      )
    await sleep(100)
  }
}

async function startForCommand(
  context: CliContext,
  config: Config,
  { logger, shutdown }: ConnectParts,
): Promise<Connections> {
  const { startStack } = await import('./stack/stack.js')
  process.umask(PRIVATE)
  const home = await holdHome(context.home, context.command, HELD_TIMEOUT_MS)
  shutdown.phase('home', async () => home.release())
  await stopOrphans(home.processFolder)
  const profile = lastProfile(context.home) ?? 'embedded'
  const stack = await startStack({
    home,
    profile,
    config,
    logger,
    shutdown,
    registry: 'if-needed',
    note: context.note,
  })
  const { database, log, codec, personalDataKeysFile: keysFile } = stack
  return {
    personalData: await openPersonalData({ database, keysFile }),
    profile,
    checksMacs: true,
    run: null,
    projectorRuns: false,
    config: loadConfig({
      ...context.environment,
      ...connectionSettings(stack.databaseUrl, stack.kafka?.access),
      CUPEL_RECORD_KEYS_FILE: stack.recordKeysFile,
      CUPEL_PERSONAL_DATA_KEYS_FILE: keysFile,
    }),
    database,
    log,
    codec,
    logger,
    metrics: noMetrics,
  }
}

function configOf(run: RunFile, context: CliContext): Config {
  if (run.databaseUrl === null) throw new Error('run.json names no database')
  return loadConfig({
    ...context.environment,
    ...connectionSettings(run.databaseUrl, kafkaOf(run)),
    CUPEL_TOPIC_PREFIX: run.topicPrefix,
    CUPEL_RECORD_KEYS_FILE: context.environment['CUPEL_RECORD_KEYS_FILE'] ?? homeRecordKeys(context.home),
    CUPEL_PERSONAL_DATA_KEYS_FILE:
      context.environment['CUPEL_PERSONAL_DATA_KEYS_FILE'] ?? homePersonalDataKeys(context.home),
  })
}

function kafkaOf({ brokers, kafkaSasl }: RunFile): Partial<KafkaAccess> | undefined {
  if (brokers.length === 0) return undefined
  return { brokers, ...(kafkaSasl ? { sasl: kafkaSasl } : {}) }
}

/** The settings that connect to a local installation, in place of all connection settings of the environment. */
export function connectionSettings(
  databaseUrl: string,
  kafka: Partial<KafkaAccess> | undefined,
): Record<string, string> {
  const { brokers = [], sasl } = kafka ?? {}
  return {
    CUPEL_DATABASE_URL: databaseUrl,
    CUPEL_DATABASE_URL_FILE: '',
    CUPEL_DATABASE_ADMIN_URL: '',
    CUPEL_DATABASE_ADMIN_URL_FILE: '',
    CUPEL_LOG: kafka === undefined ? 'embedded' : 'kafka',
    CUPEL_KAFKA_BROKERS: brokers.join(','),
    CUPEL_KAFKA_TLS: 'false',
    CUPEL_KAFKA_SASL_MECHANISM: sasl?.mechanism ?? '',
    CUPEL_KAFKA_USERNAME: sasl?.username ?? '',
    CUPEL_KAFKA_PASSWORD: sasl?.password ?? '',
    CUPEL_KAFKA_PASSWORD_FILE: '',
  }
}

/** An interrupted command still stops what it started. Its exit code is 128 + n, as in shells. */
function endOnSignal(shutdown: Shutdown): { dispose(): void } {
  const signals = { SIGINT: 2, SIGTERM: 15 } as const
  const handlers = Object.entries(signals).map(([name, number]) => {
    const handler = (): void => void shutdown.run(name).then(() => process.exit(128 + number))
    process.once(name, handler)
    return { name, handler }
  })
  return {
    dispose() {
      for (const { name, handler } of handlers) process.off(name, handler)
    },
  }
}

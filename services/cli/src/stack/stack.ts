/** What the services of a local installation stand on: Postgres, and on the Kafka profile a broker and a schema registry. */
import type { Logger } from '@cupel/contracts'
import { builtInRegistry, type EventCodec, type EventLog } from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import {
  ensureKafkaJars,
  startKafka,
  startPostgres,
  startRegistry,
  supervise,
  type Child,
  type HeldHome,
  type Profile,
  type RunningKafka,
  type RunningPostgres,
  type RunningRegistry,
} from '@cupel/local-stack'
import { openDatabase, type Database, type DatabaseOptions } from '@cupel/postgres'
import type { Config, Shutdown } from '@cupel/service-kit'
import { prepareDatabase, prepareLog } from './foundation.js'

export interface Stack {
  readonly profile: Profile
  readonly databaseUrl: string
  /** For administration: without a limit per statement. */
  readonly database: Database
  readonly log: EventLog
  readonly codec: EventCodec
  readonly kafka: { readonly brokers: readonly string[]; readonly registry: string } | null
}

export interface StackOptions {
  readonly home: HeldHome
  readonly profile: Profile
  readonly config: Config
  readonly logger: Logger
  /** Gets a phase for everything that was started; run it to stop, also after a failed start. */
  readonly shutdown: Shutdown
  /** Told in sentences what takes long or went wrong. */
  readonly note: (sentence: string) => void
}

export const databaseNames = { embedded: 'cupel_embedded', kafka: 'cupel_kafka' } as const
const REGISTRY_DATABASE = 'cupel_registry'
const ADMIN_CONNECTIONS = 10
/** One per topic appended to at once, and some for readers. */
const LOG_CONNECTIONS = 20

export async function startStack(options: StackOptions): Promise<Stack> {
  return options.profile === 'embedded' ? await startEmbedded(options) : await startOnKafka(options)
}

async function startEmbedded(options: StackOptions): Promise<Stack> {
  const postgres = await runPostgres(options)
  const databaseUrl = await postgres.ensureDatabase(databaseNames.embedded)
  const database = await openPrepared(options, databaseUrl)
  const log = openEmbeddedLog({
    database: openPool(options, databaseUrl, {
      applicationName: 'cupel-log',
      maxConnections: LOG_CONNECTIONS,
    }),
    topicPrefix: options.config.CUPEL_TOPIC_PREFIX,
    logger: options.logger,
  })
  options.shutdown.phase('log', () => log.close())
  const registry = builtInRegistry(database)
  const codec = await prepareLog({ database, registry, log, logger: options.logger })
  return { profile: 'embedded', databaseUrl, database, log, codec, kafka: null }
}

async function startOnKafka(options: StackOptions): Promise<Stack> {
  const jars = await ensureKafkaJars({ onProgress: options.note })
  // Loaded here: the embedded profile starts without the Kafka client.
  const { confluentRegistry, openKafkaLog } = await import('@cupel/event-log/kafka')
  const { home, profile } = options
  const folder = home.profileFolder(profile)
  const common = { jars, recordFolder: home.processFolder }
  // The broker needs nobody; the registry keeps its schemas in Postgres.
  const startingKafka = keep<RunningKafka>('kafka', options, (before) =>
    startKafka({
      ...common,
      folder: `${folder}/kafka`,
      logFile: home.logFile(profile, 'kafka'),
      ...portOf(before),
    }),
  )
  const startingDatabase = startDatabases(options)
  const startingRegistry = startingDatabase.then(({ registryUrl }) =>
    keep<RunningRegistry>('registry', options, (before) =>
      startRegistry({
        ...common,
        folder: `${folder}/registry`,
        logFile: home.logFile(profile, 'registry'),
        databaseUrl: registryUrl,
        ...portOf(before),
      }),
    ),
  )
  const preparing = startingDatabase.then(({ databaseUrl }) => openPrepared(options, databaseUrl))
  const [kafka, registry, { databaseUrl }, database] = await all([
    startingKafka,
    startingRegistry,
    startingDatabase,
    preparing,
  ])
  const log = openKafkaLog({
    brokers: [kafka.brokers],
    clientId: 'cupel-cli',
    topicPrefix: options.config.CUPEL_TOPIC_PREFIX,
    logger: options.logger,
  })
  options.shutdown.phase('log', () => log.close())
  const codec = await prepareLog({
    database,
    registry: confluentRegistry({ url: registry.url }),
    log,
    logger: options.logger,
  })
  return {
    profile,
    databaseUrl,
    database,
    log,
    codec,
    kafka: { brokers: [kafka.brokers], registry: registry.url },
  }
}

async function startDatabases(options: StackOptions): Promise<{ databaseUrl: string; registryUrl: string }> {
  const postgres = await runPostgres(options)
  return {
    databaseUrl: await postgres.ensureDatabase(databaseNames.kafka),
    registryUrl: await postgres.ensureDatabase(REGISTRY_DATABASE),
  }
}

/** As Promise.all, but a failure is told only when nothing is still starting: else it would never be stopped. */
async function all<T extends readonly unknown[]>(starting: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  await Promise.allSettled(starting)
  return (await Promise.all(starting)) as unknown as T
}

async function runPostgres(options: StackOptions): Promise<RunningPostgres> {
  const { home, profile } = options
  return await keep<RunningPostgres>('postgres', options, (before) =>
    startPostgres({
      folder: `${home.folder}/postgres`,
      logFile: home.logFile(profile, 'postgres'),
      recordFolder: home.processFolder,
      ...portOf(before),
    }),
  )
}

/** Starts a child, starts it again on the same port whenever it dies, and has it stopped at the end. */
async function keep<T extends { readonly child: Child; readonly port: number }>(
  name: string,
  options: StackOptions,
  start: (before: T | null) => Promise<T>,
): Promise<T> {
  const first = await start(null)
  const supervised = supervise(first.child, {
    name,
    start: async () => (await start(first)).child,
    onEnded: ({ reason }) => {
      options.note(`${name} ended (${reason}); starting it again.`)
      options.logger.error({ child: name, reason }, 'A child ended unasked')
    },
    onRestarted: () => options.note(`${name} runs again.`),
  })
  options.shutdown.phase(name, () => supervised.stop())
  return first
}

function portOf(before: { readonly port: number } | null): { port?: number } {
  return before === null ? {} : { port: before.port }
}

async function openPrepared(options: StackOptions, connectionString: string): Promise<Database> {
  const database = openPool(options, connectionString, {
    applicationName: 'cupel',
    maxConnections: ADMIN_CONNECTIONS,
    statementTimeoutMs: 0,
  })
  await prepareDatabase(database, options.logger)
  return database
}

/** Connections that are closed in their turn and whose ends are logged. */
export function openPool(
  options: Pick<StackOptions, 'logger' | 'shutdown'>,
  connectionString: string,
  pool: Pick<DatabaseOptions, 'applicationName' | 'maxConnections' | 'statementTimeoutMs'>,
): Database {
  let closing = false
  const database = openDatabase({
    ...pool,
    connectionString,
    onIdleError: ({ message }) => {
      if (!closing)
        options.logger.warn({ pool: pool.applicationName, reason: message }, 'A database connection ended')
    },
  })
  options.shutdown.phase(`connections of ${pool.applicationName}`, () => {
    closing = true
    return database.close()
  })
  return database
}

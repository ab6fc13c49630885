/** The connections of a service process to the database and the log; shutdown closes them in reverse order. */
import { databaseBehindLog, useRecordedReportPartitions } from '@cupel/gate/access'
import {
  areRecordKeysRegistered,
  createEventCodec,
  loadSchemaCatalog,
  openAuthenticLog,
  readRecordKeys,
  type AuthenticLog,
  type EventCodec,
  type EventLog,
  type RecordKeys,
} from '@cupel/event-log'
import { claimantOf, InstanceTakenError, startHeartbeat } from '@cupel/projections/heartbeats'
import { databasePeer, openDatabase, sqlState, type Database } from '@cupel/postgres'
import {
  ConfigError,
  countRoundTrips,
  kafkaPeers,
  ledgerPeers,
  RELEASE,
  requireVerifiedPeers,
  type Config,
  type Peer,
  type ServiceFrame,
  openTracing,
} from '@cupel/kit/service'
import { withArchivedFront } from './archived-front.js'
import { kafkaAccess } from './kafka-access.js'
import { requireTopics } from './require-topics.js'
import type { LogService } from './service-access.js'
import type { Tracing } from '@cupel/contracts'

export interface Connections {
  readonly database: Database
  readonly log: AuthenticLog
  readonly codec: EventCodec
  /** Number of this process among the instances of its service. */
  readonly instance: number
}

export interface ConnectOptions {
  /** Connections to Postgres; by default the number in the settings. */
  readonly maxConnections?: (config: Config) => number
  /** The role of the process, if the settings divide the service: each role has its own instance numbers. By default the service. */
  readonly role?: (config: Config) => string
  /** Further services in this process. Each has a number among its instances too. */
  readonly shared?: readonly LogService[]
}

/** Opens the connections and registers their closing. Throws ConfigError if a setting is missing. */
async function connect(frame: ServiceFrame<LogService>, options: ConnectOptions = {}): Promise<Connections> {
  const { config, logger, shutdown } = frame
  if (config.CUPEL_DATABASE_URL === undefined) throw new ConfigError('CUPEL_DATABASE_URL is required.')
  requireVerifiedConnections(config, (sentence) => logger.warn({}, sentence))
  const database = openDatabase({
    connectionString: config.CUPEL_DATABASE_URL,
    connectionStringFile: config.CUPEL_DATABASE_URL_FILE,
    maxConnections: options.maxConnections?.(config) ?? config.CUPEL_DATABASE_CONNECTIONS,
    applicationName: `cupel-${frame.name}`,
    onIdleError: (error) => logger.warn({ err: error }, 'A database connection ended'),
    onRoundTrip: countRoundTrips(frame.metrics),
  })
  shutdown.phase('database connections', () => database.close())
  const { shared = [] } = options
  const instance = await takeInstance(frame, database, options.role?.(config) ?? frame.name)
  for (const service of shared) await takeInstance(frame, database, service)
  const log = await openAuthenticLog({
    ...{ keys: recordKeysOf(config), database, logger, metrics: frame.metrics },
    log: withArchivedFront(await openLog(frame, database, instance), { config, database, logger }),
    onUnfit: (error) => frame.fail(error.message, error),
  })
  shutdown.phase('log', () => log.close())
  await useRecordedReportPartitions(database)
  for (const service of [frame.name, ...shared]) await requireTopics(service, { log, config, logger })
  if (!(await areRecordKeysRegistered(database, await log.identity())))
    throw new ConfigError(
      'No record keys are registered for this log: connect the log that belongs here, or run `cupel install`.',
    )
  const codec = createEventCodec(await loadSchemaCatalog(database))
  await requireSettledDatabase({ database, log, codec })
  return { database, log, codec, instance }
}

const UNDEFINED_TABLE = '42P01'

/** The number is released when the log is closed, just before the database is. */
async function takeInstance(
  { config, logger, shutdown, checks, fail }: ServiceFrame,
  database: Database,
  role: string,
): Promise<number> {
  const failing = (): string[] => checks().flatMap((check) => (check.ok ? [] : [check.name]))
  const claimant = claimantOf(role, RELEASE)
  try {
    const heartbeat = await startHeartbeat({
      ...{ database, claimant, failing, onLost: fail },
      instance: config.CUPEL_INSTANCE,
    })
    shutdown.phase('heartbeat', () => heartbeat.stop())
    logger.info({ number: heartbeat.instance }, 'This process has its number among the instances')
    return heartbeat.instance
  } catch (cause) {
    if (cause instanceof InstanceTakenError) throw new ConfigError(cause.message, { cause })
    if (sqlState(cause) === UNDEFINED_TABLE)
      throw new ConfigError('The tables of the database are of an earlier release: run `cupel upgrade`.', {
        cause,
      })
    throw cause
  }
}

/** Throws ConfigError if the database is older than the log: a service would repeat earlier messages and report numbers. */
async function requireSettledDatabase(connections: Omit<Connections, 'instance'>): Promise<void> {
  const sentence = await databaseBehindLog(connections)
  if (sentence !== null) throw new ConfigError(sentence)
}

/** The keys of record MACs. Throws ConfigError if no file is configured, or it cannot be used. */
export function recordKeysOf({
  CUPEL_RECORD_KEYS_FILE: file,
}: Pick<Config, 'CUPEL_RECORD_KEYS_FILE'>): RecordKeys {
  if (file === undefined)
    throw new ConfigError('CUPEL_RECORD_KEYS_FILE is required: `cupel log add-key` makes the file.')
  try {
    return readRecordKeys(file)
  } catch (cause) {
    throw new ConfigError((cause as Error).message, { cause })
  }
}

/** Throws ConfigError if the database or log is on another machine without verified TLS, and no setting allows it. */
export function requireVerifiedConnections(config: Config, warn: (sentence: string) => void): void {
  const databases = (['CUPEL_DATABASE_URL', 'CUPEL_DATABASE_ADMIN_URL'] as const).flatMap((setting) => {
    const connectionString = config[setting]
    return connectionString === undefined ? [] : [databaseOf(setting, connectionString)]
  })
  requireVerifiedPeers([...databases, ...kafkaPeers(config), ...ledgerPeers(config)], config, warn)
}

function databaseOf(setting: string, connectionString: string): Peer {
  try {
    const { host, isVerified } = databasePeer(connectionString)
    return {
      name: `The database ${host ?? ''}`,
      ...{ host, isVerified },
      remedy: `add sslmode=verify-full to ${setting}`,
      exception: 'CUPEL_DATABASE_INSECURE',
    }
  } catch {
    // The reason may repeat the connection string, which contains a password.
    throw new ConfigError(`${setting} is not a connection string, or a file that it names cannot be read.`)
  }
}

/** Each adapter is loaded on use: a service on one log does not load the client of the other. */
async function openLog(frame: ServiceFrame, database: Database, instance: number): Promise<EventLog> {
  const { config, logger, metrics, fail } = frame
  const topicPrefix = config.CUPEL_TOPIC_PREFIX
  if (config.CUPEL_LOG === 'embedded') {
    const { openEmbeddedLog } = await import('@cupel/event-log/embedded')
    return openEmbeddedLog({ database, topicPrefix, logger, metrics })
  }
  const { openKafkaLog } = await import('@cupel/event-log/kafka')
  return openKafkaLog({
    ...(await kafkaAccess(config)),
    clientId: `cupel-${frame.name}-${instance}`,
    ...{ logger, metrics },
    replicationFactor: config.CUPEL_KAFKA_REPLICATION,
    onFatal: (error) => fail(error.message, error),
  })
}

export interface TracedConnections extends Connections {
  /** Null if no traces are made. */
  readonly tracing: Tracing | null
}

/** Opens the connections. Starts tracing if the settings name a collector; the trace exporter is closed last. */
export async function connectService(
  frame: ServiceFrame<LogService>,
  options: ConnectOptions = {},
): Promise<TracedConnections> {
  const { tracing, close } = await openTracing({ ...frame, service: frame.name })
  frame.shutdown.phase('traces', close)
  return { ...(await connect(frame, options)), tracing }
}

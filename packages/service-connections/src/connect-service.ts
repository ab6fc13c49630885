/** The connections of a service process to the database and the log; shutdown closes them in reverse order. */
import { createEventCodec, loadSchemaCatalog, type EventCodec, type EventLog } from '@cupel/event-log'
import { databasePeer, openDatabase, type Database } from '@cupel/postgres'
import {
  ConfigError,
  kafkaPeers,
  requireVerifiedPeers,
  type Config,
  type Peer,
  type ServiceFrame,
} from '@cupel/service-kit'

export interface Connections {
  readonly database: Database
  readonly log: EventLog
  readonly codec: EventCodec
}

export interface ConnectOptions {
  /** Connections to Postgres; by default the number in the settings. */
  readonly maxConnections?: (config: Config) => number
}

/** Opens them and registers their closing. Throws ConfigError where a setting is missing. */
export async function connectService(
  frame: ServiceFrame,
  options: ConnectOptions = {},
): Promise<Connections> {
  const { config, logger, shutdown } = frame
  if (config.CUPEL_DATABASE_URL === undefined) throw new ConfigError('CUPEL_DATABASE_URL is required.')
  requireVerifiedConnections(config, (sentence) => logger.warn({}, sentence))
  const database = openDatabase({
    connectionString: config.CUPEL_DATABASE_URL,
    maxConnections: options.maxConnections?.(config) ?? config.CUPEL_DATABASE_CONNECTIONS,
    applicationName: `cupel-${frame.name}`,
    onIdleError: (error) => logger.warn({ err: error }, 'A database connection ended'),
  })
  shutdown.phase('database connections', () => database.close())
  const log = await openLog(frame, database)
  shutdown.phase('log', () => log.close())
  return { database, log, codec: createEventCodec(await loadSchemaCatalog(database)) }
}

/** Throws ConfigError where database or log is on another machine without verified TLS, and no setting allows it. */
export function requireVerifiedConnections(config: Config, warn: (sentence: string) => void): void {
  const databases = config.CUPEL_DATABASE_URL === undefined ? [] : [databaseOf(config.CUPEL_DATABASE_URL)]
  requireVerifiedPeers([...databases, ...kafkaPeers(config)], config, warn)
}

function databaseOf(connectionString: string): Peer {
  try {
    const { host, isVerified } = databasePeer(connectionString)
    return {
      name: `The database ${host ?? ''}`,
      ...{ host, isVerified },
      remedy: 'add sslmode=verify-full to CUPEL_DATABASE_URL',
      exception: 'CUPEL_DATABASE_INSECURE',
    }
  } catch {
    // The reason may repeat the string, which holds a password.
    throw new ConfigError(
      'CUPEL_DATABASE_URL is no connection string, or a file that it names cannot be read.',
    )
  }
}

/** Each adapter is loaded on use: a service on one log does not load the client of the other. */
async function openLog(frame: ServiceFrame, database: Database): Promise<EventLog> {
  const { config, logger, metrics, fail } = frame
  const topicPrefix = config.CUPEL_TOPIC_PREFIX
  if (config.CUPEL_LOG === 'embedded') {
    const { openEmbeddedLog } = await import('@cupel/event-log/embedded')
    return openEmbeddedLog({ database, topicPrefix, logger, metrics })
  }
  const { openKafkaLog } = await import('@cupel/event-log/kafka')
  return openKafkaLog({
    brokers: config.CUPEL_KAFKA_BROKERS,
    clientId: `cupel-${frame.name}-${config.CUPEL_INSTANCE}`,
    topicPrefix,
    logger,
    metrics,
    ssl: config.CUPEL_KAFKA_TLS,
    ...saslOf(config),
    ...(config.CUPEL_KAFKA_REPLICATION === undefined
      ? {}
      : { replicationFactor: config.CUPEL_KAFKA_REPLICATION }),
    onFatal: (error) => fail(error.message, error),
  })
}

function saslOf(config: Config): {
  sasl?: { mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'; username: string; password: string }
} {
  const mechanism = config.CUPEL_KAFKA_SASL_MECHANISM
  if (mechanism === undefined) return {}
  return {
    sasl: {
      mechanism,
      username: config.CUPEL_KAFKA_USERNAME ?? '',
      password: config.CUPEL_KAFKA_PASSWORD ?? '',
    },
  }
}

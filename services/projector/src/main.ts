/** The projector as a process: its own connections to the log and the database, closed in the reverse order. */
import { createEventCodec, loadSchemaCatalog, type EventLog } from '@cupel/event-log'
import { openDatabase, type Database } from '@cupel/postgres'
import { readModels } from '@cupel/read-models'
import { ConfigError, runService, type Config, type ServiceFrame } from '@cupel/service-kit'
import { startProjector } from './start-projector.js'

runService('projector', async (frame) => {
  const { config, logger, metrics, shutdown } = frame
  const database = openDatabase({
    connectionString: databaseUrl(config),
    maxConnections: connections(config),
    applicationName: 'cupel-projector',
    onIdleError: (error) => logger.warn({ err: error }, 'A database connection ended'),
  })
  shutdown.phase('database connections', () => database.close())
  const log = await openLog(frame, database)
  shutdown.phase('log', () => log.close())
  const codec = createEventCodec(await loadSchemaCatalog(database))
  return await startProjector({ log, codec, database, logger, metrics })
})

/** One per read model, two for the relay, one to spare: more would only wait for each other. */
const PROJECTOR_CONNECTIONS = readModels.length + 3

/** The embedded log works through the same connections and needs its share. */
function connections(config: Config): number {
  const wanted = config.CUPEL_DATABASE_CONNECTIONS
  return config.CUPEL_LOG === 'embedded' ? wanted : Math.min(PROJECTOR_CONNECTIONS, wanted)
}

function databaseUrl(config: Config): string {
  if (config.CUPEL_DATABASE_URL === undefined) throw new ConfigError('CUPEL_DATABASE_URL is required.')
  return config.CUPEL_DATABASE_URL
}

async function openLog(
  { config, logger, metrics, fail }: ServiceFrame,
  database: Database,
): Promise<EventLog> {
  if (config.CUPEL_LOG === 'embedded') {
    const { openEmbeddedLog } = await import('@cupel/event-log/embedded')
    return openEmbeddedLog({ database, topicPrefix: config.CUPEL_TOPIC_PREFIX, logger })
  }
  const { openKafkaLog } = await import('@cupel/event-log/kafka')
  const {
    CUPEL_KAFKA_SASL_MECHANISM: mechanism,
    CUPEL_KAFKA_USERNAME: username,
    CUPEL_KAFKA_PASSWORD: password,
  } = config
  const sasl =
    mechanism === undefined ? {} : { sasl: { mechanism, username: username ?? '', password: password ?? '' } }
  return openKafkaLog({
    brokers: config.CUPEL_KAFKA_BROKERS,
    clientId: `cupel-projector-${config.CUPEL_INSTANCE}`,
    topicPrefix: config.CUPEL_TOPIC_PREFIX,
    logger,
    metrics,
    ssl: config.CUPEL_KAFKA_TLS,
    ...sasl,
    ...(config.CUPEL_KAFKA_REPLICATION === undefined
      ? {}
      : { replicationFactor: config.CUPEL_KAFKA_REPLICATION }),
    onFatal: (error) => fail(error.message, error),
  })
}

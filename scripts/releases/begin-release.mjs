// Begins release 0.1.0, which had no command for that, on a Postgres, a Kafka and a registry that exist: with the functions that its own
// `cupel start` calls. It runs from `services/cli/dist` of the release and takes the settings of its services, and REGISTRY_URL.
import { openKafkaLog, confluentRegistry } from '@cupel/event-log/kafka'
import { openDatabase } from '@cupel/postgres'
import { createLogger } from '@cupel/service-kit'
import { prepareDatabase, prepareLog } from './stack/foundation.js'
import { ensureDefaultPolicy } from './start/default-policy.js'

const CONNECTIONS = 4
const setting = (name) => process.env[`CUPEL_${name}`]

const logger = createLogger({ service: 'release', level: 'warn' })
const database = openDatabase({
  connectionString: setting('DATABASE_URL'),
  maxConnections: CONNECTIONS,
  applicationName: 'release',
  statementTimeoutMs: 0,
  onIdleError: () => undefined,
})
const username = setting('KAFKA_USERNAME')
const log = openKafkaLog({
  brokers: setting('KAFKA_BROKERS').split(','),
  clientId: 'release',
  topicPrefix: setting('TOPIC_PREFIX'),
  logger,
  ssl: false,
  ...(username === undefined
    ? {}
    : { sasl: { mechanism: 'plain', username, password: setting('KAFKA_PASSWORD') } }),
})
await prepareDatabase(database, logger)
const registry = confluentRegistry({ url: process.env.REGISTRY_URL })
const codec = await prepareLog({ database, registry, log, logger })
await ensureDefaultPolicy({ database, log, codec })
await log.close()
await database.close()

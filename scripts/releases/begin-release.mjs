// Prepares release 0.1.0 on an existing Postgres, Kafka and registry. The release had no command for that, so this script calls the
// functions of its own `cupel start`. It runs from `services/cli/dist` of the release. It reads the settings of the
// services and REGISTRY_URL.
import { openKafkaLog, confluentRegistry } from '@cupel/event-log/kafka'
import { openDatabase } from '@cupel/postgres'
import { createLogger } from '@cupel/kit/service'
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

// Starts release 0.1.0 on an existing Postgres, Kafka and registry. The release had no command for that, so this script calls the functions
// of its own `cupel start` and starts its services as processes. It ends all of them, and itself, at SIGTERM or when one of them ends.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { openKafkaLog, confluentRegistry } from '@cupel/event-log/kafka'
import { openDatabase } from '@cupel/postgres'
import { createLogger } from '@cupel/kit/service'
import { prepareDatabase, prepareLog } from './stack/foundation.js'
import { ensureDefaultPolicy } from './start/default-policy.js'
import { ensureStarterLabels } from './start/starter-labels.js'

const SERVICES = ['projector', 'scorer', 'bulk-coordinator', 'api']
const CONNECTIONS = 10
/** Callers of tests come over a network of the engine, without TLS. */
const CALLERS = '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16'
const KAFKA = { brokers: 'kafka:9092', mechanism: 'plain', username: 'cupel' }
const secret = (name) => readFileSync(`/secrets/${name}`, 'utf8').trim()

const databaseUrl = secret('operator/admin-url')
const password = secret('operator/kafka-password')
const logger = createLogger({ service: 'release', level: 'warn' })
const database = openDatabase({
  connectionString: databaseUrl,
  maxConnections: CONNECTIONS,
  applicationName: 'release',
  statementTimeoutMs: 0,
  onIdleError: () => undefined,
})
const log = openKafkaLog({
  brokers: [KAFKA.brokers],
  clientId: 'release',
  topicPrefix: '',
  logger,
  ssl: false,
  sasl: { mechanism: KAFKA.mechanism, username: KAFKA.username, password },
})
await prepareDatabase(database, logger)
const registry = confluentRegistry({ url: 'http://registry:8080/apis/ccompat/v7' })
const parts = { database, log, codec: await prepareLog({ database, registry, log, logger }) }
await ensureDefaultPolicy(parts)
const children = SERVICES.map((name) =>
  spawn(process.execPath, [`/app/services/${name}/dist/main.js`], {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...{ CUPEL_DATABASE_URL: databaseUrl, CUPEL_LOG: 'kafka', CUPEL_KAFKA_BROKERS: KAFKA.brokers },
      ...{ CUPEL_KAFKA_SASL_MECHANISM: KAFKA.mechanism, CUPEL_KAFKA_USERNAME: KAFKA.username },
      CUPEL_TRUSTED_PROXIES: CALLERS,
      ...{ CUPEL_KAFKA_PASSWORD: password, CUPEL_HOME: '/tmp', CUPEL_HOST: '0.0.0.0', CUPEL_PORT: '8080' },
    },
  }),
)
const end = () => children.forEach((child) => child.kill('SIGTERM'))
process.once('SIGTERM', end)
const ended = children.map((child) => new Promise((resolve) => child.once('exit', resolve)))
await ensureStarterLabels(parts, { logger, note: () => undefined })
process.exitCode = await Promise.race(ended)
end()
await Promise.all(ended)
await log.close()
await database.close()

/** The processes below the services of a local installation: Postgres, and on the Kafka profile a broker and a schema registry. */
import { noMetrics } from '@cupel/contracts'
import {
  builtInRegistry,
  ensureRecordKeys,
  installationTopics,
  openAuthenticLog,
  registerRecordKeys,
  type AuthenticLog,
  type EventCodec,
  type EventLog,
  type RecordKeys,
} from '@cupel/event-log'
import { forgetGroupMembers, openEmbeddedLog } from '@cupel/event-log/embedded'
import {
  ensureKafkaPrograms,
  SERVICE_ROLE,
  startPostgres,
  startRegistry,
  type KafkaAccess,
  type KafkaJars,
  type Profile,
  type RunningPostgres,
  type RunningRegistry,
} from '@cupel/local-stack'
import { ensureMasterKeys } from '@cupel/personal-data'
import { openDatabase, type Database, type DatabaseOptions } from '@cupel/postgres'
import { logServices, withArchivedFront } from '@cupel/operation/connections'
import type { StackOptions } from './stack-options.js'
import { keep, portOf } from './keep.js'
import { runKafka } from './run-kafka.js'
import { rightsOf, settleRights } from '../install/database-rights.js'
import { homePersonalDataKeys, homeRecordKeys } from '../record-keys-file.js'
import {
  ensureSchemas,
  knowsEverySchema,
  loadCodec,
  prepareDatabase,
  prepareLog,
  prepareTopics,
} from '../install/foundation.js'
import { awaitTopics } from './await-topics.js'

export interface Stack {
  readonly profile: Profile
  /** Connection of the owner, for commands of the operator. */
  readonly databaseUrl: string
  /** Connection of the role of the services, which is not a superuser and owns nothing. */
  readonly serviceDatabaseUrl: string
  /** For administration, without a statement timeout. */
  readonly database: Database
  readonly log: AuthenticLog
  readonly recordKeysFile: string
  readonly personalDataKeysFile: string
  readonly codec: EventCodec
  readonly kafka: {
    readonly access: KafkaAccess
    readonly clientProperties: string
    readonly registry: RegistryAddress
  } | null
}

/**
 * Only the registration of schemas and outside readers need the registry. Resolves when it is ready and has every schema.
 */
export type RegistryAddress = () => Promise<string>

export const databaseNames = { embedded: 'cupel_embedded', kafka: 'cupel_kafka' } as const
const REGISTRY_DATABASE = 'cupel_registry'
const ADMIN_CONNECTIONS = 10
/** One for each topic with concurrent appends, and some for readers. */
const LOG_CONNECTIONS = 20

export async function startStack(options: StackOptions): Promise<Stack> {
  return options.profile === 'embedded' ? await startEmbedded(options) : await startOnKafka(options)
}

async function startEmbedded(options: StackOptions): Promise<Stack> {
  const postgres = await runPostgres(options)
  const databaseUrl = await postgres.ensureDatabase(databaseNames.embedded)
  const serviceDatabaseUrl = await postgres.ensureServiceRole(databaseNames.embedded)
  const database = await openPrepared(options, databaseUrl)
  const { keys, recordKeysFile } = recordKeysOf(options)
  const codec = await prepareEmbeddedLog(options, database, keys)
  const embeddedLog = openEmbeddedLog({
    database: openPool(options, serviceDatabaseUrl, {
      applicationName: 'cupel-log',
      maxConnections: LOG_CONNECTIONS,
    }),
    topicPrefix: options.config.CUPEL_TOPIC_PREFIX,
    logger: options.logger,
    metrics: options.metrics ?? noMetrics,
  })
  options.shutdown.phase('log', () => embeddedLog.close())
  const log = await openAuthentic(options, { database, keys, log: embeddedLog })
  const addresses = { databaseUrl, serviceDatabaseUrl, kafka: null }
  const personalDataKeysFile = personalDataKeysOf(options)
  return {
    profile: 'embedded',
    ...{ ...addresses, database, log, recordKeysFile, personalDataKeysFile, codec },
  }
}

/** The owner makes the topics, because the role of the services cannot. */
async function prepareEmbeddedLog(
  { config, logger }: StackOptions,
  database: Database,
  keys: RecordKeys,
): Promise<EventCodec> {
  const topicPrefix = config.CUPEL_TOPIC_PREFIX
  const log = openEmbeddedLog({ database, topicPrefix, logger })
  try {
    // This process holds the home folder, so every remaining lease belongs to a killed process; delete it.
    await forgetGroupMembers(database)
    const codec = await prepareLog({ database, registry: builtInRegistry(database), log, logger })
    await registerRecordKeys({ database, log, keys, joins: false })
    return codec
  } finally {
    await log.close()
  }
}

async function startOnKafka(options: StackOptions): Promise<Stack> {
  const jars = await ensureKafkaPrograms({ onProgress: options.note })
  // The broker starts independently; the registry stores its schemas in Postgres.
  const startingPostgres = runPostgres(options)
  const startingKafka = runKafka(options, jars)
  const opening = startingPostgres.then(async (postgres) => {
    const databaseUrl = await postgres.ensureDatabase(databaseNames.kafka)
    const serviceDatabaseUrl = await postgres.ensureServiceRole(databaseNames.kafka)
    const registering = register(options, jars, postgres)
    const database = await openPrepared(options, databaseUrl)
    return { databaseUrl, serviceDatabaseUrl, database, registering, known: await knowsEverySchema(database) }
  })
  // Imported here, so that the embedded profile does not load the Kafka client.
  const [kafka, { databaseUrl, serviceDatabaseUrl, database, registering, known }, { openKafkaLog }] =
    await all([startingKafka, opening, import('@cupel/event-log/kafka')])
  const topicPrefix = options.config.CUPEL_TOPIC_PREFIX
  const { keys, recordKeysFile } = recordKeysOf(options)
  const kafkaLog = openKafkaLog({
    ...kafka.access,
    clientId: 'cupel-cli',
    topicPrefix,
    compression: options.config.CUPEL_KAFKA_COMPRESSION,
    logger: options.logger,
  })
  options.shutdown.phase('log', () => kafkaLog.close())
  await prepareTopics(kafkaLog)
  await awaitTopics(kafkaLog, installationTopics())
  // A broker that lost its log has another one: its records would be missing from the log of the installation.
  await registerRecordKeys({ database, log: kafkaLog, keys, joins: false })
  const log = await openAuthentic(options, { database, keys, log: kafkaLog })
  const registry: RegistryAddress = () => registering(database)
  if (!known) await registry()
  else if (options.registry === 'always') registry().catch(() => undefined)
  const codec = await loadCodec(database)
  return {
    profile: 'kafka',
    databaseUrl,
    serviceDatabaseUrl,
    database,
    log,
    recordKeysFile,
    personalDataKeysFile: personalDataKeysOf(options),
    codec,
    kafka: { access: kafka.access, clientProperties: kafka.clientProperties, registry },
  }
}

/** The keys of the installation. The first start makes them. */
function recordKeysOf({ config, home }: StackOptions): { keys: RecordKeys; recordKeysFile: string } {
  const recordKeysFile = config.CUPEL_RECORD_KEYS_FILE ?? homeRecordKeys(home.folder)
  return { keys: ensureRecordKeys(recordKeysFile), recordKeysFile }
}

/** The file with the keys of personal data. The first start makes it. */
function personalDataKeysOf({ config, home }: StackOptions): string {
  const file = config.CUPEL_PERSONAL_DATA_KEYS_FILE ?? homePersonalDataKeys(home.folder)
  ensureMasterKeys(file)
  return file
}

async function openAuthentic(
  { config, logger, shutdown, metrics = noMetrics }: StackOptions,
  { log: bare, ...parts }: { readonly database: Database; readonly keys: RecordKeys; readonly log: EventLog },
): Promise<AuthenticLog> {
  const whole = withArchivedFront(bare, { config, database: parts.database, logger })
  const log = await openAuthenticLog({ ...parts, log: whole, logger, metrics })
  shutdown.phase('MACs', () => log.close())
  return log
}

/** Like Promise.all, but rejects only when nothing is still starting; otherwise such a part would never be stopped. */
async function all<T extends readonly unknown[]>(starting: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  await Promise.allSettled(starting)
  return (await Promise.all(starting)) as unknown as T
}

/** Starts the registry, at once or at the first call, and registers every schema that is missing. */
function register(
  options: StackOptions,
  jars: KafkaJars,
  postgres: RunningPostgres,
): (database: Database) => Promise<string> {
  const start = (): Promise<RunningRegistry> =>
    runRegistry(options, jars, () => postgres.ensureDatabase(REGISTRY_DATABASE))
  let starting = options.registry === 'always' ? start() : null
  starting?.catch(() => undefined)
  let registered: Promise<string> | null = null
  return (database) =>
    (registered ??= (async () => {
      const { url } = await (starting ??= start())
      const { confluentRegistry } = await import('@cupel/event-log/kafka')
      await ensureSchemas({ database, registry: confluentRegistry({ url }), logger: options.logger })
      return url
    })())
}

async function runRegistry(
  options: StackOptions,
  jars: KafkaJars,
  databaseUrl: () => Promise<string>,
): Promise<RunningRegistry> {
  const { home } = options
  return await keep<RunningRegistry>('registry', options, async (before) =>
    startRegistry({
      jars,
      folder: `${home.profileFolder('kafka')}/registry`,
      logFile: home.logFile('kafka', 'registry'),
      recordFolder: home.processFolder,
      databaseUrl: await databaseUrl(),
      ...portOf(before),
    }),
  )
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

async function openPrepared(options: StackOptions, connectionString: string): Promise<Database> {
  const database = openPool(options, connectionString, {
    applicationName: 'cupel',
    maxConnections: ADMIN_CONNECTIONS,
    statementTimeoutMs: 0,
  })
  await prepareDatabase(database, options.logger)
  await settleRights(database, [{ role: SERVICE_ROLE, rights: rightsOf(logServices, options.config) }])
  return database
}

/** A pool that shutdown closes in order; lost connections are logged. */
export function openPool(
  options: Pick<StackOptions, 'logger' | 'shutdown'>,
  connectionString: string,
  pool: Pick<DatabaseOptions, 'applicationName' | 'maxConnections' | 'statementTimeoutMs' | 'onRoundTrip'>,
): Database {
  let closing = false
  const database = openDatabase({
    ...pool,
    connectionString,
    onIdleError: ({ message }) => {
      if (!closing)
        options.logger.warn(
          { pool: pool.applicationName, reason: message },
          'A database connection of the local stack ended',
        )
    },
  })
  options.shutdown.phase(`connections of ${pool.applicationName}`, () => {
    closing = true
    return database.close()
  })
  return database
}

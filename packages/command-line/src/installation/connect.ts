/** Connects to an installation by its settings, with the statements of any process that reads its log. */
import { accessSync, constants } from 'node:fs'
import { useRecordedReportPartitions } from '@cupel/gate/access'
import { noMetrics, type Logger, type Metrics } from '@cupel/contracts'
import {
  createEventCodec,
  loadSchemaCatalog,
  openAuthenticLog,
  type AuthenticLog,
  type EventCodec,
  type EventLog,
} from '@cupel/event-log'
import type { Profile, RunFile } from '@cupel/local-stack'
import { openPersonalData, type PersonalData } from '@cupel/personal-data'
import { openDatabase, type Database } from '@cupel/postgres'
import { kafkaAccess, recordKeysOf, withArchivedFront } from '@cupel/operation/connections'
import type { Config, Shutdown } from '@cupel/kit/service'

export interface Connections {
  readonly profile: Profile
  /** False for an auditor without record keys: records of other producers are read like the others. */
  readonly checksMacs: boolean
  /** The local installation that runs; null if the command started it, or if it runs elsewhere. */
  readonly run: RunFile | null
  /** Whether a projector keeps the read models up to date while the command works. */
  readonly projectorRuns: boolean
  /** The settings, including those of the connections in use. */
  readonly config: Config
  /** Without a statement timeout: imports and replays take long. */
  readonly database: Database
  readonly log: AuthenticLog
  readonly codec: EventCodec
  readonly personalData: PersonalData
  readonly logger: Logger
  readonly metrics: Metrics
}

const CONNECTIONS = 10

export interface ConnectParts {
  readonly logger: Logger
  readonly shutdown: Shutdown
  readonly isAuditor?: boolean
  readonly needsNoPersonalData?: boolean
}

export async function connect(
  config: Config,
  run: RunFile | null,
  { logger, shutdown, isAuditor = false, needsNoPersonalData = false }: ConnectParts,
): Promise<Connections> {
  const database = openDatabase({
    connectionString: config.CUPEL_DATABASE_URL!,
    maxConnections: CONNECTIONS,
    applicationName: 'cupel',
    statementTimeoutMs: 0,
    onIdleError: ({ message }) => logger.info({ reason: message }, 'A database connection ended'),
  })
  shutdown.phase('database connections', () => database.close())
  const checksMacs = !isAuditor || isReadable(config.CUPEL_RECORD_KEYS_FILE)
  const log = await openAuthenticLog({
    ...{ database, logger },
    keys: checksMacs ? recordKeysOf(config) : null,
    log: withArchivedFront(await openLog(config, database, logger), { config, database, logger }),
  })
  shutdown.phase('log', () => log.close())
  await useRecordedReportPartitions(database)
  const codec = createEventCodec(await loadSchemaCatalog(database))
  return {
    profile: config.CUPEL_LOG,
    checksMacs,
    run,
    projectorRuns: true,
    personalData: await openPersonalData({
      ...{ database, isRequired: !isAuditor && !needsNoPersonalData },
      keysFile: config.CUPEL_PERSONAL_DATA_KEYS_FILE,
    }),
    config,
    database,
    log,
    codec,
    logger,
    metrics: noMetrics,
  }
}

function isReadable(file: string | undefined): boolean {
  if (file === undefined) return false
  try {
    accessSync(file, constants.R_OK)
    return true
  } catch {
    // An auditor has no record keys.
    return false
  }
}

export async function openLog(config: Config, database: Database, logger: Logger): Promise<EventLog> {
  if (config.CUPEL_LOG === 'embedded') {
    const { openEmbeddedLog } = await import('@cupel/event-log/embedded')
    return openEmbeddedLog({ database, topicPrefix: config.CUPEL_TOPIC_PREFIX, logger })
  }
  const { openKafkaLog } = await import('@cupel/event-log/kafka')
  return openKafkaLog({
    ...(await kafkaAccess(config)),
    clientId: 'cupel-cli',
    logger,
    replicationFactor: config.CUPEL_KAFKA_REPLICATION,
  })
}

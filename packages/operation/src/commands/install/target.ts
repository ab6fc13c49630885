/** The parts of an installation: an existing Postgres, its log, and with Kafka a schema registry, all found by the settings. */
import { readFileSync } from 'node:fs'
import type { Logger } from '@cupel/contracts'
import { builtInRegistry, type EventLog, type SchemaRegistry } from '@cupel/event-log'
import { openDatabase, type Database } from '@cupel/postgres'
import { requireVerifiedConnections } from '../../connections/index.js'
import { ConfigError, createLogger, requireVerifiedPeers, urlPeer, type Config } from '@cupel/kit/service'
import { openLog, serviceLogins, type ServiceLogin } from '@cupel/command-line/installation'
import type { CliContext } from '@cupel/command-line'

export interface Target {
  readonly config: Config
  /** Connection of the owner of the tables, without a statement timeout. */
  readonly database: Database
  /** How services connect; empty if the owner's connection is theirs too. */
  readonly logins: readonly ServiceLogin[]
  readonly log: EventLog
  readonly registry: SchemaRegistry
  readonly logger: Logger
}

const CONNECTIONS = 10

/** Whether the settings name an installation elsewhere, and not the one in CUPEL_HOME. */
export function namesTarget(config: Config): boolean {
  return (config.CUPEL_DATABASE_ADMIN_URL ?? config.CUPEL_DATABASE_URL) !== undefined
}

/** Runs `work` with connections that are opened when they are first used. Throws ConfigError if a setting is missing. */
export async function withTarget<T>(context: CliContext, work: (target: Target) => Promise<T>): Promise<T> {
  const config = await context.config()
  const databaseUrl = config.CUPEL_DATABASE_ADMIN_URL ?? config.CUPEL_DATABASE_URL
  if (databaseUrl === undefined)
    throw new ConfigError(
      'CUPEL_DATABASE_ADMIN_URL is required: the connection of the owner of the tables. `cupel start` installs by itself.',
    )
  requireVerifiedConnections(config, context.note)
  const logger = createLogger({ service: 'cupel', level: context.verbose ? 'info' : 'warn' })
  const database = openDatabase({
    connectionString: databaseUrl,
    maxConnections: CONNECTIONS,
    applicationName: 'cupel-install',
    statementTimeoutMs: 0,
    onIdleError: ({ message }) => logger.info({ reason: message }, 'A database connection ended'),
  })
  try {
    const log = await openLog(config, database, logger)
    try {
      const registry = await registryOf(config, database, context.note)
      return await work({ config, database, logins: serviceLogins(config), log, registry, logger })
    } finally {
      await log.close()
    }
  } finally {
    await database.close()
  }
}

async function registryOf(
  config: Config,
  database: Database,
  warn: (sentence: string) => void,
): Promise<SchemaRegistry> {
  if (config.CUPEL_LOG === 'embedded') return builtInRegistry(database)
  const { CUPEL_REGISTRY_URL: url, CUPEL_REGISTRY_TOKEN: token, CUPEL_REGISTRY_USERNAME: username } = config
  if (url === undefined) throw new ConfigError('CUPEL_REGISTRY_URL is required where CUPEL_LOG=kafka.')
  if (token !== undefined && username !== undefined)
    throw new ConfigError('CUPEL_REGISTRY_TOKEN and CUPEL_REGISTRY_USERNAME are not set together.')
  const peer = { name: 'The schema registry', setting: 'CUPEL_REGISTRY_URL' } as const
  requireVerifiedPeers([urlPeer(url, { ...peer, exception: 'CUPEL_REGISTRY_INSECURE' })], config, warn)
  const { confluentRegistry } = await import('@cupel/event-log/kafka')
  const ca = config.CUPEL_REGISTRY_CA_FILE
  return confluentRegistry({
    url,
    ...(ca === undefined ? {} : { ca: readCa(ca) }),
    ...(token === undefined ? {} : { auth: { token } }),
    ...(username === undefined ? {} : { auth: { username, password: config.CUPEL_REGISTRY_PASSWORD ?? '' } }),
  })
}

function readCa(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigError(`CUPEL_REGISTRY_CA_FILE cannot be read: ${(error as Error).message}`)
  }
}

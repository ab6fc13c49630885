/**
 * An installation for a test: a separate database with the requested tables, a log with all topics, and the codec. Tables,
 * topics and schemas are cloned from a template that a run fills once per combination of tables.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  noMetrics,
  silentLogger,
  topicOf,
  type DomainEvent,
  type Logger,
  type Metrics,
  type TopicSpec,
} from '@cupel/contracts'
import {
  type AuthenticLog,
  builtInRegistry,
  createEventCodec,
  endsOf,
  type EventCodec,
  type EventLog,
  eventLogMigrations,
  installationTopics,
  loadSchemaCatalog,
  type LogRecord,
  placeOf,
  placesOf,
  registerSchemas,
  registerRecordKeys,
} from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import {
  migrate,
  openDatabase,
  readMigrations,
  type Database,
  type DatabaseOptions,
  type MigrationSource,
} from '@cupel/postgres'
import {
  installReadModels,
  installTenantWalls,
  outboxBacklog,
  projectionsMigrations,
  readModelGroup,
  runReadModel,
  startOutboxRelay,
  waitUntilProjected,
  type OutboxRelay,
  type ReadModel,
  type RunningReadModel,
} from '@cupel/projections'
import { openTestLog, testRecordKeys } from './open-test-log.js'
import { createTestDatabase, type DatabaseTemplate } from '../test-database.js'
import { PATIENCE_MS, until } from '../until.js'

export interface TestInstallationOptions {
  /** Tables beside those of the log and the projections. */
  readonly migrations?: readonly MigrationSource[]
  readonly readModels?: readonly ReadModel[]
  /** By default those of an installation. */
  readonly topics?: readonly TopicSpec[]
  /** Server-side limit per statement of `database`; 0 for none, as for imports and commands. */
  readonly statementTimeoutMs?: number
  /** The log used instead of the embedded one; its topics are made here. */
  readonly openLog?: (database: Database) => EventLog
}

/** The parts that services and importers need. */
export interface TestDeps {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
}

export interface TestInstallation extends TestDeps {
  /** Records that are appended to `log.unchecked` count as records of another producer. */
  readonly log: AuthenticLog
  readonly deps: TestDeps
  readonly connectionString: string
  /** Removed when the installation is closed. */
  readonly folder: string
  /** One more pool on the database, closed with the installation. */
  connect(options?: Partial<DatabaseOptions>): Database
  /** Writes a file into its own folder and returns its path. */
  file(name: string, text: string): Promise<string>
  /** Appends each event to the topic of its type and environment, under its subject. */
  append(...events: readonly DomainEvent[]): Promise<void>
  /** Every record of the topic, or of one partition, in the order of each partition. */
  records(topic: string, partition?: number): Promise<LogRecord[]>
  /** Loses the records of a partition before an offset, as retention or an accident would. For the embedded log. */
  deleteFront(topic: string, before: number, partition?: number): Promise<void>
  /** Runs the read model until the installation is closed. */
  run(readModel: ReadModel): RunningReadModel
  /** Appends the events of the outbox until the installation is closed; resolves once it is empty. */
  relay(): Promise<void>
  /** Resolves once the read model, which must run, has applied everything that the log contains now. */
  caughtUp(readModel: ReadModel): Promise<void>
  /** Runs when the installation is closed, in the reverse order of the calls, before log and database close. */
  onClose(work: () => unknown): void
  close(): Promise<void>
}

const CONNECTIONS = 20
/** Read models of tests commit sooner than in service, because tests wait for every commit. */
const COMMIT_INTERVAL_MS = 5
/** A relay asks the database each time. */
const RELAY_LOOK_MS = 20

export async function openTestInstallation(options: TestInstallationOptions = {}): Promise<TestInstallation> {
  const testDatabase = await createTestDatabase(await templateOf(options))
  const { connectionString } = testDatabase
  const folder = await mkdtemp(join(tmpdir(), 'cupel-test-'))
  const closing: (() => unknown)[] = []
  const connect = (more: Partial<DatabaseOptions> = {}): Database => {
    const pool = openDatabase({
      connectionString,
      maxConnections: CONNECTIONS,
      applicationName: 'test',
      ...(options.statementTimeoutMs === undefined ? {} : { statementTimeoutMs: options.statementTimeoutMs }),
      ...more,
    })
    pools.push(pool)
    return pool
  }
  const pools: Database[] = []
  const database = connect()
  const bare = options.openLog?.(database) ?? openEmbeddedLog({ database: connect() })
  if (options.openLog !== undefined)
    await prepareTopics({ log: bare, database }, options.topics ?? installationTopics())
  const log = await openTestLog(database, { log: bare })
  const codec = createEventCodec(await loadSchemaCatalog(database))
  const deps: TestDeps = { log, codec, database, logger: silentLogger, metrics: noMetrics }
  const onClose = (work: () => unknown): void => void closing.push(work)
  return {
    ...{ ...deps, log, deps, connectionString, folder, connect, onClose },
    ...logAccess(deps),
    ...projecting(deps, onClose),
    async file(name, text) {
      const path = join(await mkdtemp(join(folder, 'file-')), name)
      await writeFile(path, text)
      return path
    },
    async close() {
      for (const work of closing.splice(0).reverse()) await work()
      await log.close()
      await Promise.all(pools.map((pool) => pool.close()))
      await testDatabase.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The `fail` of services in tests: a test in which a service fails ends with an unhandled error. */
export function failLoudly(reason: string, error: unknown): never {
  throw new Error(reason, { cause: error })
}

async function templateOf(options: TestInstallationOptions): Promise<DatabaseTemplate> {
  const { readModels = [], topics = installationTopics(), openLog } = options
  const sources = new Set([eventLogMigrations, projectionsMigrations, ...(options.migrations ?? [])])
  const migrations = await readMigrations([...sources])
  const tables = readModels.map(({ name, version, definition }) => [name, version, definition])
  return {
    key: JSON.stringify([migrations, tables, topics, openLog === undefined]),
    async fill(connectionString) {
      const database = openDatabase({ connectionString, maxConnections: 2, applicationName: 'test-template' })
      await migrate(database, migrations)
      await installReadModels(database, readModels)
      await installTenantWalls(database)
      await registerSchemas({ database, registry: builtInRegistry(database) })
      if (openLog === undefined) {
        const log = openEmbeddedLog({ database })
        await prepareTopics({ log, database }, topics)
        await log.close()
      }
      await database.close()
    },
  }
}

/** As at the first start of an installation: the record keys are registered. */
async function prepareTopics(
  parts: { readonly log: EventLog; readonly database: Database },
  topics: readonly TopicSpec[],
): Promise<void> {
  await parts.log.ensureTopics(topics)
  await registerRecordKeys({ ...parts, keys: testRecordKeys })
}

function logAccess({
  log,
  codec,
  database,
}: TestDeps): Pick<TestInstallation, 'append' | 'records' | 'deleteFront'> {
  const recordsOf = async (topic: string, partition: number): Promise<LogRecord[]> => {
    const found: LogRecord[] = []
    const to = await log.endOffset(topic, partition)
    for await (const batch of log.read({ topic, partition, from: 0, to })) found.push(...batch)
    return found
  }
  return {
    async append(...events) {
      await log.append(
        'test',
        events.map((event) => {
          const livemode = 'livemode' in event.data ? event.data.livemode : true
          return codec.encode(event, { topic: topicOf(event.type, livemode), key: event.envelope.subject })
        }),
      )
    },
    async records(topic, partition) {
      if (partition !== undefined) return await recordsOf(topic, partition)
      const places = await placesOf(log, [topic])
      return (await Promise.all(places.map((place) => recordsOf(topic, place.partition)))).flat()
    },
    async deleteFront(topic, before, partition = 0) {
      await database.query('SELECT log.delete_before($1, $2, $3)', [topic, partition, before])
    },
  }
}

function projecting(
  deps: TestDeps,
  onClose: TestInstallation['onClose'],
): Pick<TestInstallation, 'run' | 'caughtUp' | 'relay'> {
  const { database, log } = deps
  let relay: OutboxRelay | null = null
  return {
    async relay() {
      if (relay === null) {
        const started = startOutboxRelay({ ...deps, lookIntervalMs: RELAY_LOOK_MS })
        relay = started
        onClose(() => started.stop())
      }
      await until(async () => {
        if ((await outboxBacklog(database)).waiting > 0) throw new Error('The outbox is not empty')
      })
    },
    run(readModel) {
      const running = runReadModel({ ...deps, readModel, commitIntervalMs: COMMIT_INTERVAL_MS })
      onClose(() => running.stop())
      return running
    },
    async caughtUp(readModel) {
      const group = readModelGroup(readModel)
      for (const end of await endsOf(log, readModel.topics))
        if (!(await waitUntilProjected({ database, group, ...end, timeoutMs: PATIENCE_MS })))
          throw new Error(`${readModel.name} did not reach ${placeOf(end)} offset ${end.offset}`)
    },
  }
}

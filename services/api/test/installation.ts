/** An installation around the API under test: database, embedded log, report projection, and a scorer a test can steer. */
import { accessMigrations, createAccount, issueKey, type KeyOrder } from '@cupel/access'
import {
  noMetrics,
  screenTopic,
  silentLogger,
  topicOf,
  topicSpecs,
  type DomainEvent,
  type Logger,
  type Metrics,
  type ScreenRequested,
} from '@cupel/contracts'
import {
  builtInRegistry,
  createEventCodec,
  eventLogMigrations,
  loadSchemaCatalog,
  registerSchemas,
  type EventCodec,
  type EventLog,
  type LogRecord,
} from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { migrate, openDatabase, readMigrations, type Database } from '@cupel/postgres'
import {
  installReadModels,
  projectionsMigrations,
  runReadModel,
  type RunningReadModel,
} from '@cupel/projections'
import { jobView, readModels, reportView } from '@cupel/read-models'
import { webhooksMigrations } from '@cupel/webhooks'
import { createTestDatabase } from '@cupel/testkit'
import { startApi, type ApiDeps, type RunningApi } from '../src/index.js'
import { startTestScorer, type TestScorer } from './scorer.js'

export interface Installation {
  readonly connectionString: string
  readonly database: Database
  readonly log: EventLog
  readonly codec: EventCodec
  readonly scorer: TestScorer
  /** Starts one more instance of the API; the installation stops it. */
  api(options?: ApiOptions): Promise<RunningApi>
  /** Issues a key; without an account, for one of its own. */
  key(order?: Partial<KeyOrder>): Promise<{ key: string; keyId: string; accountId: string }>
  project(): void
  stopProjecting(): Promise<void>
  /** Every ScreenRequested in the log, live and sandbox. */
  requests(): Promise<ScreenRequested[]>
  stop(): Promise<void>
}

export interface ApiOptions {
  readonly logger?: Logger
  readonly metrics?: Metrics
  readonly config?: Partial<ApiDeps['config']>
  readonly log?: EventLog
  readonly database?: Database
  readonly resolve?: NonNullable<ApiDeps['resolve']>
}

export async function startInstallation(): Promise<Installation> {
  const testDatabase = await createTestDatabase()
  const { connectionString } = testDatabase
  const database = openDatabase({ connectionString, maxConnections: 20, applicationName: 'api-test' })
  await migrate(
    database,
    await readMigrations([eventLogMigrations, projectionsMigrations, accessMigrations, webhooksMigrations]),
  )
  await installReadModels(database, readModels)
  await registerSchemas({ database, registry: builtInRegistry(database) })
  const codec = createEventCodec(await loadSchemaCatalog(database))
  const log = openEmbeddedLog({ database })
  await log.ensureTopics(topicSpecs)
  const scorer = await startTestScorer({ log, codec })
  const apis: RunningApi[] = []
  let projections: RunningReadModel[] = []

  const installation: Installation = {
    connectionString,
    database,
    log,
    codec,
    scorer,
    async api(options = {}) {
      const api = await startApi({
        config: { ...CONFIG, ...options.config },
        log: options.log ?? log,
        codec,
        database: options.database ?? database,
        resolve: options.resolve ?? (async () => [PUBLIC_ADDRESS]),
        logger: options.logger ?? silentLogger,
        metrics: options.metrics ?? noMetrics,
        fail: (reason, error) => {
          throw new Error(reason, { cause: error })
        },
      })
      apis.push(api)
      return api
    },
    async key(order = {}) {
      const accountId =
        order.accountId ?? (await createAccount(database, { name: 'Test', by: 'test' })).accountId
      return await issueKey(database, {
        environment: 'live',
        scope: 'read-write',
        // Tests of other rules make more calls at once than the pro plan allows.
        plan: 'enterprise',
        by: 'test',
        ...order,
        accountId,
      })
    },
    project() {
      const options = {
        log,
        codec,
        database,
        logger: silentLogger,
        metrics: noMetrics,
      }
      if (projections.length === 0)
        projections = [reportView, jobView].map((readModel) => runReadModel({ ...options, readModel }))
    },
    async stopProjecting() {
      await Promise.all(projections.splice(0).map((one) => one.stop()))
    },
    requests: async () => (await readAll(log, codec)).map((event) => event.data),
    async stop() {
      await Promise.all(apis.map((api) => api.stop()))
      await scorer.stop()
      await Promise.all(projections.map((one) => one.stop()))
      await log.close()
      await database.close()
      await testDatabase.drop()
    },
  }
  installation.project()
  return installation
}

/** What every name means in a test that says nothing else: no test asks a name server. */
const PUBLIC_ADDRESS = '93.184.215.14'

/** Four times the default: an instance counts as too busy when its oldest screen has waited for half of it. */
export const SCREEN_DEADLINE_MS = 20_000

const CONFIG: ApiDeps['config'] = {
  CUPEL_HOST: '127.0.0.1',
  CUPEL_PORT: 0,
  CUPEL_INSTANCE: 0,
  CUPEL_BASE_URL: undefined,
  CUPEL_REPORT_PAGE_URL: undefined,
  CUPEL_SCREEN_DEADLINE_MS: SCREEN_DEADLINE_MS,
  CUPEL_TRUSTED_PROXIES: [],
  CUPEL_TLS_CERT_FILE: undefined,
  CUPEL_TLS_KEY_FILE: undefined,
  CUPEL_MAX_CONNECTIONS: 8_192,
  CUPEL_MAX_CONNECTIONS_PER_CLIENT: 1_024,
  CUPEL_ENTERPRISE_CALLS_PER_SECOND: 5_000,
  CUPEL_ENTERPRISE_BURST: 10_000,
  CUPEL_ENTERPRISE_HARD_CAP_PER_SECOND: 20_000,
  // Tests of other rules fail to authenticate more often than a client may.
  CUPEL_AUTH_FAILURES_PER_MINUTE: 1_000_000,
  CUPEL_WEBHOOK_ALLOW: [],
  CUPEL_WEBHOOK_SECRETS_KEY: undefined,
}

async function readAll(log: EventLog, codec: EventCodec): Promise<DomainEvent<'ScreenRequested'>[]> {
  const events: DomainEvent<'ScreenRequested'>[] = []
  for (const livemode of [true, false]) {
    const topic = screenTopic('interactive', livemode)
    for (let partition = 0; partition < (await log.partitionCount(topic)); partition += 1) {
      const to = await log.endOffset(topic, partition)
      for await (const records of log.read({ topic, partition, from: 0, to }))
        events.push(...records.flatMap((record) => codec.decodeAs('ScreenRequested', record) ?? []))
    }
  }
  return events
}

/** Every record of the report topic with this id, in the order of its partition. */
export async function reportRecords(
  { log }: Pick<Installation, 'log'>,
  partition: number,
  reportId: string,
): Promise<LogRecord[]> {
  const found: LogRecord[] = []
  const topic = topicOf('ReportGenerated')
  const to = await log.endOffset(topic, partition)
  for await (const records of log.read({ topic, partition, from: 0, to }))
    found.push(...records.filter((record) => record.key === reportId))
  return found
}

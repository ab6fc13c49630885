/** Every service on the embedded log of a fresh database, with an HTTP client. */
import { accessMigrations, createAccount, issueKey, type KeyOrder } from '@cupel/access'
import { bulkMigrations } from '@cupel/bulk-coordinator'
import { noMetrics, silentLogger, topicSpecs } from '@cupel/contracts'
import { compiledDefaultPolicy } from '@cupel/domain'
import {
  builtInRegistry,
  createEventCodec,
  eventLogMigrations,
  loadSchemaCatalog,
  registerSchemas,
  type EventCodec,
  type EventLog,
} from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { labelsMigrations } from '@cupel/labels'
import { ledgerMigrations } from '@cupel/ledger'
import { migrate, openDatabase, readMigrations, type Database } from '@cupel/postgres'
import { installReadModels, projectionsMigrations } from '@cupel/projections'
import { ensureDefaultPolicy } from '@cupel/policy'
import { readModels } from '@cupel/read-models'
import { loadConfig } from '@cupel/service-kit'
import { createTestDatabase, until } from '@cupel/testkit'
import { webhooksMigrations } from '@cupel/webhooks'
import { startStandalone } from '../src/index.js'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  json<T = Record<string, unknown>>(): T
}

export interface Installation {
  readonly url: string
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  key(order?: Partial<KeyOrder>): Promise<{ key: string; accountId: string }>
  call(
    method: string,
    path: string,
    options?: { key?: string; headers?: Record<string, string>; body?: unknown },
  ): Promise<Reply>
  close(): Promise<void>
}

const migrationSources = [
  eventLogMigrations,
  projectionsMigrations,
  accessMigrations,
  bulkMigrations,
  labelsMigrations,
  ledgerMigrations,
  webhooksMigrations,
]

export async function startInstallation(): Promise<Installation> {
  const testDatabase = await createTestDatabase()
  const connect = (applicationName: string, maxConnections: number): Database =>
    openDatabase({ connectionString: testDatabase.connectionString, maxConnections, applicationName })
  const database = connect('test', 8)
  const pools = [connect('test-api', 8), connect('test-workers', 24)] as const
  await migrate(database, await readMigrations(migrationSources))
  await installReadModels(database, readModels)
  const log = openEmbeddedLog({ database })
  await log.ensureTopics(topicSpecs)
  await registerSchemas({ database, registry: builtInRegistry(database) })
  const codec = createEventCodec(await loadSchemaCatalog(database))
  const { document, canonical, sha256 } = compiledDefaultPolicy
  const policy = { policyId: document.id, version: document.version, document: canonical, sha256 }
  await ensureDefaultPolicy({ log, codec, database, policy })
  const standalone = await startStandalone({
    config: loadConfig({ CUPEL_PORT: '0' }),
    ...{ log, codec, apiDatabase: pools[0], workerDatabase: pools[1] },
    ...{ logger: silentLogger, metrics: noMetrics },
    fail: (reason, error) => {
      throw new Error(reason, { cause: error })
    },
  })
  await until(() => {
    const failing = standalone.checks().filter(({ ok }) => !ok)
    if (failing.length > 0) throw new Error(`not ready: ${failing.map(({ name }) => name).join(', ')}`)
  })
  return {
    ...{ url: standalone.url, log, codec, database },
    async key(order = {}) {
      const accountId =
        order.accountId ?? (await createAccount(database, { name: 'Test', by: 'test' })).accountId
      const issued = await issueKey(database, {
        ...{ environment: 'live', scope: 'read-write', plan: 'enterprise', by: 'test' },
        ...order,
        accountId,
      })
      return { key: issued.key, accountId }
    },
    async call(method, path, { key, headers, body } = {}) {
      const response = await fetch(standalone.url + path, {
        method,
        headers: {
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) }
    },
    async close() {
      await standalone.stop()
      await log.close()
      await Promise.all([database, ...pools].map((pool) => pool.close()))
      await testDatabase.drop()
    },
  }
}

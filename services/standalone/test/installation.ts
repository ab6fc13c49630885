/** Every service on the embedded log of a fresh database, with an HTTP client. */
import { casesMigrations } from '@cupel/cases'
import { accessMigrations, type KeyOrder } from '@cupel/access'
import { bulkMigrations } from '@cupel/bulk-coordinator'
import type { Tracing } from '@cupel/contracts'
import type { EventLog } from '@cupel/event-log'
import { compiledDefaultPolicy } from '@cupel/domain'
import { labelsMigrations } from '@cupel/labels'
import { ledgerMigrations } from '@cupel/ledger'
import { ensureDefaultPolicy } from '@cupel/policy'
import { readModels } from '@cupel/read-models'
import { loadConfig, type Check } from '@cupel/service-kit'
import { sharingMigrations } from '@cupel/sharing'
import { until } from '@cupel/testkit'
import {
  diesAt,
  failLoudly,
  issueTestKey,
  openTestInstallation,
  type IssuedTestKey,
  type TestInstallation,
} from '@cupel/testkit/installation'
import { transparencyMigrations } from '@cupel/transparency'
import { watchesMigrations } from '@cupel/watches'
import { webhooksMigrations } from '@cupel/webhooks'
import { startStandalone, type RunningStandalone } from '../src/index.js'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  json<T = Record<string, unknown>>(): T
}

export interface Installation extends TestInstallation {
  readonly url: string
  checks(): readonly Check[]
  /** Stops every service and starts it again, at another address. */
  startAnew(): Promise<void>
  /**
   * Stops every service and runs them again until the failpoint ends them all at once; `use` gets their address.
   * @param point as of `diesAt`
   */
  diesAt(point: string, life: Life): Promise<void>
  key(order?: Partial<KeyOrder>): Promise<IssuedTestKey>
  call(
    method: string,
    path: string,
    options?: { key?: string; headers?: Record<string, string>; body?: unknown },
  ): Promise<Reply>
}

export interface Life {
  /** Settings in addition to those of every test. */
  readonly settings?: Readonly<Record<string, string>>
  /** In place of the log, if it misbehaves in this life. */
  readonly log?: (log: EventLog) => EventLog
  /** Calls the services until the signal says that they are dead. A call during which they die is answered with a failure, or not at all. */
  readonly use: (url: string, dead: AbortSignal) => Promise<unknown>
}

const migrations = [
  ...[accessMigrations, bulkMigrations, labelsMigrations, ledgerMigrations],
  ...[webhooksMigrations, sharingMigrations, casesMigrations],
  ...[transparencyMigrations, watchesMigrations],
]

export interface InstallationOptions {
  /** Settings in addition to those of every test. */
  readonly settings?: Readonly<Record<string, string>>
  readonly tracing?: Tracing | null
}

export async function startInstallation(options: InstallationOptions = {}): Promise<Installation> {
  const base = await openTestInstallation({ migrations, readModels })
  const { document, canonical, sha256 } = compiledDefaultPolicy
  const policy = { policyId: document.id, version: document.version, document: canonical, sha256 }
  await ensureDefaultPolicy({ ...base.deps, policy })
  const configOf = (more: Readonly<Record<string, string>> = {}) =>
    loadConfig({ CUPEL_PORT: '0', ...options.settings, ...more })
  const start = async (): Promise<RunningStandalone> => {
    const started = await startStandalone({
      ...base.deps,
      config: configOf(),
      tracing: options.tracing ?? null,
      apiDatabase: base.connect(),
      workerDatabase: base.connect(),
      fail: failLoudly,
    })
    await until(() => {
      const failing = started.checks().filter(({ ok, aside }) => !ok && aside !== true)
      if (failing.length > 0) throw new Error(`not ready: ${failing.map(({ name }) => name).join(', ')}`)
    })
    return started
  }
  let standalone = await start()
  let isRunning = true
  const stop = async (): Promise<void> => {
    if (isRunning) await standalone.stop()
    isRunning = false
  }
  base.onClose(stop)
  return {
    ...base,
    get url() {
      return standalone.url
    },
    checks: () => standalone.checks(),
    async startAnew() {
      await stop()
      standalone = await start()
      isRunning = true
    },
    async diesAt(point, { settings, log = (own) => own, use }) {
      await stop()
      const over = new AbortController()
      let using: Promise<unknown> = Promise.resolve()
      await diesAt(base.connectionString, point, async ({ database, ...deps }) => {
        const databases = { apiDatabase: database, workerDatabase: database }
        const common = { ...deps, log: log(deps.log), config: configOf(settings) }
        const started = await startStandalone({ ...common, ...databases })
        using = use(started.url, over.signal)
        return started
      })
      over.abort()
      await using
    },
    key: (order) => issueTestKey(base.database, order),
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
  }
}

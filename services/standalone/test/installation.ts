/** Every service on the embedded log of a fresh database, with an HTTP client. */
import { migrationSources } from '@cupel/command-line/installation'
import type { KeyOrder } from '@cupel/gate/access'
import type { Tracing } from '@cupel/contracts'
import { compiledDefaultPolicy } from '@cupel/domain'
import { ensureDefaultPolicy } from '@cupel/policy'
import { readModels } from '@cupel/operation/read-models'
import { loadConfig, type Check } from '@cupel/kit/service'
import { until } from '@cupel/testkit'
import {
  failLoudly,
  issueTestKey,
  openTestInstallation,
  type IssuedTestKey,
  type TestInstallation,
} from '@cupel/testkit/installation'
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
  key(order?: Partial<KeyOrder>): Promise<IssuedTestKey>
  call(
    method: string,
    path: string,
    options?: { key?: string; headers?: Record<string, string>; body?: unknown },
  ): Promise<Reply>
}

export interface InstallationOptions {
  /** Settings in addition to those of every test. */
  readonly settings?: Readonly<Record<string, string>>
  readonly tracing?: Tracing | null
}

export async function startInstallation(options: InstallationOptions = {}): Promise<Installation> {
  const base = await openTestInstallation({ migrations: migrationSources, readModels })
  const { document, canonical, sha256 } = compiledDefaultPolicy
  const policy = { policyId: document.id, version: document.version, document: canonical, sha256 }
  await ensureDefaultPolicy({ ...base.deps, policy })
  const start = async (): Promise<RunningStandalone> => {
    const started = await startStandalone({
      ...base.deps,
      config: loadConfig({ CUPEL_PORT: '0', ...options.settings }),
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
  base.onClose(() => standalone.stop())
  return {
    ...base,
    get url() {
      return standalone.url
    },
    checks: () => standalone.checks(),
    async startAnew() {
      await standalone.stop()
      standalone = await start()
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

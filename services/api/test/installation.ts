/** An installation for the API under test: database, embedded log, report projection, and a scorer that a test can steer. */
import { migrationSources } from '@cupel/command-line/installation'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { KeyOrder } from '@cupel/gate/access'
import {
  screenTopic,
  topicOf,
  topicSpecs,
  type Logger,
  type Metrics,
  type ScreenRequested,
} from '@cupel/contracts'
import type { EventLog, LogRecord } from '@cupel/event-log'
import { ensureMasterKeys, openPersonalData, openValue } from '@cupel/personal-data'
import type { Database } from '@cupel/postgres'
import { runReadModel, type RunningReadModel } from '@cupel/projections'
import { compiledDefaultPolicy } from '@cupel/domain'
import { ensureDefaultPolicy } from '@cupel/policy'
import { jobView } from '@cupel/bulk/read-model'
import { policyView, readActivePolicy } from '@cupel/policy/read-model'
import { readModels } from '@cupel/operation/read-models'
import { reportView } from '@cupel/reports/read-model'
import {
  diesAt,
  failLoudly,
  issueTestKey,
  openTestInstallation,
  type IssuedTestKey,
  type TestInstallation,
} from '@cupel/testkit/installation'
import { until } from '@cupel/testkit'
import { createSigningKeys, readSigningKeys } from '@cupel/signing'
import { publishedFolder, startTransparency } from '@cupel/evidence/transparency'
import { expect } from 'vitest'
import { startApi } from '../src/index.js'
import { type RunningApi, type ApiDeps } from '../src/start-api.js'
import { startTestScorer, type TestScorer } from './scorer.js'

export interface Installation extends TestInstallation {
  readonly scorer: TestScorer
  /** The keys with which the API seals. An API without this file seals nothing. */
  readonly personalDataKeysFile: string
  /** Starts one more instance of the API; the installation stops it. */
  api(options?: ApiOptions): Promise<RunningApi>
  /** Runs a further API until it dies at the failpoint. `callIt` gets its address; what its calls are answered decides nothing. */
  apiDies(point: string, callIt: (url: string) => Promise<unknown>): Promise<void>
  /** Issues a key; creates an account for it if none is given. */
  key(order?: Partial<KeyOrder>): Promise<IssuedTestKey>
  /** Report view and job view follow the log. They do so from the start of the installation. */
  project(): void
  stopProjecting(): Promise<void>
  /** From now on reports get leaves of the transparency log. Returns the file with the signing keys. */
  prove(): string
  /** Returns a value of the log or of a table with its personal data opened. */
  opened<T>(value: T): Promise<T>
  /** Returns every ScreenRequested in the log, live and sandbox, with its personal data opened. */
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
  readonly now?: NonNullable<ApiDeps['now']>
  readonly retention?: NonNullable<ApiDeps['retention']>
  readonly streamLimits?: NonNullable<ApiDeps['streamLimits']>
}

export async function startInstallation(): Promise<Installation> {
  const base = await openTestInstallation({
    migrations: migrationSources,
    readModels,
  })
  const personalDataKeysFile = join(base.folder, 'personal-data-keys.json')
  ensureMasterKeys(personalDataKeysFile)
  const personalData = openPersonalData({ database: base.database, keysFile: personalDataKeysFile })
  await activateDefaultPolicy(base)
  const scorer = await startTestScorer(base)
  base.onClose(() => scorer.stop())
  let projections: RunningReadModel[] = []
  const installation: Installation = {
    ...base,
    personalDataKeysFile,
    scorer,
    async api({ config, ...options } = {}) {
      const api = await startApi({
        ...base.deps,
        resolve: async () => [PUBLIC_ADDRESS],
        fail: failLoudly,
        // A test that calls every endpoint waits until each answer ends.
        streamLimits: { maxAgeMs: 1_000 },
        ...options,
        config: {
          ...{ ...CONFIG, CUPEL_PERSONAL_DATA_KEYS_FILE: personalDataKeysFile },
          // Once the log is signed, an API without the key does not start.
          ...(existsSync(keysFileOf(base)) ? { CUPEL_SIGNING_KEYS_FILE: keysFileOf(base) } : {}),
          ...config,
        },
      })
      base.onClose(() => api.stop())
      return api
    },
    apiDies: (point, callIt) =>
      diesAt(base.connectionString, point, async (deps) => {
        const config = { ...CONFIG, CUPEL_INSTANCE: 3, CUPEL_PERSONAL_DATA_KEYS_FILE: personalDataKeysFile }
        const api = await startApi({ ...deps, config })
        // A call during which the API dies is answered with its failure, or not at all.
        callIt(api.url).catch(() => undefined)
        return api
      }),
    key: (order) => issueTestKey(base.database, order),
    project() {
      if (projections.length === 0)
        projections = [policyView, reportView, jobView].map((readModel) =>
          runReadModel({ ...base.deps, readModel }),
        )
    },
    async stopProjecting() {
      await Promise.all(projections.splice(0).map((one) => one.stop()))
    },
    prove: () => prove(base),
    opened: async (value) => openValue(await personalData, value),
    requests: async () => openValue(await personalData, await requestsIn(base)),
    stop: base.close,
  }
  base.onClose(() => installation.stopProjecting())
  installation.project()
  await until(async () => expect(await readActivePolicy(base.database)).not.toBeNull())
  return installation
}

const keysFileOf = ({ folder }: TestInstallation): string => join(folder, 'signing-keys.json')

function prove(base: TestInstallation): string {
  const file = keysFileOf(base)
  createSigningKeys(file)
  const settings = { keys: readSigningKeys(file), stores: [publishedFolder(base.folder)], intervalMs: 20 }
  const running = startTransparency({ ...base.deps, ...settings, topics: topicSpecs })
  base.onClose(() => running.stop())
  return file
}

/** Every installation has a policy, because screenings need one. */
async function activateDefaultPolicy(base: TestInstallation): Promise<void> {
  const { document, canonical, sha256 } = compiledDefaultPolicy
  const policy = { policyId: document.id, version: document.version, document: canonical, sha256 }
  await ensureDefaultPolicy({ ...base, policy })
}

/** Every host name resolves to this address by default, so no test queries a name server. */
const PUBLIC_ADDRESS = '93.184.215.14'

/** Four times the default. An instance counts as too busy when its oldest screen has waited for half of it. */
export const SCREEN_DEADLINE_MS = 20_000

const CONFIG: ApiDeps['config'] = {
  CUPEL_HOST: '127.0.0.1',
  CUPEL_PORT: 0,
  CUPEL_INSTANCE: 0,
  CUPEL_BASE_URL: undefined,
  CUPEL_REPORT_PAGE_URL: undefined,
  CUPEL_SCREEN_DEADLINE_MS: SCREEN_DEADLINE_MS,
  CUPEL_READ_WAIT_MS: 2_000,
  CUPEL_TRUSTED_PROXIES: [],
  CUPEL_TLS_CERT_FILE: undefined,
  CUPEL_TLS_KEY_FILE: undefined,
  CUPEL_DRAIN_MS: 0,
  CUPEL_MAX_CONNECTIONS: 8_192,
  CUPEL_MAX_CONNECTIONS_PER_CLIENT: 1_024,
  CUPEL_PDF_WORKERS: 1,
  CUPEL_CASE_SECOND_PERSON: [],
  CUPEL_POLICY_SECOND_PERSON: false,
  CUPEL_KEY_SECOND_PERSON: false,
  CUPEL_LIST_SECOND_PERSON: false,
  CUPEL_ENTERPRISE_CALLS_PER_SECOND: 5_000,
  CUPEL_ENTERPRISE_BURST: 10_000,
  CUPEL_ENTERPRISE_HARD_CAP_PER_SECOND: 20_000,
  CUPEL_ENTERPRISE_OPEN_JOBS: 1_000,
  CUPEL_ENTERPRISE_WAITING_ITEMS: 250_000,
  CUPEL_ENTERPRISE_WATCHES: 100_000,
  CUPEL_HOME: '.',
  CUPEL_DISK_WATERMARK: '0',
  CUPEL_LOG_IS_PUBLIC: false,
  // Tests of other rules fail to authenticate more often than a client may.
  CUPEL_AUTH_FAILURES_PER_MINUTE: 1_000_000,
  CUPEL_WEBHOOK_ALLOW: [],
  CUPEL_WEBHOOK_SECRETS_KEY: undefined,
  CUPEL_MAIL_HOST: 'mail.example',
  CUPEL_CLIENT_ADDRESS_RETENTION_DAYS: 0,
  CUPEL_RETENTION_ARCHIVE: undefined,
}

async function requestsIn({ codec, records }: TestInstallation): Promise<ScreenRequested[]> {
  const topics = [true, false].map((livemode) => screenTopic('interactive', livemode))
  const found = (await Promise.all(topics.map((topic) => records(topic)))).flat()
  return found.flatMap((record) => codec.decodeAs('ScreenRequested', record)?.data ?? [])
}

/** Returns every record of the report topic with this id, in the order of its partition. */
export async function reportRecords(
  { records }: Pick<Installation, 'records'>,
  partition: number,
  reportId: string,
): Promise<LogRecord[]> {
  return (await records(topicOf('ReportGenerated'), partition)).filter(({ key }) => key === reportId)
}

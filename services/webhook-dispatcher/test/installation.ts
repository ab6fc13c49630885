/** An installation around the dispatcher under test: database, embedded log, accounts with endpoints, and jobs that end. */
import { accessMigrations, loadInstallationSecrets } from '@cupel/gate/access'
import { decidedEventId, topicOf, type DomainEvent, type EventData } from '@cupel/contracts'
import type { EndedItem, WebhookType } from '@cupel/domain'
import { createJudge, parseAllowedRanges } from '@cupel/kit/outbound'
import type { Database, Queryable, TransactionOptions } from '@cupel/postgres'
import type { RunningService } from '@cupel/kit/service'
import { diesAt, failLoudly, openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import {
  createEndpoint,
  createSecretBox,
  listDeliveries,
  webhooksMigrations,
  type EndpointStore,
  type WebhookDelivery,
} from '@cupel/webhooks'
import { startWebhookDispatcher, type WebhookDispatcherDeps } from '../src/index.js'
import type { ReadEndedJob } from '@cupel/webhooks/worker'

export interface TestEndpoint {
  readonly accountId: string
  readonly livemode: boolean
  readonly endpointId: string
  readonly secret: string
}

export interface Installation extends TestInstallation {
  readonly store: EndpointStore
  /** Starts one more dispatcher; the installation stops it. */
  dispatcher(
    deps?: Partial<Omit<WebhookDispatcherDeps, 'config'>> & {
      config?: Partial<WebhookDispatcherDeps['config']>
    },
  ): Promise<RunningService>
  /** Runs a further dispatcher until it dies at the failpoint. */
  dispatcherDies(point: string, config?: Partial<WebhookDispatcherDeps['config']>): Promise<void>
  /** Creates an endpoint that is proven from the start, unless requested otherwise. */
  endpoint(
    url: string,
    order?: {
      accountId?: string
      livemode?: boolean
      payload?: 'full' | 'thin' | 'slack'
      events?: WebhookType[]
      isProven?: boolean
    },
  ): Promise<TestEndpoint>
  /** Appends the end of a job of this account. */
  end(
    of: { accountId: string; livemode: boolean },
    jobId: string,
    type?: 'BulkCompleted' | 'BulkCancelled',
  ): Promise<void>
  deliveries(endpoint: TestEndpoint): Promise<readonly WebhookDelivery[]>
  /** Makes every retry fall due. */
  dueNow(): Promise<void>
  stop(): Promise<void>
}

export const CONFIG: WebhookDispatcherDeps['config'] = {
  CUPEL_BASE_URL: 'https://cupel.example',
  CUPEL_HOST: '127.0.0.1',
  CUPEL_PORT: 8080,
  CUPEL_WEBHOOK_ALLOW: ['127.0.0.0/8'],
  CUPEL_WEBHOOK_SECRETS_KEY: undefined,
  CUPEL_WEBHOOK_ATTEMPTS_PER_SECOND: 10_000,
  CUPEL_WEBHOOK_HOST_ATTEMPTS_PER_SECOND: 10_000,
  CUPEL_WEBHOOK_HOST_BURST: 100_000,
  CUPEL_MAIL_HOST: undefined,
  CUPEL_MAIL_PORT: 587,
  CUPEL_MAIL_USER: undefined,
  CUPEL_MAIL_PASSWORD: undefined,
  CUPEL_MAIL_FROM: undefined,
  CUPEL_MAIL_TLS_CA_FILE: undefined,
  CUPEL_MAIL_INSECURE: false,
  CUPEL_MAIL_ADDRESS_IN_SUBJECT: false,
  CUPEL_MAIL_PER_HOUR: 100_000,
  CUPEL_REPORT_PAGE_URL: undefined,
  CUPEL_WEB_URL: 'https://console.example',
}

/** Reads jobs for tests, without bulk jobs: two items, the second one refused. */
export const readTestJob: ReadEndedJob = async (_owner, jobId) => {
  const report = JSON.stringify({
    report_id: '622f9400217f0c00',
    job: jobId,
    risk: { level: 'red', score: 95 },
  })
  const items: EndedItem[] = [
    { number: 1, address: 'a', status: 'completed', reportId: '622f9400217f0c00', report, error: null },
    {
      number: 2,
      address: 'b',
      status: 'failed',
      reportId: null,
      report: null,
      error: { code: 'invalid_address', detail: 'no' },
    },
  ]
  const job = {
    jobId,
    name: null,
    livemode: true,
    status: 'completed_with_errors',
    total: 2,
    completed: 1,
    failed: 1,
    cancelled: 0,
    endedAt: '2026-11-21T09:00:00.000Z',
  }
  return () => Promise.resolve({ job, items })
}

export async function startInstallation(): Promise<Installation> {
  const base = await openTestInstallation({ migrations: [accessMigrations, webhooksMigrations] })
  const { database, codec, log } = base
  const secrets = createSecretBox({
    installationKey: (await loadInstallationSecrets(database)).webhookSecretsKey,
    operatorKey: undefined,
  })
  const judge = createJudge({ allow: parseAllowedRanges(CONFIG.CUPEL_WEBHOOK_ALLOW) })
  const sealRecipient = (_accountId: string, address: string) => Promise.resolve(address)
  const store: EndpointStore = { database, secrets, judge, sealRecipient }
  let accounts = 0

  return {
    ...base,
    store,
    async dispatcher({ config, ...deps } = {}) {
      const service = await startWebhookDispatcher({
        ...{ ...base.deps, readEndedJob: readTestJob, fail: failLoudly, ...deps },
        config: { ...CONFIG, ...config },
      })
      base.onClose(() => service.stop())
      return service
    },
    dispatcherDies: (point, config = {}) =>
      diesAt(base.connectionString, point, (deps) =>
        startWebhookDispatcher({ ...deps, config: { ...CONFIG, ...config }, readEndedJob: readTestJob }),
      ),
    async endpoint(url, order = {}) {
      const {
        accountId = `acc_${(accounts += 1)}`,
        livemode = true,
        payload,
        events,
        isProven = true,
      } = order
      const of = isProven ? { ...store, database: proving(database) } : store
      const made = await createEndpoint(of, { accountId, livemode, url, payload, events, by: 'test' })
      if (!made.ok) throw new Error(JSON.stringify(made))
      return { accountId, livemode, endpointId: made.endpoint.endpointId, secret: made.secret ?? '' }
    },
    async end({ accountId, livemode }, jobId, type = 'BulkCompleted') {
      const event = endOf(type, { jobId, accountId, livemode })
      await log.append('test', [codec.encode(event, { topic: topicOf(type, livemode), key: jobId })])
    },
    async deliveries({ accountId, livemode, endpointId }) {
      const query = { accountId, livemode, endpointId, pageSize: 200, after: null }
      return (await listDeliveries(database, query)).items
    },
    async dueNow() {
      await database.execute(
        `UPDATE webhooks.delivery SET due_at = now() WHERE status = 'pending' AND next_attempt_at > now()`,
      )
    },
    stop: base.close,
  }
}

/** A database in which an endpoint is proven from its creation, without a test message. */
function proving(database: Database): Database {
  return Object.assign(Object.create(database) as Database, {
    transaction: <T>(options: TransactionOptions, work: (transaction: Queryable) => Promise<T>) =>
      database.transaction(options, async (transaction) => {
        const result = await work(transaction)
        const { endpointId } = (result as { endpoint: { endpointId: string } }).endpoint
        await transaction.execute('UPDATE webhooks.endpoint SET proven_at = now() WHERE endpoint_id = $1', [
          endpointId,
        ])
        await transaction.execute('DELETE FROM webhooks.delivery WHERE endpoint_id = $1', [endpointId])
        return result
      }),
  })
}

export function endOf(
  type: 'BulkCompleted' | 'BulkCancelled',
  { jobId, accountId, livemode }: { jobId: string; accountId: string; livemode: boolean },
): DomainEvent {
  const at = new Date().toISOString()
  const counts = { total: 2, completed: 1, failed: 1, cancelled: 0 }
  const about = { jobId, accountId, livemode, ...counts }
  const data: EventData[typeof type] =
    type === 'BulkCompleted'
      ? { ...about, status: 'completed_with_errors', completedAt: at }
      : { ...about, cancelledIndices: [], cancelledAt: at }
  const id = decidedEventId(type, jobId)
  const envelope = { id, source: 'test', time: at, subject: jobId, correlationId: jobId, causationId: jobId }
  return { type, data, envelope } as DomainEvent
}

/** A database with the webhook tables, and helpers that create endpoints and deliveries in it. */
import { randomBytes } from 'node:crypto'
import { createJudge } from '@cupel/kit/outbound'
import type { Database, Queryable, TransactionOptions } from '@cupel/postgres'
import { openTestInstallation } from '@cupel/testkit/installation'
import {
  claimDeliveries,
  createEndpoint,
  createSecretBox,
  insertDeliveries,
  listMissingBodies,
  storeBody,
  webhooksMigrations,
  type ClaimedDelivery,
  type EndpointStore,
  type Owner,
  type WebhookEndpoint,
} from '../src/index.js'
import { type ClaimOrder } from '../src/claims.js'

export interface TestStore extends EndpointStore {
  readonly database: Database
  owner(): Owner
  /** Creates an endpoint that is proven from its creation, unless asked otherwise. */
  endpoint(
    owner: Owner,
    order?: { url?: string; payload?: 'full' | 'thin'; isProven?: boolean },
  ): Promise<WebhookEndpoint>
  /** Adds an ended job with deliveries for its owner's endpoints, with a body. Returns the job's id. */
  ended(owner: Owner): Promise<string>
  claim(order?: Partial<ClaimOrder>): Promise<readonly ClaimedDelivery[]>
  /** Claims what is due, and returns the time until a delivery falls due. */
  nextDueInMs(order?: Partial<ClaimOrder>): Promise<number | null>
  /** The events in the outbox, oldest first. */
  events(): Promise<{ type: string; data: Record<string, unknown> }[]>
  close(): Promise<void>
}

export async function openStore(): Promise<TestStore> {
  const { database, close } = await openTestInstallation({ migrations: [webhooksMigrations] })
  const secrets = createSecretBox({ installationKey: randomBytes(32), operatorKey: undefined })
  const judge = createJudge({ allow: [], resolve: async () => ['93.184.215.14'] })
  const sealRecipient = (_accountId: string, address: string) => Promise.resolve(address)
  const store = { database, secrets, judge, sealRecipient }
  const claims = (order: Partial<ClaimOrder>) =>
    claimDeliveries(database, secrets, {
      ...{ trusted: [], placesPerTrusted: 4, closed: [], limit: 100, leaseMs: 600_000 },
      ...order,
    })
  let jobs = 0
  return {
    ...store,
    owner: () => ({ accountId: `acc_${randomBytes(10).toString('hex')}`, livemode: true }),
    async endpoint(owner, { isProven = true, ...order } = {}) {
      const made = await createEndpoint(isProven ? { ...store, database: proving(database) } : store, {
        ...owner,
        url: 'https://receiver.example/hook',
        by: 'test',
        ...order,
      })
      if (!made.ok) throw new Error(made.code)
      return made.endpoint
    },
    async ended(owner) {
      const jobId = `job_${(jobs += 1)}`
      const endedAt = new Date().toISOString()
      await insertDeliveries(database, [{ ...owner, jobId, type: 'bulk.completed', endedAt }])
      for (const missing of await listMissingBodies(database, 100))
        await storeBody(database, missing, `{"job":"${jobId}"}`)
      return jobId
    },
    claim: async (order = {}) => (await claims(order)).claimed,
    nextDueInMs: async (order = {}) => (await claims(order)).nextDueInMs,
    async events() {
      const rows = await database.query<{ event: { type: string; data: Record<string, unknown> } }>(
        'SELECT event FROM projection.outbox ORDER BY seq',
      )
      return rows.map(({ event }) => event)
    },
    close,
  }
}

/** A database in which an endpoint is proven from its creation, without a test message. */
export function proving(database: Database): Database {
  return Object.assign(Object.create(database) as Database, {
    transaction: <T>(options: TransactionOptions, work: (transaction: Queryable) => Promise<T>) =>
      database.transaction(options, async (transaction) => {
        const result = await work(transaction)
        const { endpointId } = (result as { endpoint: WebhookEndpoint }).endpoint
        await transaction.execute('UPDATE webhooks.endpoint SET proven_at = now() WHERE endpoint_id = $1', [
          endpointId,
        ])
        await transaction.execute('DELETE FROM webhooks.delivery WHERE endpoint_id = $1', [endpointId])
        return result
      }),
  })
}

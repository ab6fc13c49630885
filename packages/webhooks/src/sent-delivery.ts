/** One delivery with its body as it is sent. */
import type { Queryable } from '@cupel/postgres'
import { tenantScope } from '@cupel/projections'
import { ONE_DELIVERY, type OneDelivery, type WebhookDelivery } from './deliveries.js'
import { ownRow } from './endpoints.js'

export interface SentDelivery {
  readonly delivery: WebhookDelivery
  /** As it is stored, with sealed parts; null until the results of the job can be read. */
  readonly body: string | null
}

/** Null if the endpoint of the account has no such delivery. */
export async function getDelivery(database: Queryable, order: OneDelivery): Promise<SentDelivery | null> {
  const { deliveryId, endpointId, accountId, livemode } = order
  const [row] = await database.query<WebhookDelivery>({ text: ONE_DELIVERY, scope: tenantScope(order) }, [
    ...[deliveryId, endpointId, accountId, livemode],
  ])
  if (row === undefined) return null
  const delivery = ownRow(row, order)
  // Bodies belong to no tenant; this one is that of a delivery of the caller.
  const [body] = await database.query<{ body: string }>(
    `SELECT b.body FROM webhooks.delivery d JOIN webhooks.body b USING (body_id)
     WHERE d.delivery_id = $1 AND d.account_id = $2 AND d.livemode = $3`,
    [deliveryId, accountId, livemode],
  )
  return { delivery, body: body?.body ?? null }
}

/** A new secret of an endpoint, shown once. */
import {
  appendChanged,
  ENDPOINT_COLUMNS,
  getEndpoint,
  ownRow,
  type Actor,
  type EndpointResult,
  type EndpointStore,
  type Owner,
  type WebhookEndpoint,
} from './endpoints.js'
import { newWebhookSecret } from './signing/signature.js'

/** How long messages have both signatures after a rotation. */
export const SECRET_OVERLAP_MS = 24 * 3_600_000

/** Creates a new secret; the previous one also signs for 24 hours. A second rotation within that time ends the oldest at once. */
export async function rotateEndpointSecret(
  { database, secrets }: Pick<EndpointStore, 'database' | 'secrets'>,
  order: Owner & Actor & { endpointId: string },
): Promise<EndpointResult<{ endpoint: WebhookEndpoint; secret: string; previousSecretExpiresAt: string }>> {
  const present = await getEndpoint(database, order)
  if (present?.payload === 'email') return { ok: false, code: 'no_secret' }
  const secret = newWebhookSecret()
  return await database.transaction({ at: 'webhooks.change' }, async (transaction) => {
    const [row] = await transaction.query<WebhookEndpoint>(
      `UPDATE webhooks.endpoint e SET sealed_previous_secret = sealed_secret, sealed_secret = $4,
         previous_secret_expires_at = date_trunc('milliseconds', clock_timestamp()) + make_interval(secs => $5::float8 / 1000)
       WHERE endpoint_id = $1 AND account_id = $2 AND livemode = $3 RETURNING ${ENDPOINT_COLUMNS}`,
      [
        order.endpointId,
        order.accountId,
        order.livemode,
        secrets.seal(order.endpointId, secret),
        SECRET_OVERLAP_MS,
      ],
    )
    if (row === undefined) return { ok: false, code: 'unknown_endpoint' }
    const endpoint = ownRow(row, order)
    await appendChanged(transaction, endpoint, order)
    return { ok: true, endpoint, secret, previousSecretExpiresAt: endpoint.previousSecretExpiresAt! }
  })
}

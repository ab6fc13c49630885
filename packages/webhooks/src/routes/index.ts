/** Every endpoint of webhooks. */
import type { Endpoint } from '@cupel/gate/http'
import { changeWebhookEndpoint } from './change-endpoint.js'
import { createWebhookEndpoint } from './create-endpoint.js'
import { deleteWebhookEndpoint } from './delete-endpoint.js'
import type { WebhookParts } from './endpoint-description.js'
import { getWebhookDelivery } from './get-delivery.js'
import { getWebhookEndpoint } from './get-endpoint.js'
import { listWebhookDeliveries } from './list-deliveries.js'
import { listWebhookEndpoints } from './list-endpoints.js'
import { redeliverWebhook } from './redeliver.js'
import { redeliverWebhooks } from './redeliver-range.js'
import { rotateWebhookSecret } from './rotate-secret.js'
import { sendWebhookTest } from './send-test.js'
import { createLinkUses, showEmailLink, useEmailLink } from './email-link.js'

export function webhooksFeature({
  webhooks: parts,
}: {
  readonly webhooks: WebhookParts
}): readonly Endpoint[] {
  const uses = createLinkUses()
  return [
    createWebhookEndpoint(parts),
    listWebhookEndpoints(parts),
    getWebhookEndpoint(parts),
    changeWebhookEndpoint(parts),
    deleteWebhookEndpoint(parts),
    rotateWebhookSecret(parts),
    sendWebhookTest(parts),
    listWebhookDeliveries(parts),
    getWebhookDelivery(parts),
    redeliverWebhook(parts),
    redeliverWebhooks(parts),
    showEmailLink(parts, uses),
    useEmailLink(parts, uses),
  ]
}
export { webhookStoreOf } from './webhook-store.js'
export { MAX_USES_PER_MINUTE } from './email-link.js'
export { describedWebhooks, webhooksInOrder } from './webhook-description.js'

/** What the log states of webhook endpoints. */
import type { EventData } from '@cupel/contracts'
import { changes, states, type Columns, type StatedRows } from '@cupel/projections'
import { recipientOf } from './mailto.js'

export const statedEndpoints: StatedRows = {
  tables: {
    'webhooks.endpoint': { key: ['endpoint_id'], made: ({ url }) => receiverOf(String(url)) },
  },
  events: {
    WebhookEndpointCreated: (endpoint) =>
      states('webhooks.endpoint', endpoint.endpointId, {
        ...{ ...ofEndpoint(endpoint), disabled_reason: null },
        ...{ proven_at: null, created_at: endpoint.createdAt },
      }),
    WebhookEndpointChanged: (change) =>
      changes('webhooks.endpoint', change.endpointId, {
        ...{ ...ofEndpoint(change), disabled_reason: change.disabledReason, proven_at: change.provenAt },
      }),
    WebhookEndpointDeleted: ({ endpointId }) => [
      { table: 'webhooks.endpoint', key: endpointId, next: () => null },
    ],
  },
}

type EndpointFields = 'accountId' | 'livemode' | 'origin' | 'recipient' | 'payload' | 'events' | 'status'

function ofEndpoint(endpoint: Pick<EventData['WebhookEndpointChanged'], EndpointFields>): Columns {
  const { accountId, livemode, origin, recipient, payload, events, status } = endpoint
  return { account_id: accountId, livemode, origin, recipient, payload, events, status }
}

/** What events state of a URL: its origin, or the address of e-mail. */
function receiverOf(url: string): Columns {
  const recipient = recipientOf(url)
  if (recipient !== null) return { origin: 'mailto:', recipient }
  try {
    return { origin: new URL(url).origin, recipient: '' }
  } catch {
    // It is not the origin that an event states.
    return { origin: null, recipient: '' }
  }
}

/** GET /webhooks/{endpoint_id}/deliveries/{delivery_id}: a delivery as it is sent, and the answers to it. */
import { visibleText } from '@cupel/reports/document'
import { FieldList, page, type Page } from '@cupel/console'
import { Attempts, protocolOf, Status } from './delivery-table.js'
import { apiPathOf, payloadText, type SentDelivery } from './endpoint.js'

export const showDelivery: Page = {
  method: 'GET',
  path: '/webhooks/{endpoint_id}/deliveries/{delivery_id}',
  access: 'session',
  async handle({ api, path }) {
    const { endpoint_id: endpointId, delivery_id: deliveryId = '' } = path
    const sent = await api.get<SentDelivery>(
      apiPathOf(endpointId, `/deliveries/${encodeURIComponent(deliveryId)}`),
    )
    const { type, webhook_id: webhookId, payload, body, headers } = sent
    return page(
      'Delivery',
      <>
        <h1>Delivery</h1>
        <FieldList
          fields={[
            { label: 'Type', value: type, isCode: true },
            { label: 'Message', value: payloadText(payload) },
            { label: 'Id of the message', value: webhookId, isCode: true },
          ]}
        />
        <p>
          <Status delivery={sent} />
        </p>
        <h2>Attempts</h2>
        <Attempts attempts={sent.attempts} protocol={protocolOf(payload)} />
        <h2>Headers of the last attempt</h2>
        {headers === null ? (
          <p class="empty">
            {payload === 'email' ? 'E-mail has no signature.' : 'There was no attempt yet.'}
          </p>
        ) : (
          <pre tabindex={0}>
            {Object.entries(headers)
              .map(([name, value]) => `${name}: ${visibleText(value)}`)
              .join('\n')}
          </pre>
        )}
        <h2>Body</h2>
        {body === null ? (
          <p class="empty">The results of the job cannot be read yet.</p>
        ) : (
          <pre tabindex={0}>{visibleText(body)}</pre>
        )}
        <p>
          <a href={`/webhooks/${encodeURIComponent(endpointId ?? '')}#deliveries`}>To the endpoint</a>
        </p>
      </>,
      { section: '/webhooks' },
    )
  },
}

/** Deliveries with their attempts. */
import { visibleText } from '@cupel/reports/document'
import { Form, Moment, ScrollTable, type PageCall } from '@cupel/console'
import { statusWord, type Attempt, type Delivery, type WebhookEndpoint } from './endpoint.js'

interface DeliveryTableProps {
  readonly call: PageCall
  readonly endpoint: WebhookEndpoint
  readonly items: readonly Delivery[]
  readonly canRedeliver: boolean
}

export function DeliveryTable({ call, endpoint, items, canRedeliver }: DeliveryTableProps) {
  return (
    <ScrollTable
      caption="Deliveries"
      head={['Made', 'Message', 'Status', 'Attempts', canRedeliver ? 'Repeat' : null]}
    >
      {items.map((delivery) => (
        <tr key={delivery.delivery_id}>
          <td>
            <Moment at={delivery.created_at} withSeconds />
          </td>
          <td>
            <Message delivery={delivery} endpointId={endpoint.endpoint_id} />
          </td>
          <td>
            <Status delivery={delivery} />
          </td>
          <td>
            <Attempts attempts={delivery.attempts} protocol={protocolOf(endpoint.payload)} />
          </td>
          {canRedeliver ? (
            <td>
              <Form
                call={call}
                action={`/webhooks/${endpoint.endpoint_id}/deliveries/${delivery.delivery_id}/redeliver`}
              >
                <button class="plain" aria-label={`Send again ${delivery.webhook_id}`}>
                  Send again
                </button>
              </Form>
            </td>
          ) : null}
        </tr>
      ))}
    </ScrollTable>
  )
}

function Message({ delivery, endpointId }: { readonly delivery: Delivery; readonly endpointId: string }) {
  const { delivery_id: id, type, job_id: jobId, webhook_id: webhookId } = delivery
  return (
    <>
      <a
        href={`/webhooks/${endpointId}/deliveries/${id}`}
        aria-label={`${type}, as it is sent: ${webhookId}`}
      >
        {type}
      </a>
      {jobId === null ? null : (
        <>
          {' '}
          of <a href={`/bulk/${jobId}`}>this job</a>
        </>
      )}
    </>
  )
}

export function Status({ delivery: { status, next_attempt_at: next } }: { readonly delivery: Delivery }) {
  return (
    <>
      <span class="tag">{statusWord(status)}</span>
      {next === null ? null : (
        <div class="quiet">
          next attempt <Moment at={next} withSeconds />
        </div>
      )}
    </>
  )
}

export function Attempts({
  attempts,
  protocol,
}: Pick<Delivery, 'attempts'> & { readonly protocol: Protocol }) {
  const last = attempts.at(-1)
  if (last === undefined) return <span class="quiet">None yet</span>
  return (
    <details>
      <summary>
        {attempts.length}, last: {outcomeText(last, protocol)}
      </summary>
      <ol class="attempts">
        {attempts.map((attempt) => (
          <li key={attempt.at}>
            <Moment at={attempt.at} withSeconds />: {outcomeText(attempt, protocol)} after{' '}
            {attempt.duration_ms} ms
            {attempt.response_excerpt === null || attempt.response_excerpt === '' ? null : (
              <pre>{visibleText(attempt.response_excerpt)}</pre>
            )}
          </li>
        ))}
      </ol>
    </details>
  )
}

type Protocol = 'HTTP' | 'SMTP'

export const protocolOf = (payload: string): Protocol => (payload === 'email' ? 'SMTP' : 'HTTP')

function outcomeText({ status_code: status, error }: Attempt, protocol: Protocol): string {
  return status === null ? (error ?? 'no answer').replaceAll('_', ' ') : `${protocol} ${status}`
}

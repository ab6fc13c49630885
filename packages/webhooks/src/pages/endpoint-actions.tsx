/** The actions on an endpoint. Actions that cannot be undone must be unfolded first. */
import { Form, type PageCall } from '@cupel/console'
import { isMail, isWaitingForProof, type WebhookEndpoint } from './endpoint.js'
import { EndpointFields } from './endpoint-fields.js'

interface EndpointActionsProps {
  readonly call: PageCall
  readonly endpoint: WebhookEndpoint
}

export function EndpointActions({ call, endpoint }: EndpointActionsProps) {
  const path = `/webhooks/${endpoint.endpoint_id}`
  const isEnabled = endpoint.status === 'enabled'
  return (
    <>
      <div class="actions no-print">
        <Form call={call} action={`${path}/change`}>
          <input type="hidden" name="status" value={isEnabled ? 'disabled' : 'enabled'} />
          <button class={isEnabled ? 'plain' : undefined}>{isEnabled ? 'Pause' : 'Enable'}</button>
        </Form>
        {isEnabled ? (
          <Form call={call} action={`${path}/test`}>
            <button class="plain">
              {isMail(endpoint) && isWaitingForProof(endpoint)
                ? 'Ask again to confirm'
                : 'Send a test message'}
            </button>
          </Form>
        ) : null}
      </div>
      <details class="confirm no-print">
        <summary>Change URL, message or what it is told</summary>
        <Form call={call} action={`${path}/change`} class="narrow">
          <EndpointFields url={endpoint.url} payload={endpoint.payload} events={endpoint.events} />
          <p class="actions">
            <button>Save</button>
          </p>
        </Form>
      </details>
      {isMail(endpoint) ? null : (
        <details class="confirm no-print">
          <summary>Rotate the secret</summary>
          <p>The next page shows a new secret. For 24 hours messages carry both signatures.</p>
          <Form call={call} action={`${path}/rotate-secret`}>
            <button>Make a new secret</button>
          </Form>
        </details>
      )}
      <details class="confirm no-print">
        <summary>Delete the endpoint</summary>
        <p>Nothing more is sent to it. Its deliveries and their attempts are deleted too.</p>
        <Form call={call} action={`${path}/delete`}>
          <button class="danger">Delete it</button>
        </Form>
      </details>
    </>
  )
}

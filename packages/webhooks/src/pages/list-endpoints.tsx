/** GET /webhooks: the receivers of the account, and the form for one more. */
import {
  type ListPage,
  Form,
  Moment,
  Notice,
  ScrollTable,
  page,
  type Page,
  type PageCall,
  type ShownPage,
} from '@cupel/console'
import { API_LIST, canChange, eventsText, payloadText, stateText, type WebhookEndpoint } from './endpoint.js'
import { EndpointFields, type EndpointSettings } from './endpoint-fields.js'

/** An account has fewer. */
const PAGE_SIZE = 200

export const listEndpoints: Page = {
  method: 'GET',
  path: '/webhooks',
  access: 'session',
  handle: (call) => endpointsPage(call, { fault: null, url: '', payload: 'full', events: null, status: 200 }),
}

interface ListState extends EndpointSettings {
  /** Why the last try made no endpoint. */
  readonly fault: string | null
  readonly status: number
}

export async function endpointsPage(call: PageCall, state: ListState): Promise<ShownPage> {
  const { items } = await call.api.get<ListPage<WebhookEndpoint>>(API_LIST, { page_size: PAGE_SIZE })
  const body = (
    <>
      <h1>Webhook endpoints</h1>
      <p>
        Each enabled endpoint receives messages of this account and environment: when a watched address
        changes, when a bulk job ends, and once a day the digest. Messages to a URL are signed; an address of
        e-mail gets them once its recipient has confirmed.
      </p>
      {state.fault === null ? null : <Notice kind="fault">{state.fault}</Notice>}
      {call.query.has('deleted') ? <Notice kind="done">The endpoint was deleted.</Notice> : null}
      {items.length === 0 ? (
        <p class="empty">There is no endpoint yet. Results can be read and downloaded without one.</p>
      ) : (
        <Endpoints items={items} />
      )}
      {canChange(call.session) ? (
        <section aria-labelledby="new-endpoint">
          <h2 id="new-endpoint">New endpoint</h2>
          <Form call={call} action="/webhooks" class="narrow">
            <EndpointFields url={state.url} payload={state.payload} events={state.events} />
            <p class="actions">
              <button>Create the endpoint</button>
            </p>
          </Form>
        </section>
      ) : (
        <Notice kind="hint">Your session may look at webhook endpoints and not change them.</Notice>
      )}
    </>
  )
  return page('Webhook endpoints', body, { status: state.status, section: '/webhooks' })
}

function Endpoints({ items }: Pick<ListPage<WebhookEndpoint>, 'items'>) {
  return (
    <ScrollTable caption="Webhook endpoints" head={['URL', 'Status', 'Message', 'Told', 'Created']}>
      {items.map((endpoint) => (
        <tr key={endpoint.endpoint_id}>
          <td>
            <a href={`/webhooks/${endpoint.endpoint_id}`}>{endpoint.url}</a>
          </td>
          <td>{stateText(endpoint)}</td>
          <td>{payloadText(endpoint.payload)}</td>
          <td>{eventsText(endpoint.events)}</td>
          <td>
            <Moment at={endpoint.created_at} />
          </td>
        </tr>
      ))}
    </ScrollTable>
  )
}

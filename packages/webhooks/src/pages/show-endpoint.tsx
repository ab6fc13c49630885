/** GET /webhooks/{endpoint_id}: an endpoint, its actions, and its deliveries. */
import {
  type ListPage,
  FieldList,
  Notice,
  page,
  type Page,
  type PageCall,
  type ShownPage,
} from '@cupel/console'
import { Deliveries } from './deliveries.js'
import {
  apiPathOf,
  canChange,
  eventsText,
  isMail,
  isWaitingForProof,
  payloadText,
  stateText,
  type Delivery,
  type WebhookEndpoint,
} from './endpoint.js'
import { EndpointActions } from './endpoint-actions.js'

const PAGE_SIZE = 25

export const showEndpoint: Page = {
  method: 'GET',
  path: '/webhooks/{endpoint_id}',
  access: 'session',
  handle: (call) => endpointPage(call, { fault: null, status: 200 }),
}

interface EndpointState {
  /** Why the last change was not made. */
  readonly fault: string | null
  readonly status: number
}

export async function endpointPage(call: PageCall, { fault, status }: EndpointState): Promise<ShownPage> {
  const { api, path, query, session } = call
  const endpointId = path['endpoint_id']
  const filter = { status: query.get('status'), page_token: query.get('page_token') }
  const [endpoint, deliveries] = await Promise.all([
    api.get<WebhookEndpoint>(apiPathOf(endpointId)),
    api.get<ListPage<Delivery>>(apiPathOf(endpointId, '/deliveries'), { page_size: PAGE_SIZE, ...filter }),
  ])
  const done = doneText(query)
  const mayChange = canChange(session)
  const shown = { status: filter.status, isFirstPage: filter.page_token === null }
  const body = (
    <>
      <h1>Webhook endpoint</h1>
      {fault === null ? null : <Notice kind="fault">{fault}</Notice>}
      {done === null ? null : <Notice kind="done">{done}</Notice>}
      {isWaitingForProof(endpoint) ? (
        <Notice kind="hint">
          {isMail(endpoint)
            ? 'The recipient was asked to confirm. Until then nothing else is sent, and no message is kept for it.'
            : 'Messages are held until the receiver answers a test message with 2xx. One was sent by itself.'}
        </Notice>
      ) : null}
      <FieldList
        fields={[
          { label: 'URL', value: endpoint.url, isCode: true },
          { label: 'Status', value: stateText(endpoint) },
          { label: 'Message', value: payloadText(endpoint.payload) },
          { label: 'Told', value: eventsText(endpoint.events) },
          { label: 'Endpoint', value: endpoint.endpoint_id, isCode: true },
        ]}
      />
      {mayChange ? <EndpointActions call={call} endpoint={endpoint} /> : null}
      <h2 id="deliveries">Deliveries</h2>
      <Deliveries {...{ call, endpoint, deliveries, mayChange }} {...shown} />
    </>
  )
  return page('Webhook endpoint', body, { status, section: '/webhooks' })
}

const doneTexts: Readonly<Record<string, string>> = {
  changed: 'The endpoint was changed. Messages that wait keep their form.',
  asked: 'A message asks the recipient to confirm.',
  enabled: 'The endpoint is enabled. Held deliveries are sent.',
  disabled: 'The endpoint is paused. Deliveries are held until it is enabled.',
  tested: 'A test message is on its way. Load the page again to see its outcome.',
  redelivered: 'The delivery is sent again.',
}

function doneText(query: URLSearchParams): string | null {
  const count = query.get('count')
  if (count !== null && /^\d{1,9}$/.test(count))
    return `${count} ${count === '1' ? 'delivery is' : 'deliveries are'} sent again.`
  const done = query.get('done') ?? ''
  return Object.hasOwn(doneTexts, done) ? doneTexts[done]! : null
}

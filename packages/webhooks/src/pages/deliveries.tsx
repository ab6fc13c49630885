/** The deliveries of an endpoint, newest first, and the ways to send them again. */
import { type ListPage, queryText, Form, type PageCall } from '@cupel/console'
import { DeliveryTable } from './delivery-table.js'
import { statusWord, type Delivery, type WebhookEndpoint } from './endpoint.js'

export interface DeliveriesProps {
  readonly call: PageCall
  readonly endpoint: WebhookEndpoint
  readonly deliveries: ListPage<Delivery>
  /** Only those of this status. */
  readonly status: string | null
  readonly isFirstPage: boolean
  readonly mayChange: boolean
}

const FILTERS = [null, 'pending', 'delivered', 'exhausted', 'held']

export function Deliveries(props: DeliveriesProps) {
  const { call, endpoint, deliveries, status, isFirstPage } = props
  const canRedeliver = props.mayChange && endpoint.status === 'enabled'
  const pathOf = (query: Readonly<Record<string, string | null>>): string =>
    `/webhooks/${endpoint.endpoint_id}${queryText(query)}#deliveries`
  return (
    <>
      <nav class="chips no-print" aria-label="Filter the deliveries">
        <ul>
          {FILTERS.map((one) => (
            <li key={one}>
              <a href={pathOf({ status: one })} aria-current={one === status ? 'true' : undefined}>
                {one === null ? 'All' : statusWord(one)}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {deliveries.items.length === 0 ? (
        <p class="empty">
          {status === null
            ? 'Nothing was sent yet. Deliveries are kept for 30 days.'
            : `No delivery is ${statusWord(status).toLowerCase()}.`}
        </p>
      ) : (
        <DeliveryTable {...{ call, endpoint, canRedeliver }} items={deliveries.items} />
      )}
      <p class="paging">
        {isFirstPage ? null : <a href={pathOf({ status })}>Newest deliveries</a>}
        {deliveries.next_page_token === null ? null : (
          <a href={pathOf({ status, page_token: deliveries.next_page_token })}>Older deliveries</a>
        )}
      </p>
      {canRedeliver ? <RedeliverRange {...props} /> : null}
    </>
  )
}

const HOURS_OF_DAY = 24
const RANGES = [1, HOURS_OF_DAY, 7 * HOURS_OF_DAY, 30 * HOURS_OF_DAY]

const rangeText = (hours: number): string =>
  hours === 1 ? 'hour' : hours === HOURS_OF_DAY ? '24 hours' : `${hours / HOURS_OF_DAY} days`

function RedeliverRange({ call, endpoint }: Pick<DeliveriesProps, 'call' | 'endpoint'>) {
  return (
    <details class="confirm no-print">
      <summary>Send again what was missed</summary>
      <p>Exhausted and held deliveries of this time are sent again, with the same ids and bytes.</p>
      <Form call={call} action={`/webhooks/${endpoint.endpoint_id}/redeliver`} class="narrow">
        <label for="hours">Of the last</label>
        <select id="hours" name="hours">
          {RANGES.map((hours) => (
            <option key={hours} value={hours} selected={hours === HOURS_OF_DAY}>
              {rangeText(hours)}
            </option>
          ))}
        </select>
        <p class="actions">
          <button>Send them again</button>
        </p>
      </Form>
    </details>
  )
}

import { objectOf } from '../answers.js'
import type { ItemList } from '../item-list.js'
import { path } from '../path.js'
import type { CallOptions } from '../transport/call.js'
import type { Transport } from '../transport/transport.js'
import type {
  NewWebhookEndpoint,
  RotatedWebhookSecret,
  SentWebhookDelivery,
  WebhookDelivery,
  WebhookEndpoint,
} from '../generated/models.js'
import { listOf, timeText, type ListOptions, type Time } from './list-of.js'

export interface WebhookEndpointFields {
  /** An https URL on port 443 or 8443, or `mailto:` with an address of e-mail. */
  readonly url?: string | undefined
  /** `full`: with the results; `thin`: with the URL of the results; `slack`: a text for an incoming webhook of Slack; `email`: that of e-mail. */
  readonly payload?: 'full' | 'thin' | 'slack' | 'email' | undefined
  /** Types of the messages that it gets, as `report.changed`; null: all. */
  readonly events?: readonly string[] | null | undefined
}

export interface WebhookEndpointChange extends WebhookEndpointFields {
  /** Deliveries to a disabled endpoint are held. */
  readonly status?: 'enabled' | 'disabled' | undefined
}

export interface DeliveryListOptions extends ListOptions {
  /** `pending`, `delivered`, `exhausted` or `held`. */
  readonly status?: string | undefined
}

export interface RedeliverOptions extends CallOptions {
  /** Deliveries made at this time or later. */
  readonly since: Time
  /** Only those made before this time. */
  readonly until?: Time | undefined
  /** Default: the missed deliveries, `exhausted` and `held`. */
  readonly statuses?: readonly string[] | undefined
}

/** Webhook endpoints. A call that makes or sends something is not repeated if it may have been carried out. */
export class WebhookEndpoints {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Only this answer shows the secret; it is null for e-mail. */
  async create(
    fields: WebhookEndpointFields & { readonly url: string },
    options: CallOptions = {},
  ): Promise<NewWebhookEndpoint> {
    const call = { method: 'POST', path: '/v1/webhook-endpoints', body: fields } as const
    return this.#one({ ...call, repeat: 'once', options })
  }

  /** The endpoints of the account, without their secrets. */
  list(options: ListOptions = {}): ItemList<WebhookEndpoint> {
    return listOf(this.#transport, '/v1/webhook-endpoints', options)
  }

  /** One endpoint, without its secret. */
  get(endpointId: string, options: CallOptions = {}): Promise<WebhookEndpoint> {
    return this.#one({ method: 'GET', path: endpointPath(endpointId), repeat: 'safe', options })
  }

  /** Changes only the given settings. Deliveries to a disabled endpoint are held. */
  update(
    endpointId: string,
    change: WebhookEndpointChange,
    options: CallOptions = {},
  ): Promise<WebhookEndpoint> {
    const call = { method: 'PATCH', path: endpointPath(endpointId), body: change } as const
    return this.#one({ ...call, repeat: 'safe', options })
  }

  /** Deletes the endpoint and its deliveries. */
  async delete(endpointId: string, options: CallOptions = {}): Promise<void> {
    await this.#transport({ method: 'DELETE', path: endpointPath(endpointId), repeat: 'safe', options })
  }

  /** Makes a new secret. Messages carry signatures of both secrets until the previous one ends. */
  rotateSecret(endpointId: string, options: CallOptions = {}): Promise<RotatedWebhookSecret> {
    return this.#one({
      method: 'POST',
      path: path`/v1/webhook-endpoints/${endpointId}/rotate-secret`,
      repeat: 'once',
      options,
    })
  }

  /** Sends a message of the type `endpoint.test`. */
  test(endpointId: string, options: CallOptions = {}): Promise<WebhookDelivery> {
    return this.#one({
      method: 'POST',
      path: path`/v1/webhook-endpoints/${endpointId}/test`,
      repeat: 'once',
      options,
    })
  }

  /** Newest first. */
  deliveries(endpointId: string, options: DeliveryListOptions = {}): ItemList<WebhookDelivery> {
    const at = path`/v1/webhook-endpoints/${endpointId}/deliveries`
    return listOf(this.#transport, at, options, { status: options.status })
  }

  /** One delivery with its body, and with the headers of its last attempt. */
  delivery(endpointId: string, deliveryId: string, options: CallOptions = {}): Promise<SentWebhookDelivery> {
    const at = path`/v1/webhook-endpoints/${endpointId}/deliveries/${deliveryId}`
    return this.#one({ method: 'GET', path: at, repeat: 'safe', options })
  }

  /** Sends one delivery again, with the same `webhook-id` and body. */
  redeliver(endpointId: string, deliveryId: string, options: CallOptions = {}): Promise<WebhookDelivery> {
    return this.#one({
      method: 'POST',
      path: path`/v1/webhook-endpoints/${endpointId}/deliveries/${deliveryId}/redeliver`,
      repeat: 'once',
      options,
    })
  }

  /** Sends the deliveries missed since a time again, and returns their number. */
  redeliverMissed(endpointId: string, options: RedeliverOptions): Promise<{ readonly count: number }> {
    const { since, until, statuses, ...callOptions } = options
    const body = { since: timeText(since), until: timeText(until), statuses }
    const call = { method: 'POST', path: path`/v1/webhook-endpoints/${endpointId}/redeliver`, body } as const
    return this.#one({ ...call, repeat: 'once', options: callOptions })
  }

  async #one<T>(call: Parameters<Transport>[0]): Promise<T> {
    return objectOf(await this.#transport(call)) as T
  }
}

const endpointPath = (endpointId: string): string => path`/v1/webhook-endpoints/${endpointId}`

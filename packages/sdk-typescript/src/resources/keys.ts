import { objectOf } from '../answers.js'
import type { ItemList } from '../item-list.js'
import { path } from '../path.js'
import type { CallOptions } from '../transport/call.js'
import type { Transport } from '../transport/transport.js'
import type { ApiKey, NewApiKey } from '../generated/models.js'
import { listOf, timeText, type ListOptions, type Time } from './list-of.js'

export interface ApiKeyChange {
  /** `read-only`, `read-write` or `admin`; each holds those before it. */
  readonly scope?: string | undefined
  readonly plan?: string | undefined
  readonly name?: string | undefined
  /** Addresses and CIDR ranges from which the key may be used; empty: from anywhere. */
  readonly allowedIps?: readonly string[] | undefined
  /** Whether the key may change webhook endpoints. */
  readonly webhookAdmin?: boolean | undefined
  readonly expiresAt?: Time | undefined
  /** Why, for the audit log. */
  readonly reason?: string | undefined
}

export interface NewApiKeyFields extends ApiKeyChange {
  readonly scope: string
  /** For operators: the account of the key. */
  readonly accountId?: string | undefined
  /** For operators: false for a key of the sandbox. */
  readonly livemode?: boolean | undefined
}

export interface ApiKeyListOptions extends ListOptions {
  /** For operators: keys of this account. */
  readonly accountId?: string | undefined
  /** For operators: keys of the live or of the sandbox environment. */
  readonly livemode?: boolean | undefined
}

export interface RotateKeyOptions extends CallOptions {
  /** For so many hours the old key works as well, 24 by default. */
  readonly overlapHours?: number | undefined
  /** Why, for the audit log. */
  readonly reason?: string | undefined
}

export interface RevokeKeyOptions extends CallOptions {
  /** Why, for the audit log. */
  readonly reason?: string | undefined
}

/** API keys, for a key with the scope `admin`. No call gives a right that the calling key lacks. */
export class Keys {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Newest first, without the keys themselves. */
  list(options: ApiKeyListOptions = {}): ItemList<ApiKey> {
    const livemode = options.livemode === undefined ? undefined : String(options.livemode)
    return listOf(this.#transport, '/v1/keys', options, { account_id: options.accountId, livemode })
  }

  /** One key, without the key itself. */
  get(keyId: string, options: CallOptions = {}): Promise<ApiKey> {
    return this.#one({ method: 'GET', path: path`/v1/keys/${keyId}`, repeat: 'safe', options })
  }

  /** Issues a key. Only this answer shows it. */
  create(fields: NewApiKeyFields, options: CallOptions = {}): Promise<NewApiKey> {
    const body = { ...changeOf(fields), account_id: fields.accountId, livemode: fields.livemode }
    return this.#one({ method: 'POST', path: '/v1/keys', body, repeat: 'once', options })
  }

  /** Changes only the given fields; whoever holds the key goes on with it. */
  update(keyId: string, change: ApiKeyChange, options: CallOptions = {}): Promise<ApiKey> {
    const call = { method: 'PATCH', path: path`/v1/keys/${keyId}`, body: changeOf(change) } as const
    return this.#one({ ...call, repeat: 'safe', options })
  }

  /** Issues a successor with the same rights. Only this answer shows it. */
  rotate(keyId: string, options: RotateKeyOptions = {}): Promise<NewApiKey> {
    const { overlapHours, reason, ...callOptions } = options
    const body = { overlap_hours: overlapHours, reason }
    const call = { method: 'POST', path: path`/v1/keys/${keyId}/rotate`, body } as const
    return this.#one({ ...call, repeat: 'once', options: callOptions })
  }

  /** Ends a key and its sessions at once. A second time changes nothing. */
  revoke(keyId: string, options: RevokeKeyOptions = {}): Promise<ApiKey> {
    const { reason, ...callOptions } = options
    const call = { method: 'POST', path: path`/v1/keys/${keyId}/revoke`, body: { reason } } as const
    return this.#one({ ...call, repeat: 'safe', options: callOptions })
  }

  async #one<T>(call: Parameters<Transport>[0]): Promise<T> {
    return objectOf(await this.#transport(call)) as T
  }
}

const changeOf = (change: ApiKeyChange): Readonly<Record<string, unknown>> => ({
  scope: change.scope,
  plan: change.plan,
  name: change.name,
  allowed_ips: change.allowedIps,
  webhook_admin: change.webhookAdmin,
  expires_at: timeText(change.expiresAt),
  reason: change.reason,
})

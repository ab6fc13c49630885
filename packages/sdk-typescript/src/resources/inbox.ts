import { objectOf } from '../answers.js'
import { InvalidArgumentError } from '../errors.js'
import type { InboxEntry, UnreadCount } from '../generated/models.js'
import type { ItemList } from '../item-list.js'
import type { CallOptions } from '../transport/call.js'
import type { Transport } from '../transport/transport.js'
import { listOf, type ListOptions } from './list-of.js'

export interface ListInboxOptions extends ListOptions {
  /** `unread`: only entries that were not marked as read; all by default. */
  readonly show?: string | undefined
  /** `report_changed`, `proposal_waiting` or `watch_failed`. */
  readonly kind?: string | undefined
  /** Only changes to this level. */
  readonly level?: string | undefined
}

/** What waits for a person: changed reports, proposals, watches that keep failing. */
export class Inbox {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Newest first. */
  list(options: ListInboxOptions = {}): ItemList<InboxEntry> {
    const { show, kind, level } = options
    return listOf(this.#transport, '/v1/inbox', options, { show, kind, level })
  }

  /** How many of the newest 1,000 entries the holder of this key has not read. */
  async unread(options: CallOptions = {}): Promise<UnreadCount> {
    const call = { method: 'GET', path: '/v1/inbox/unread', repeat: 'safe', options } as const
    return objectOf(await this.#transport(call)) as unknown as UnreadCount
  }

  /** Marks up to 200 entries as read, all of them or none; `read: false` marks them as unread again. Returns what is unread then. */
  async mark(
    entryIds: readonly string[],
    { read = true, ...options }: CallOptions & { readonly read?: boolean | undefined } = {},
  ): Promise<UnreadCount> {
    if (!Array.isArray(entryIds)) throw new InvalidArgumentError('The entries must be a list of ids.')
    const body = { entry_ids: entryIds as readonly string[], read }
    const call = { method: 'POST', path: '/v1/inbox/marks', body, repeat: 'safe', options } as const
    return objectOf(await this.#transport(call)) as unknown as UnreadCount
  }
}

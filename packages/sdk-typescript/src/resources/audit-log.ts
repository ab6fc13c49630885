import { pageOf } from '../answers.js'
import { ItemList } from '../item-list.js'
import type { Transport } from '../transport/transport.js'
import type { AuditEntry } from '../types.js'
import { listQuery, type ListOptions } from './list-options.js'

export interface AuditLogOptions extends ListOptions {
  /** Only the calls of this key. */
  readonly keyId?: string | undefined
}

/** The calls of the account. */
export class AuditLog {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Newest first. */
  list(options: AuditLogOptions = {}): ItemList<AuditEntry> {
    return new ItemList(async (pageToken) => {
      const query = { key_id: options.keyId, ...listQuery(options, pageToken) }
      const call = { method: 'GET', path: '/v1/audit-log', query } as const
      return pageOf(await this.#transport({ ...call, repeat: 'safe', options }))
    }, options.pageToken)
  }
}

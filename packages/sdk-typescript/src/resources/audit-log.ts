import type { ItemList } from '../item-list.js'
import type { Transport } from '../transport/transport.js'
import type { AuditEntry } from '../generated/models.js'
import { listOf, timeText, type ListOptions, type Time } from './list-of.js'

export interface AuditLogOptions extends ListOptions {
  /** Only the calls with this key. */
  readonly keyId?: string | undefined
  /** Only the calls to this endpoint: its path, with the names of its parameters. */
  readonly route?: string | undefined
  /** Only the calls that concerned or made this object, such as a report. */
  readonly subjectId?: string | undefined
  readonly clientAddress?: string | undefined
  /** `problem`: only the calls that were refused or failed. */
  readonly outcome?: 'problem' | undefined
  /** Only calls at this time or later. */
  readonly from?: Time | undefined
  /** Only calls before this time. */
  readonly to?: Time | undefined
}

/** The calls of the account. */
export class AuditLog {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Newest first. */
  list(options: AuditLogOptions = {}): ItemList<AuditEntry> {
    const { keyId, route, subjectId, clientAddress, outcome, from, to } = options
    return listOf(this.#transport, '/v1/audit-log', options, {
      key_id: keyId,
      route,
      subject_id: subjectId,
      client_address: clientAddress,
      outcome,
      from: timeText(from),
      to: timeText(to),
    })
  }
}

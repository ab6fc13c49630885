import type { ItemList } from '../item-list.js'
import type { Transport } from '../transport/transport.js'
import type { LabelList } from '../generated/models.js'
import { listOf, type ListOptions } from './list-of.js'

/** The lists of labels that reports are made from, with their age. */
export class Lists {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Every list, with its age and whether it is in force. */
  list(options: ListOptions = {}): ItemList<LabelList> {
    return listOf(this.#transport, '/v1/lists', options)
  }
}

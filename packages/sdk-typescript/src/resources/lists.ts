import type { ItemList } from '../item-list.js'
import type { Transport } from '../transport/transport.js'
import { objectOf } from '../answers.js'
import type { CallOptions } from '../transport/call.js'
import type { LabelList, ListRefresh } from '../generated/models.js'
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

  /** For operators: the lists that are refreshed on a schedule, by name. */
  refreshes(options: ListOptions = {}): ItemList<ListRefresh> {
    return listOf(this.#transport, '/v1/list-refreshes', options)
  }

  /** For operators: makes the list due now. It is fetched within seconds. */
  async refresh(name: string, options: CallOptions = {}): Promise<ListRefresh> {
    const call = { method: 'POST', path: '/v1/list-refreshes', body: { name }, repeat: 'safe' } as const
    return objectOf(await this.#transport({ ...call, options })) as unknown as ListRefresh
  }
}

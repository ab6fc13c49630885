import type { ItemList } from '../item-list.js'
import type { Transport } from '../transport/transport.js'
import { objectOf } from '../answers.js'
import type { CallOptions } from '../transport/call.js'
import type { Label, LabelList, ListRefresh } from '../generated/models.js'
import { listOf, type ListOptions } from './list-of.js'

export interface LabelSearchOptions extends ListOptions {
  /** Only labels that count for this address. */
  readonly address?: string | undefined
  /** The chain of `address`. */
  readonly chain?: string | undefined
  readonly source?: string | undefined
  /** Of `source`. */
  readonly dataset?: string | undefined
  readonly category?: string | undefined
  /** The beginning of the name of the owner, in any case. */
  readonly entity?: string | undefined
}

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

  /** Which labels an address, a list, a category or an owner has, those that ended too. A page may be empty and still have a next one. */
  labels(options: LabelSearchOptions = {}): ItemList<Label> {
    const { address, chain, source, dataset, category, entity } = options
    return listOf(this.#transport, '/v1/labels', options, {
      ...{ address, chain, source, dataset, category, entity },
    })
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

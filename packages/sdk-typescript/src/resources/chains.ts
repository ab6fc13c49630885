import { pageOf } from '../answers.js'
import { ItemList } from '../item-list.js'
import type { Transport } from '../transport/transport.js'
import type { Chain } from '../types.js'
import { listQuery, type ListOptions } from './list-options.js'

/** The chains whose addresses can be screened. */
export class Chains {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  list(options: ListOptions = {}): ItemList<Chain> {
    return new ItemList(async (pageToken) => {
      const query = listQuery(options, pageToken)
      return pageOf(
        await this.#transport({ method: 'GET', path: '/v1/chains', query, repeat: 'safe', options }),
      )
    }, options.pageToken)
  }
}

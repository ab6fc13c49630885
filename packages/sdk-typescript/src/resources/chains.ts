import type { ItemList } from '../item-list.js'
import type { Transport } from '../transport/transport.js'
import type { Chain } from '../generated/models.js'
import { listOf, type ListOptions } from './list-of.js'

/** The chains whose addresses can be screened. */
export class Chains {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Every chain, with its code and how a mistyped address is detected. */
  list(options: ListOptions = {}): ItemList<Chain> {
    return listOf(this.#transport, '/v1/chains', options)
  }
}

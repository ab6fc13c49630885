import { objectOf } from '../answers.js'
import type { ItemList } from '../item-list.js'
import type { CallOptions } from '../transport/call.js'
import type { Transport } from '../transport/transport.js'
import type { Account, People } from '../generated/models.js'
import { listOf, type ListOptions } from './list-of.js'

export interface NewAccountOptions extends CallOptions {
  /** Why, for the audit log. */
  readonly reason?: string | undefined
}

/** Accounts of the installation, for a key with the scope `operator`. */
export class Accounts {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Oldest first. */
  list(options: ListOptions = {}): ItemList<Account> {
    return listOf(this.#transport, '/v1/accounts', options)
  }

  /** Opens an account; issue its first key with `keys.create`. */
  async create(name: string, options: NewAccountOptions = {}): Promise<Account> {
    const { reason, ...callOptions } = options
    const call = { method: 'POST', path: '/v1/accounts', body: { name, reason }, repeat: 'once' } as const
    return objectOf(await this.#transport({ ...call, options: callOptions })) as unknown as Account
  }

  /** The groups of the sign-in service with what their people may do, and who is signed in. */
  async people(options: CallOptions = {}): Promise<People> {
    const call = { method: 'GET', path: '/v1/people', repeat: 'safe', options } as const
    return objectOf(await this.#transport(call)) as unknown as People
  }
}

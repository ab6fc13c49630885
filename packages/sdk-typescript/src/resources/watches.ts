import { objectOf } from '../answers.js'
import { InvalidArgumentError } from '../errors.js'
import type { ItemList } from '../item-list.js'
import { path } from '../path.js'
import type { CallOptions, KeyedCallOptions } from '../transport/call.js'
import type { Transport } from '../transport/transport.js'
import type { Watch } from '../generated/models.js'
import { listOf, timeText, type ListOptions, type Time } from './list-of.js'

/** An address to watch. */
export interface NewWatch {
  readonly address: string
  /** Chain code, in any case; without it the chain is detected from the address. */
  readonly chain?: string | undefined
  /** Your own reference, repeated in the messages about a change; at most 128 characters. */
  readonly reference?: string | undefined
  /** From this time on the address is not decided again. */
  readonly until?: Time | undefined
  /** Points by which the score must move to count as a change; the service uses 10 by default. */
  readonly threshold?: number | undefined
  /** Whether the watch is part of the daily digest, the webhook `watches.digest`; by default it is not. */
  readonly digest?: boolean | undefined
}

export interface ListWatchesOptions extends ListOptions {
  /** Only watches whose last digest with a change is the one of this day; YYYY-MM-DD. */
  readonly changedIn?: string | undefined
}

/** Addresses that are decided again whenever an event can affect their reports. */
export class Watches {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Watches up to 1,000 addresses, all of them or none, and returns the watches in their order. An already watched address keeps its
   * watch and takes these settings.
   */
  async create(watches: readonly NewWatch[], options: KeyedCallOptions = {}): Promise<readonly Watch[]> {
    if (!Array.isArray(watches)) throw new InvalidArgumentError('The watches must be a list.')
    const body = {
      watches: (watches as readonly NewWatch[]).map((one) => ({ ...one, until: timeText(one.until) })),
    }
    const call = { method: 'POST', path: '/v1/watches', body, repeat: 'keyed', options } as const
    return (objectOf(await this.#transport(call)) as unknown as { items: readonly Watch[] }).items
  }

  /** Newest first, including those that ended. */
  list(options: ListWatchesOptions = {}): ItemList<Watch> {
    return listOf(this.#transport, '/v1/watches', options, { changed_in: options.changedIn })
  }

  /** One watch, with its last report. */
  async get(watchId: string, options: CallOptions = {}): Promise<Watch> {
    const call = { method: 'GET', path: path`/v1/watches/${watchId}`, repeat: 'safe', options } as const
    return objectOf(await this.#transport(call)) as unknown as Watch
  }

  /** Ends the decisions for the address. Its reports stay. */
  async delete(watchId: string, options: CallOptions = {}): Promise<void> {
    await this.#transport({ method: 'DELETE', path: path`/v1/watches/${watchId}`, repeat: 'safe', options })
  }
}

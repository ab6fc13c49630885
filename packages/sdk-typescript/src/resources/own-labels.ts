import { objectOf } from '../answers.js'
import type { ItemList } from '../item-list.js'
import { path } from '../path.js'
import type { CallOptions } from '../transport/call.js'
import type { Transport } from '../transport/transport.js'
import type { OwnLabel } from '../generated/models.js'
import { listOf, timeText, type ListOptions, type Time } from './list-of.js'

export interface NewOwnLabel {
  readonly address: string
  /** Chain code, in any case; without it the chain is detected from the address. */
  readonly chain?: string | undefined
  /** `block` or `allow`. */
  readonly decision: string
  /** The statement of a block label on the address; for a block label only. */
  readonly category?: string | undefined
  /** Why, in your own words. No report contains it. */
  readonly reason: string
  /** From this time on the label counts no more. */
  readonly expiresAt?: Time | undefined
}

export interface OwnLabelListOptions extends ListOptions {
  /** Only labels about the owner of this address. */
  readonly address?: string | undefined
  /** The chain of `address`. */
  readonly chain?: string | undefined
}

/** Labels that the account states itself. They count for its own screens. To state and remove them needs the scope `admin`. */
export class OwnLabels {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Blocks or allows an address, in place of the label that the account has about it. */
  state(label: NewOwnLabel, options: CallOptions = {}): Promise<OwnLabel> {
    const { expiresAt, ...rest } = label
    const body = { ...rest, expires_at: timeText(expiresAt) }
    return this.#one({ method: 'POST', path: '/v1/own-labels', body, repeat: 'once', options })
  }

  /** Newest first, including those that ended. */
  list(options: OwnLabelListOptions = {}): ItemList<OwnLabel> {
    const { address, chain } = options
    return listOf(this.#transport, '/v1/own-labels', options, { address, chain })
  }

  /** The label as it is now. */
  get(labelId: string, options: CallOptions = {}): Promise<OwnLabel> {
    return this.#one({ method: 'GET', path: path`/v1/own-labels/${labelId}`, repeat: 'safe', options })
  }

  /** The label counts no more, and stays in the list. */
  async remove(labelId: string, options: CallOptions = {}): Promise<void> {
    await this.#transport({
      method: 'DELETE',
      path: path`/v1/own-labels/${labelId}`,
      repeat: 'safe',
      options,
    })
  }

  async #one(call: Parameters<Transport>[0]): Promise<OwnLabel> {
    return objectOf(await this.#transport(call)) as unknown as OwnLabel
  }
}

import { transferOf } from '../answers.js'
import { InvalidArgumentError } from '../errors.js'
import type { ItemList } from '../item-list.js'
import { path } from '../path.js'
import { secondsOf } from '../wait-seconds.js'
import type { CallOptions, KeyedCallOptions } from '../transport/call.js'
import type { Transport } from '../transport/transport.js'
import type { Transfer } from '../generated/models.js'
import { listOf, timeText, type ListOptions, type Time } from './list-of.js'

/** A transfer to screen. */
export interface NewTransfer {
  /** Chain code, in any case. */
  readonly chain: string
  /** `incoming`: `to` is your own address and the sender is screened. `outgoing`: the reverse. */
  readonly direction: 'incoming' | 'outgoing'
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** Symbol of a known asset of the chain, or the contract of a token. */
  readonly asset?: string | undefined
  /** Contract of the token whose symbol `asset` is. */
  readonly contract?: string | undefined
  /** A plain decimal number in whole ones, such as `12.5`. */
  readonly amount?: string | undefined
  /** Absent for a planned transfer. With it the ledger, or else a provider, tells what you leave out. */
  readonly transaction_hash?: string | undefined
  /** Your own reference, returned with the transfer; at most 128 characters. */
  readonly reference?: string | undefined
}

export interface TransferOptions extends KeyedCallOptions {
  /** Whole seconds, at most 20, that you wait for stages of the screening that are late. Default: as long as each stage has. */
  readonly waitSeconds?: number | undefined
}

export interface TransferListOptions extends ListOptions {
  /** Of the counterparty. */
  readonly address?: string | undefined
  readonly chain?: string | undefined
  /** Of the counterparty: `green`, `orange`, `red` or `grey`. */
  readonly level?: string | undefined
  /** `allow`, `review` or `reject`. */
  readonly recommendation?: string | undefined
  /** Exactly the reference given with the transfer. */
  readonly reference?: string | undefined
  /** Only transfers at this time or later. */
  readonly from?: Time | undefined
  /** Only transfers before this time. */
  readonly to?: Time | undefined
}

/** Transfers, planned or made, with what is recommended for them. */
export class Transfers {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Screens the counterparty of a transfer. Decide on `recommendation`, and treat one that you do not know like `reject`. `transfer_id` is also
   * the id of the report of the counterparty, which has the evidence.
   */
  async screen(transfer: NewTransfer, options: TransferOptions = {}): Promise<Transfer> {
    if (typeof transfer !== 'object' || (transfer as unknown) === null)
      throw new InvalidArgumentError('The transfer must be an object.')
    const body = { ...transfer }
    const waitSeconds = secondsOf(options.waitSeconds)
    const call = {
      method: 'POST',
      path: '/v1/transfers',
      body,
      repeat: 'keyed',
      waitSeconds,
      options,
    } as const
    return transferOf(await this.#transport(call))
  }

  /** The transfer as its screening returned it. While the screening still runs, the call is repeated until its deadline. */
  async get(transferId: string, options: CallOptions = {}): Promise<Transfer> {
    const call = { method: 'GET', path: path`/v1/transfers/${transferId}`, repeat: 'safe', options } as const
    return transferOf(await this.#transport(call), transferId)
  }

  /** Newest first. */
  list(options: TransferListOptions = {}): ItemList<Transfer> {
    const { address, chain, level, recommendation, reference, from, to } = options
    return listOf(this.#transport, '/v1/transfers', options, {
      ...{ address, chain, level, recommendation, reference },
      from: timeText(from),
      to: timeText(to),
    })
  }
}

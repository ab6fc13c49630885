import { objectOf } from '../answers.js'
import type { ItemList } from '../item-list.js'
import { path } from '../path.js'
import type { CallOptions } from '../transport/call.js'
import type { Transport } from '../transport/transport.js'
import type { DecidedChange, NewProposedChangeRequest, ProposedChange } from '../generated/models.js'
import { listOf, type ListOptions } from './list-of.js'

export interface ProposedChangeListOptions extends ListOptions {
  /** `open`: only what waits for a decision. */
  readonly show?: 'all' | 'open' | undefined
  /** Only changes of this kind: `issue_key`, `change_key`, `rotate_key`, `confirm_import` or `activate_policy`. */
  readonly changeKind?: string | undefined
}

/** Changes of keys, lists and the policy that one person proposes and another one confirms, for a key with the scope `admin`. */
export class ProposedChanges {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Proposes one change. It changes nothing until it is confirmed. */
  async propose(change: NewProposedChangeRequest, options: CallOptions = {}): Promise<ProposedChange> {
    const call = { method: 'POST', path: '/v1/proposed-changes', body: change } as const
    return objectOf(await this.#transport({ ...call, repeat: 'once', options })) as unknown as ProposedChange
  }

  /** Newest first. */
  list(options: ProposedChangeListOptions = {}): ItemList<ProposedChange> {
    return listOf(this.#transport, '/v1/proposed-changes', options, {
      ...{ show: options.show, change_kind: options.changeKind },
    })
  }

  /** One proposed change. */
  async get(changeId: string, options: CallOptions = {}): Promise<ProposedChange> {
    const call = { method: 'GET', path: path`/v1/proposed-changes/${changeId}` } as const
    return objectOf(await this.#transport({ ...call, repeat: 'safe', options })) as unknown as ProposedChange
  }

  /** Confirms it, which makes the change, or refuses it. Only this answer shows a key that it issues. */
  async decide(
    changeId: string,
    decision: 'confirm' | 'refuse',
    options: CallOptions = {},
  ): Promise<DecidedChange> {
    const call = { method: 'POST', path: path`/v1/proposed-changes/${changeId}/decision` } as const
    const answer = await this.#transport({ ...call, body: { decision }, repeat: 'once', options })
    return objectOf(answer) as unknown as DecidedChange
  }
}

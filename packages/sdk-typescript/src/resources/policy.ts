import { objectOf } from '../answers.js'
import type { ItemList } from '../item-list.js'
import type { CallOptions } from '../transport/call.js'
import type { Transport } from '../transport/transport.js'
import type { Policy as ActivePolicy, PolicyActivation, PolicyDocument, WhatIf } from '../generated/models.js'
import { listOf, type ListOptions } from './list-of.js'

export interface WhatIfOptions extends CallOptions {
  /** Number of newest reports to decide again: 1 to 500. Default 200. */
  readonly maxReports?: number | undefined
}

/** The numbers that reports are decided with. */
export class Policy {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** The policy in force. */
  async get(options: CallOptions = {}): Promise<ActivePolicy> {
    const answer = await this.#transport({ method: 'GET', path: '/v1/policy', repeat: 'safe', options })
    return objectOf(answer) as unknown as ActivePolicy
  }

  /** The stored reports that another policy would change. Nothing is stored or put in force. */
  async whatIf(policy: PolicyDocument, options: WhatIfOptions = {}): Promise<WhatIf> {
    const body = { policy, max_reports: options.maxReports }
    const call = { method: 'POST', path: '/v1/policy/what-if', body, repeat: 'safe', options } as const
    return objectOf(await this.#transport(call)) as unknown as WhatIf
  }

  /** For operators: the policies that were in force, newest first. */
  activations(options: ListOptions = {}): ItemList<PolicyActivation> {
    return listOf(this.#transport, '/v1/policy/activations', options)
  }
}

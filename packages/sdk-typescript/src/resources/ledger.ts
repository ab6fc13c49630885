import { objectOf } from '../answers.js'
import type { ItemList } from '../item-list.js'
import type { CallOptions } from '../transport/call.js'
import type { Transport } from '../transport/transport.js'
import type { LedgerImport, LedgerState } from '../generated/models.js'
import { listOf, type ListOptions } from './list-of.js'

export interface LedgerImportListOptions extends ListOptions {
  /** Only imports of this chain. */
  readonly chain?: string | undefined
}

/** The ledger of transfers, for a key with the scope `operator`. */
export class Ledger {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** What the ledger holds of each chain, and what is missing. A fault that you do not know is a fault. */
  async get(options: CallOptions = {}): Promise<LedgerState> {
    const call = { method: 'GET', path: '/v1/ledger', repeat: 'safe', options } as const
    return objectOf(await this.#transport(call)) as unknown as LedgerState
  }

  /** Imported files, newest first, those that are not complete too. */
  imports(options: LedgerImportListOptions = {}): ItemList<LedgerImport> {
    return listOf(this.#transport, '/v1/ledger/imports', options, { chain: options.chain })
  }
}

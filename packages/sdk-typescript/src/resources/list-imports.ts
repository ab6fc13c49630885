import { objectOf } from '../answers.js'
import type { ItemList } from '../item-list.js'
import { path } from '../path.js'
import type { CallOptions } from '../transport/call.js'
import type { Transport } from '../transport/transport.js'
import type { ListImport } from '../generated/models.js'
import { listOf, type ListOptions } from './list-of.js'

export interface NewListImport {
  /** The layout of the file, such as `ofac-xml` or `csv`. */
  readonly format: string
  /** The dataset within the source: importing it again replaces it. */
  readonly dataset: string
  /** The publisher, for files whose rows or format name none. */
  readonly source?: string | undefined
  /** The date of the list as YYYY-MM-DD, for files that state none. */
  readonly listDate?: string | undefined
  /** The file is all of an authority’s list. */
  readonly whole?: boolean | undefined
  /** The file adds to the set, and nothing of it ends. */
  readonly append?: boolean | undefined
  /** Sets that this one withdraws. */
  readonly replaces?: readonly string[] | undefined
  readonly category?: string | undefined
  readonly chain?: string | undefined
}

export interface ConfirmImportOptions extends CallOptions {
  /** Exactly the `removals` of the look, where it named some. */
  readonly acceptRemovals?: number | undefined
  /** Exactly the number of unreadable rows. */
  readonly acceptUnreadable?: number | undefined
  /** Why what you accept is right. */
  readonly reason?: string | undefined
}

/** Imports of lists, for a key with the scope `operator`: begin one, send its file in parts, check it, and confirm it. */
export class ListImports {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Begins an import; nothing changes before it is confirmed. */
  create(fields: NewListImport, options: CallOptions = {}): Promise<ListImport> {
    const { listDate, ...rest } = fields
    const body = { ...rest, list_date: listDate }
    return this.#one({ method: 'POST', path: '/v1/list-imports', body, repeat: 'once', options })
  }

  /** Sends the next part of the file, at most 524,288 bytes; parts are numbered from 0. */
  addPart(
    importId: string,
    part: number,
    content: Uint8Array,
    options: CallOptions = {},
  ): Promise<ListImport> {
    const body = { part, content: base64Of(content) }
    const call = { method: 'POST', path: path`/v1/list-imports/${importId}/parts`, body } as const
    return this.#one({ ...call, repeat: 'safe', options })
  }

  /** Orders a look at the whole file. Read the import until its status is no longer `checking`. */
  check(importId: string, options: CallOptions = {}): Promise<ListImport> {
    const call = { method: 'POST', path: path`/v1/list-imports/${importId}/check` } as const
    return this.#one({ ...call, repeat: 'once', options })
  }

  /** Orders the import. Read it until its status is no longer `importing`. */
  confirm(importId: string, options: ConfirmImportOptions = {}): Promise<ListImport> {
    const { acceptRemovals, acceptUnreadable, reason, ...callOptions } = options
    const body = { accept_removals: acceptRemovals, accept_unreadable: acceptUnreadable, reason }
    const call = { method: 'POST', path: path`/v1/list-imports/${importId}/confirm`, body } as const
    return this.#one({ ...call, repeat: 'once', options: callOptions })
  }

  /** The import as it is now. */
  get(importId: string, options: CallOptions = {}): Promise<ListImport> {
    return this.#one({ method: 'GET', path: path`/v1/list-imports/${importId}`, repeat: 'safe', options })
  }

  /** Newest first. */
  list(options: ListOptions = {}): ItemList<ListImport> {
    return listOf(this.#transport, '/v1/list-imports', options)
  }

  async #one<T>(call: Parameters<Transport>[0]): Promise<T> {
    return objectOf(await this.#transport(call)) as T
  }
}

function base64Of(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

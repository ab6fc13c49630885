/** Imports of lists as the API returns them. */
import type { ApiClient } from '@cupel/console'

interface LeftOutRows {
  readonly count: number
  readonly rows: readonly { readonly line: number; readonly reason: string }[]
}

export interface ListImport {
  readonly import_id: string
  readonly status: string
  readonly format: string
  readonly source: string | null
  readonly dataset: string
  readonly bytes: number
  readonly ordered_by: string
  readonly ordered_at: string
  readonly confirmed_by: string | null
  readonly reason: string | null
  readonly result: {
    readonly code: string
    readonly detail: string | null
    readonly sets: readonly {
      readonly source: string
      readonly dataset: string
      readonly list_date: string | null
      readonly whole: boolean
      readonly history_only: boolean
      readonly labels: number
      readonly added: number
      readonly changed: number
      readonly unchanged: number
      readonly ended: number
    }[]
    readonly removals: number | null
    readonly lost_count: number
    readonly lost: readonly {
      readonly authority: string
      readonly chain: string
      readonly address: string
      readonly entity: string
    }[]
    readonly unreadable: LeftOutRows
    readonly refused: LeftOutRows
    readonly skipped: LeftOutRows
    readonly warnings: readonly string[]
  } | null
}

export const API_IMPORTS = '/v1/list-imports'

/** Path of an import at the API, or of a part of it. */
export const apiPathOf = (importId: string | undefined, part = ''): string =>
  `${API_IMPORTS}/${encodeURIComponent(importId ?? '')}${part}`

export const pagePathOf = (importId: string, part = ''): string =>
  `/lists/imports/${encodeURIComponent(importId)}${part}`

const statusWords: Readonly<Record<string, string>> = {
  receiving: 'Waits for its file',
  checking: 'Is being fetched or read …',
  checked: 'Waits for your confirmation',
  importing: 'Is being imported …',
  imported: '✓ Imported',
  refused: '! Refused',
  failed: '! Failed',
}

/** A later version may have others. */
export const statusText = (status: string): string =>
  Object.hasOwn(statusWords, status) ? statusWords[status]! : status

export const isBusy = ({ status }: Pick<ListImport, 'status'>): boolean =>
  status === 'checking' || status === 'importing'

/** Bytes of a part that the API takes at once. */
export const PART_BYTES = 524_288

/** Sends the bytes as the parts from `first` on. */
export async function sendParts(
  api: ApiClient,
  importId: string,
  bytes: Buffer,
  first: number,
): Promise<void> {
  for (let at = 0, part = first; at < bytes.length; at += PART_BYTES, part += 1) {
    const content = bytes.subarray(at, at + PART_BYTES).toString('base64')
    await api.send('POST', apiPathOf(importId, '/parts'), { part, content })
  }
}

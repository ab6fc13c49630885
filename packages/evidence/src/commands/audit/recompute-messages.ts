/** The messages between a command and its threads. */
import type { Config } from '@cupel/kit/service'

export type ThreadSource =
  /** The connections of the command; `isAuditor` as for them. */
  | { readonly kind: 'connections'; readonly config: Config; readonly isAuditor: boolean }
  /** The place of the archive as it was typed, and the file of public keys. */
  | { readonly kind: 'archive'; readonly archive: string; readonly publicKeys: string | undefined }

export type ToThread<Order> = { readonly kind: 'order'; readonly order: Order } | { readonly kind: 'close' }

export type FromThread<Result> =
  /** What the work says of the records that it read. */
  | { readonly kind: 'records'; readonly records: number }
  | { readonly kind: 'result'; readonly result: Result }
  /** The message of the command for the error, and its exit code. */
  | { readonly kind: 'fault'; readonly sentence: string; readonly exitCode: number }

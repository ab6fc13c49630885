/** The messages between the command and its threads. */
import type { RangeQuestion, RangeTally, ReportRange } from '../../proofs/index.js'
import type { Config } from '@cupel/kit/service'

export type ThreadSource =
  /** The connections of the command. */
  | { readonly kind: 'connections'; readonly config: Config }
  /** The place of the archive as it was typed, and the file of public keys. */
  | { readonly kind: 'archive'; readonly archive: string; readonly publicKeys: string | undefined }

export interface ThreadData {
  readonly environment: NodeJS.ProcessEnv
  readonly source: ThreadSource
  readonly question: RangeQuestion
}

export type ToThread = { readonly kind: 'decide'; readonly range: ReportRange } | { readonly kind: 'close' }

export type FromThread =
  | { readonly kind: 'records'; readonly records: number }
  | { readonly kind: 'tally'; readonly tally: RangeTally }
  /** The message of the command for the error, and its exit code. */
  | { readonly kind: 'fault'; readonly sentence: string; readonly exitCode: number }

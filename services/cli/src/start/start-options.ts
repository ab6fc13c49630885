/** The options of `cupel start`, and the processes that it runs. */

export interface StartOptions {
  readonly kafka?: boolean
  readonly scale?: string
  readonly processes?: boolean
  readonly brokers?: string
  readonly publicChainData?: boolean
  readonly json?: boolean
}

export interface Services {
  readonly baseUrls: readonly string[]
  /** Address of the console; null if it is not served. */
  readonly webUrl: string | null
  readonly processes: readonly { readonly name: string; readonly healthUrl: string }[]
}

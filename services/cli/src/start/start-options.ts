/** What `cupel start` was asked for, and what it then runs. */

export interface StartOptions {
  readonly kafka?: boolean
  readonly scale?: string
  readonly publicChainData?: boolean
  readonly json?: boolean
}

export interface Services {
  readonly baseUrls: readonly string[]
  readonly processes: readonly { readonly name: string; readonly healthUrl: string }[]
}

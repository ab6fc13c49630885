/** An answer as a handler gives it, in the form it goes out in. */
export interface Answer {
  readonly status: number
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Null for no body. */
  readonly body: string | null
}

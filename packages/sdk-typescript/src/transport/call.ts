/** What each call may be given besides its arguments. */
export interface CallOptions {
  /** Ends the call; it rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds for this call with all its attempts and waits. */
  readonly timeoutMs?: number | undefined
  readonly maxRetries?: number | undefined
}

/** The call that must be done once has a key: a repeat under the same key gets the first answer. */
export interface KeyedCallOptions extends CallOptions {
  /** 1 to 255 visible ASCII characters. Default: a random one for each call. Give your own to repeat a call after a crash. */
  readonly idempotencyKey?: string | undefined
}

/**
 * `safe`: a second time changes nothing. `keyed`: the Idempotency-Key makes it safe. `once`: a second time does more, so it is
 * not repeated where it may have been done without an answer.
 */
export type Repeat = 'safe' | 'keyed' | 'once'

/** One logical call. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** From the base URL on, encoded. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
  readonly accept?: string
  readonly repeat: Repeat
  readonly options: KeyedCallOptions
}

/** A success, read to its end. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array
}

/** Options of each call besides its arguments. */
export interface CallOptions {
  /** Ends the call, which rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds for this call with all its attempts and waits. */
  readonly timeoutMs?: number | undefined
  readonly maxRetries?: number | undefined
}

/** Options of a call that must be done only once. It has a key: a repeat under the same key returns the first answer. */
export interface KeyedCallOptions extends CallOptions {
  /** 1 to 255 visible ASCII characters. Default: a random one for each call. Give your own to repeat a call after a crash. */
  readonly idempotencyKey?: string | undefined
}

/**
 * `safe`: a repeat changes nothing. `keyed`: the Idempotency-Key makes a repeat safe. `once`: a repeat does more, so the call is
 * not repeated if it may have been done without an answer.
 */
export type Repeat = 'safe' | 'keyed' | 'once'

/** One logical call. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Starts after the base URL, encoded. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
  readonly accept?: string
  /** Seconds of the preference `wait`. */
  readonly waitSeconds?: number | undefined
  readonly repeat: Repeat
  readonly options: KeyedCallOptions
}

/** A success, read to its end. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array
}

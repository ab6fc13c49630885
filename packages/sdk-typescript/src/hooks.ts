/** One attempt of a call, about to be sent. */
export interface AttemptEvent {
  readonly method: string
  readonly url: string
  /** 1 for the first attempt of a call. */
  readonly attempt: number
  /** Equal for all attempts of one call; null if the call has none. */
  readonly idempotencyKey: string | null
}

/** The head of an answer. */
export interface AnswerEvent extends AttemptEvent {
  readonly status: number
  readonly requestId: string | null
  readonly headers: Headers
  readonly durationMs: number
}

/** An attempt that failed and will be repeated. */
export interface RetryEvent extends AttemptEvent {
  readonly error: Error
  readonly waitMs: number
}

/** For logs and traces. If a hook throws, the call throws the same error. */
export interface Hooks {
  /** May return headers to add, such as `traceparent`. It cannot replace the client’s own. */
  readonly attempt?: (event: AttemptEvent) => Readonly<Record<string, string>> | void
  readonly answer?: (event: AnswerEvent) => void
  readonly retry?: (event: RetryEvent) => void
}

import type { ServerResponse } from 'node:http'

/** An answer as a handler returns it, in the form in which it is sent. */
export interface Answer {
  readonly status: number
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
  /** True where an event in the log, or in the outbox, records the call: the audit trail then appends nothing. */
  readonly isRecorded?: boolean
  /** True for a read that many repeat and that shows nothing of an account: it is counted in the metrics, and has no record of its own. */
  readonly isOnlyCounted?: boolean
  /** Text is sent as UTF-8; null for no body. */
  readonly body: string | Uint8Array | null
  /** Writes the body bit by bit once the head is sent, and ends it. Not called for HEAD, nor where the client has gone. */
  readonly stream?: (response: ServerResponse) => void
  /** Called if `stream` is not called: the answer holds something for it. */
  readonly discard?: () => void
}

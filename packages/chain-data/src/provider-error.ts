/** The reason why a provider gave no usable answer. */

/** Recorded with a report and shown in its coverage. Later versions may add codes. */
export type ProviderErrorCode =
  | 'timeout'
  | 'unreachable'
  | 'rate_limited'
  | 'http_status'
  | 'redirected'
  | 'too_large'
  | 'malformed'
  | 'refused'
  | 'wrong_chain'
  | 'wrong_address'
  | 'stale'
  | 'busy'
  | 'circuit_open'
  | 'late'

/** Retried at once: the next answer may differ. */
const transient: ReadonlySet<ProviderErrorCode> = new Set(['timeout', 'unreachable', 'http_status'])

/** The detail is for the operator's log. It never holds a screened address, a URL or a header: those may be secret. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly code: ProviderErrorCode

  constructor(code: ProviderErrorCode, detail: string) {
    super(`${code}: ${detail}`)
    this.code = code
  }

  get isTransient(): boolean {
    return transient.has(this.code)
  }
}

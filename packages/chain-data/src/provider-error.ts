/** Why a provider gave no answer that can be used. */

/** Recorded with a report and shown in its coverage. Open: later versions add words. */
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

/** Worth a second attempt at once: the next answer may be another. */
const transient: ReadonlySet<ProviderErrorCode> = new Set(['timeout', 'unreachable', 'http_status'])

/** The detail is for the operator's log. It never holds an address asked for, a URL or a header: those may be secret. */
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

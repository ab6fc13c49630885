/** Classifies the errors of statements. */

/** The five-character SQLSTATE, or null if the error did not come from the server. */
export function sqlState(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null
  const code = (error as { code: unknown }).code
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null
}

const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
])

/** Whether the server could not be reached, or lacks room or memory, so that a retry may succeed. */
export function isUnavailable(error: unknown): boolean {
  const state = sqlState(error)
  if (state !== null) {
    // Class 08: connection; 57P01-57P03: shutting down or starting; class 53: a full disk, no memory, too many connections.
    return state.startsWith('08') || state.startsWith('57P0') || state.startsWith('53')
  }
  if (!(error instanceof Error)) return false
  if ('code' in error && CONNECTION_CODES.has(String(error.code))) return true
  return /Connection terminated|Cannot use a pool after calling end|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable/.test(
    error.message,
  )
}

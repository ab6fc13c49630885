/** Classifies the errors of statements. */

/** The five-character SQLSTATE, or null if the error did not come from the server. Every one has a digit, unlike EPIPE. */
export function sqlState(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null
  const code = (error as { code: unknown }).code
  return typeof code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : null
}

/** Errors of sockets and names, and of certificates: a server that cannot prove who it is cannot be asked. */
const CONNECTION_CODES = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'ENOENT'],
  ...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'CERT_REVOKED', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ...['SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
])

/**
 * Classes and codes of an outage: 08, connection; 28, credentials that are being rotated; 53, a full disk, no memory, too many connections;
 * 25006, a replica in place of the primary; 57014, a statement beyond its time limit; 57P01 to 57P03, a server that stops or starts.
 * Source: the documentation of PostgreSQL, appendix A.
 */
const OUTAGES = ['08', '28', '53', '25006', '57014', '57P0']

/** Whether the server could not be reached or asked, or lacks room, memory or time, so that a retry may succeed. */
export function isUnavailable(error: unknown): boolean {
  const state = sqlState(error)
  if (state !== null && OUTAGES.some((start) => state.startsWith(start))) return true
  if (!(error instanceof Error)) return false
  if ('code' in error && CONNECTION_CODES.has(String(error.code))) return true
  return /Connection terminated|Cannot use a pool after calling end|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable/.test(
    error.message,
  )
}

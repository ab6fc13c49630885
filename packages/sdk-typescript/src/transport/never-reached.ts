const REFUSED = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ConnectionRefused|Connection refused|dns error/

/**
 * Whether no connection was ever made, so that the service cannot have seen the call. Node and Bun name the reason by a code,
 * Deno in words. An unknown reason counts as reached.
 */
export function neverReached(error: unknown): boolean {
  const seen = new Set<unknown>()
  let at = error
  while (at instanceof Error && !seen.has(at)) {
    seen.add(at)
    if (REFUSED.test(`${String((at as { code?: unknown }).code)} ${at.message}`)) return true
    at = at.cause
  }
  return false
}

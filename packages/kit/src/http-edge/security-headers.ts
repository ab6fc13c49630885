/** The security headers of every answer, for browsers and caches. */

/**
 * No answer may be framed, sniffed, cached by others or followed with a referrer. A special document, such as the reference page, replaces
 * the policy with the narrowest possible one (OWASP REST Security, ASVS 5.0 section 3.4).
 */
export const securityHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
} as const

/** One year, the minimum of ASVS 3.4.1. Subdomains are not included, because they may not be ours. */
export const STRICT_TRANSPORT_SECURITY = 'max-age=31536000'

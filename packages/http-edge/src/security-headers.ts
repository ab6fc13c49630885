/** What every answer tells browsers and caches, whoever gives it. */

/**
 * Nothing here is meant to be framed, sniffed, cached by others or followed with a referrer; a document of its own kind, as the
 * reference page, replaces the policy by one that is as narrow as it can be (OWASP REST Security, ASVS 5.0 section 3.4).
 */
export const securityHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
} as const

/** One year, the least that ASVS 3.4.1 takes. Subdomains are not ours to speak for. */
export const STRICT_TRANSPORT_SECURITY = 'max-age=31536000'

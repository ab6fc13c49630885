/** RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers-10), as structured fields (RFC 9651). */
import type { RateLimit } from '@cupel/access'

/**
 * `q`: depth of the bucket, `w`: seconds an empty one takes to fill, `r`: whole tokens left, `t`: seconds until there is one
 * more. A wait of `t` is always enough for one call, and Retry-After is never less.
 */
export function rateLimitHeaders(limit: RateLimit): Record<string, string> {
  return {
    'ratelimit-policy': `"${limit.plan}";q=${limit.quota};w=${limit.windowSeconds}`,
    ratelimit: `"${limit.plan}";r=${limit.remaining};t=${limit.nextTokenSeconds}`,
  }
}

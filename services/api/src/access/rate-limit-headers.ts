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

/** A limit that is no bucket: `quota` at most, of which `used` are in use. Nobody can say when there is one more. */
export function quotaHeaders(
  policies: readonly { name: string; quota: number; used: number }[],
): Record<string, string> {
  return {
    'ratelimit-policy': policies.map(({ name, quota }) => `"${name}";q=${quota}`).join(', '),
    ratelimit: policies.map(({ name, quota, used }) => `"${name}";r=${Math.max(0, quota - used)}`).join(', '),
  }
}

/** Fields that are lists: what an answer adds comes behind what every answer to its key says. */
const LISTS = ['ratelimit', 'ratelimit-policy']

export function withFurtherLimits(
  known: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const joined = LISTS.flatMap((name) =>
    known[name] !== undefined && own[name] !== undefined ? [[name, `${known[name]}, ${own[name]}`]] : [],
  )
  return { ...known, ...own, ...(Object.fromEntries(joined) as Record<string, string>) }
}

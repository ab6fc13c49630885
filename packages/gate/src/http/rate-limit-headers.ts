/** RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers-10), as structured fields (RFC 9651). */
import type { RateLimit } from '../access/index.js'

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

/** A limit without a bucket: at most `quota`, of which `used` are in use. It is not known when the next one is free. */
export function quotaHeaders(
  policies: readonly { name: string; quota: number; used: number }[],
): Record<string, string> {
  return {
    'ratelimit-policy': policies.map(({ name, quota }) => `"${name}";q=${quota}`).join(', '),
    ratelimit: policies.map(({ name, quota, used }) => `"${name}";r=${Math.max(0, quota - used)}`).join(', '),
  }
}

/** Fields that are lists: the members of one answer follow those of every answer to its key. */
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

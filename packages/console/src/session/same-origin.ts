/** Whether a request that changes something comes from a page of this console. */
import type { IncomingHttpHeaders } from 'node:http'

/**
 * Browsers state this in Sec-Fetch-Site and in Origin. Origin is `null` where the page sends no referrer, as every page here does. One
 * of them must speak for the request, and neither against it.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, ownOrigins: readonly string[]): boolean {
  const { origin } = headers
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  if (origin === undefined || origin === 'null') return site === 'same-origin'
  return ownOrigins.includes(origin)
}

/** The origins under which a browser may see this console. */
export function ownOriginsOf(
  headers: IncomingHttpHeaders,
  { isSecure, publicUrl }: { readonly isSecure: boolean; readonly publicUrl: string | null },
): readonly string[] {
  if (publicUrl !== null) return [new URL(publicUrl).origin]
  return headers.host === undefined ? [] : [`${isSecure ? 'https' : 'http'}://${headers.host}`]
}

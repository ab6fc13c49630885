/**
 * A secret on its way from the form that makes it to the page that shows it. The form redirects, so that a reload sends nothing again. The
 * secret travels in a sealed cookie that the page ends, so it appears in no address and on no second page. The key comes from the session,
 * so a cookie planted by another site cannot be opened.
 */
import { redirect, type PageCall, type Redirect } from '../server/page.js'
import { createSeal, type Seal } from './seal.js'
import { onceCookie, readOnce, type Session } from './session-cookie.js'

/** How long a page that did not arrive can be requested again. */
const LIFETIME_SECONDS = 600

interface Sealed<Secret extends object> {
  /** The page that may show it. */
  readonly at: string
  readonly secret: Secret
}

const sealOf = <Secret extends object>({ token }: Session): Seal<Sealed<Secret>> =>
  createSeal(token, { purpose: 'cupel shown once', lifetimeSeconds: LIFETIME_SECONDS })

/** Redirects to the page at the path `at`, which shows the secret. The page requires a session. */
export async function showOnce<Secret extends object>(
  { session, isSecure }: Pick<PageCall, 'session' | 'isSecure'>,
  at: string,
  secret: Secret,
): Promise<Redirect> {
  const cookie = await sealOf<Secret>(session!).seal({ at, secret })
  return { ...redirect(at), cookies: [onceCookie(cookie, isSecure, LIFETIME_SECONDS)] }
}

/** The secret for the page of this call, and the cookies that end it; null where it was shown, or belongs to another page or session. */
export async function takeOnce<Secret extends object>({
  session,
  headers,
  isSecure,
  target,
}: Pick<PageCall, 'session' | 'headers' | 'isSecure' | 'target'>): Promise<{
  readonly secret: Secret
  readonly cookies: readonly string[]
} | null> {
  const cookie = readOnce(headers.cookie, isSecure)
  const sealed = cookie === null ? null : await sealOf<Secret>(session!).open(cookie)
  if (sealed?.at !== target) return null
  return { secret: sealed.secret, cookies: [onceCookie(null, isSecure)] }
}

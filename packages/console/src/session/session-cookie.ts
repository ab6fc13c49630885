/** The cookie of a session: the token, and the facts that the layout shows. Only the API judges the token. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { parseSessionToken } from '@cupel/domain'

export interface Session {
  readonly token: string
  readonly accountId: string
  readonly livemode: boolean
  readonly scope: string
  readonly webhookAdmin: boolean
  /** Name of the person, where a sign-in service vouches for it. */
  readonly actor: string | null
  readonly keyId: string
  /** UTC, RFC 3339. */
  readonly expiresAt: string
}

/** For the browser while the person is at the sign-in service; Lax, because the service sends it back. `value`: null ends it. */
export const flowCookie = (value: string | null, isSecure: boolean, lifetimeSeconds = 0): string =>
  passingCookie(FLOW, value, { isSecure, sameSite: 'Lax', lifetimeSeconds })

export const readFlow = (header: string | undefined, isSecure: boolean): string | null =>
  cookieValue(header, nameOf(FLOW, isSecure))

/** A secret between a form and the page that shows it. `value`: null ends it. */
export const onceCookie = (value: string | null, isSecure: boolean, lifetimeSeconds = 0): string =>
  passingCookie(ONCE, value, { isSecure, sameSite: 'Strict', lifetimeSeconds })

export const readOnce = (header: string | undefined, isSecure: boolean): string | null =>
  cookieValue(header, nameOf(ONCE, isSecure))

interface CookieRules {
  readonly isSecure: boolean
  readonly sameSite: 'Lax' | 'Strict'
}

function passingCookie(
  name: string,
  value: string | null,
  { lifetimeSeconds, ...rules }: CookieRules & { readonly lifetimeSeconds: number },
): string {
  const text = cookie(nameOf(name, rules.isSecure), value ?? '', rules)
  return `${text}; Max-Age=${value === null ? 0 : lifetimeSeconds}`
}

/** With `__Host-` a browser takes the cookie only over TLS, and only for this host. */
const nameOf = (name: string, isSecure: boolean): string =>
  isSecure ? `__Host-cupel-${name}` : `cupel-${name}`
const SESSION = 'session'
const VISIT = 'visit'
const FLOW = 'sign-in'
const ONCE = 'once'

/** Lax, so that a link in a mail opens the report it names. */
export function sessionCookie(session: Session, isSecure: boolean): string {
  const { token, ...shown } = session
  const value = `${token}.${Buffer.from(JSON.stringify(shown)).toString('base64url')}`
  return cookie(nameOf(SESSION, isSecure), value, { isSecure, sameSite: 'Lax' })
}

export function endedSessionCookie(isSecure: boolean): string {
  return `${cookie(nameOf(SESSION, isSecure), '', { isSecure, sameSite: 'Lax' })}; Max-Age=0`
}

/** The cookie that ties the form of the sign-in page to the browser that was shown it. */
export function visitCookie(value: string, isSecure: boolean): string {
  return cookie(nameOf(VISIT, isSecure), value, { isSecure, sameSite: 'Strict' })
}

function cookie(name: string, value: string, { isSecure, sameSite }: CookieRules): string {
  return `${name}=${value}; Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`
}

/** Null where the cookie is absent or was not written by this console. */
export function readSession(header: string | undefined, isSecure: boolean): Session | null {
  const value = cookieValue(header, nameOf(SESSION, isSecure))
  const [token = '', shown = ''] = value?.split('.', 2) ?? []
  if (parseSessionToken(token) === null) return null
  try {
    const facts = JSON.parse(Buffer.from(shown, 'base64url').toString('utf8')) as Omit<Session, 'token'>
    return typeof facts.accountId === 'string' ? { ...facts, token } : null
  } catch {
    // Cut or changed; the person signs in again.
    return null
  }
}

export function readVisit(header: string | undefined, isSecure: boolean): string | null {
  const value = cookieValue(header, nameOf(VISIT, isSecure))
  return value !== null && /^[\w-]{43}$/.test(value) ? value : null
}

function cookieValue(header: string | undefined, name: string): string | null {
  for (const part of header?.split(';') ?? []) {
    const [key, ...value] = part.trim().split('=')
    if (key === name) return value.join('=')
  }
  return null
}

/** The hidden field of a form. It is derived from a secret that only this browser's cookie holds, so nothing is stored. */
export function csrfToken(secret: string): string {
  return createHmac('sha256', secret).update('cupel form').digest('base64url')
}

export function isCsrfToken(given: string, secret: string): boolean {
  const wanted = Buffer.from(csrfToken(secret))
  const shown = Buffer.from(given)
  return shown.length === wanted.length && timingSafeEqual(shown, wanted)
}

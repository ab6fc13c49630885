/** API keys as the API returns them, and what a form of them holds. */
import { fieldOf } from '@cupel/console'

export interface ApiKey {
  readonly key_id: string
  readonly account_id: string
  readonly livemode: boolean
  readonly scope: string
  readonly plan: string
  readonly name: string
  readonly allowed_ips: readonly string[]
  readonly webhook_admin: boolean
  readonly status: string
  readonly rotated_from: string | null
  readonly issued_at: string
  readonly expires_at: string | null
  readonly revoked_at: string | null
  readonly last_used_at: string | null
}

export const API_KEYS = '/v1/keys'

/** Path of a key at the API, or of a part of it. */
export const apiPathOf = (keyId: string | undefined, part = ''): string =>
  `${API_KEYS}/${encodeURIComponent(keyId ?? '')}${part}`

export const pagePathOf = (keyId: string, part = ''): string => `/keys/${encodeURIComponent(keyId)}${part}`

const scopeWords: Readonly<Record<string, string>> = {
  'read-only': 'Read',
  'read-write': 'Read and screen',
  admin: 'Administer this account',
  operator: 'Operate the installation',
}

/** A later version may have others. */
export const scopeText = (scope: string): string =>
  Object.hasOwn(scopeWords, scope) ? scopeWords[scope]! : scope

const statusWords: Readonly<Record<string, string>> = {
  active: '✓ Works',
  ending: '! Rotated, still works',
  revoked: '· Revoked',
  expired: '· Expired',
}

export const statusText = (status: string): string =>
  Object.hasOwn(statusWords, status) ? statusWords[status]! : status

/** The UTC day of a time, as a date field has it. */
export const dayOf = (at: string | null | undefined): string => at?.slice(0, 'YYYY-MM-DD'.length) ?? ''

/** The fields of the form that state rights, as the API takes them. */
export function rightsOf(form: FormData): Readonly<Record<string, unknown>> {
  const expires = fieldOf(form, 'expires').trim()
  return {
    scope: fieldOf(form, 'scope'),
    allowed_ips: fieldOf(form, 'allowed_ips')
      .split(/[\s,]+/)
      .filter((range) => range !== ''),
    webhook_admin: fieldOf(form, 'webhook_admin') === 'yes',
    ...(expires === fieldOf(form, 'expires_before')
      ? {}
      : { expires_at: expires === '' ? null : `${expires}T00:00:00Z` }),
    ...givenTexts(form, ['name', 'reason', 'plan']),
    ...tenantOf(fieldOf(form, 'account_id'), fieldOf(form, 'livemode')),
  }
}

/** What the fields ask for: a proposal has its reason apart. */
export const withoutReason = (rights: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(rights).filter(([name]) => name !== 'reason'))

/** The account and environment that an operator names; nothing for those of the own key. */
export function tenantOf(
  account: string | null,
  livemode: string | null,
): Readonly<Record<string, string | boolean>> {
  if (account === null || account === '') return {}
  return { account_id: account, livemode: livemode !== 'false' }
}

/** Texts of the form that are not empty. */
export function givenTexts(form: FormData, names: readonly string[]): Readonly<Record<string, string>> {
  const given = names.map((name) => [name, fieldOf(form, name).trim()] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== ''))
}

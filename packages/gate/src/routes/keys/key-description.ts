/** API keys as the API shows them, and what their routes have in common. */
import { AccessRefusal, findKey, type ApiKey, type Caller } from '../../access/index.js'
import { parseIpRange } from '@cupel/kit/http-edge'
import { instant } from '@cupel/contracts'
import { planNames, type Scope } from '@cupel/domain'
import type { PersonalData } from '@cupel/personal-data'
import type { Database } from '@cupel/postgres'
import { z } from 'zod'
import {
  type KeyedCall,
  type PageTokens,
  refuse,
  type Refusal,
  ownText,
  isInCalendar,
  NO_SUCH_TIME,
} from '../../http/index.js'

export interface KeyParts {
  readonly database: Database
  readonly tokens: PageTokens
  readonly personalData: PersonalData
  /** Whether two persons issue and change keys: one proposes it, another one confirms it. */
  readonly needsSecondPerson: boolean
}

export const KEYS_TAG = 'API keys'

export const keyIdField = z
  .string()
  .regex(/^[0-9A-Za-z]{8}$/)
  .describe('The id of the key: the first 8 characters behind its prefix.')
export const keyPath = z.object({ key_id: keyIdField })
export type KeyPath = z.infer<typeof keyPath>

/** The scopes that a call may give. Only the operator's commands give `operator`. */
export const givenScopes = ['read-only', 'read-write', 'admin'] as const satisfies readonly Scope[]

const MAX_NAME_LENGTH = 200
const MAX_REASON_LENGTH = 500
const MAX_RANGES = 100
const MAX_RANGE_LENGTH = 64

export const nameField = ownText(MAX_NAME_LENGTH).refine((name) => name === undefined || isPlain(name), {
  error: 'A name has no control characters and is not blank',
})
export const reasonField = ownText(MAX_REASON_LENGTH).refine(
  (reason) => reason === undefined || !/\p{Cc}/u.test(reason),
  { error: 'A reason has no control characters' },
)
export const scopeField = z
  .enum(givenScopes)
  .describe('The rights of the key; each scope holds those before it.')
export const planField = z.enum(planNames).describe('The plan whose rate limit the key has.')
export const rangesField = z
  .array(
    z
      .string()
      .max(MAX_RANGE_LENGTH)
      .refine((range) => parseIpRange(range) !== null, { error: 'Expected an IP address or a CIDR range' }),
  )
  .max(MAX_RANGES)
  .describe('Addresses and CIDR ranges from which the key may be used; empty: from anywhere.')
export const webhookAdminField = z.boolean().describe('True if the key may change webhook endpoints.')
export const expiryField = z.iso
  .datetime({ offset: true })
  .refine(isInCalendar, NO_SUCH_TIME)
  .refine((at) => !(Date.parse(at) <= Date.now()), { error: 'The time has passed' })
  .describe('When the key expires, UTC, RFC 3339.')

const isPlain = (name: string): boolean => name.trim() !== '' && !/\p{Cc}/u.test(name)

const keyFields = {
  key_id: z.string(),
  account_id: z.string(),
  livemode: z.boolean().describe('False for a key of the sandbox.'),
  scope: z.string().describe('read-only, read-write, admin or operator; each holds those before it.'),
  plan: z.string(),
  name: z.string(),
  allowed_ips: z.array(z.string()).describe('Where the key may be used from; empty: anywhere.'),
  webhook_admin: z.boolean().describe('True if the key may change webhook endpoints.'),
  status: z.string().describe('active, ending (rotated, and works until `revoked_at`), revoked or expired.'),
  rotated_from: z.string().nullable().describe('The key that this one replaces; null for none.'),
  issued_at: instant,
  expires_at: instant.nullable().describe('When it expires or expired; null for never.'),
  revoked_at: instant.nullable().describe('When it stopped working, or will; null for neither.'),
  last_used_at: instant.nullable().describe('To the minute; null if it was never used.'),
}
export const keyComponent = z.object(keyFields).meta({ id: 'ApiKey' })
export const newKeyComponent = z
  .object({ ...keyFields, key: z.string().describe('The key itself; only this answer shows it.') })
  .meta({ id: 'NewApiKey', description: 'With the key itself, which only this answer shows.' })

export const keyExample: z.infer<typeof keyComponent> = {
  key_id: '8f2k1m0a',
  account_id: 'acc_5f1c0a2b9d3e4f60718a',
  livemode: true,
  scope: 'read-write',
  plan: 'pro',
  name: 'screening',
  allowed_ips: ['203.0.113.0/24'],
  webhook_admin: false,
  status: 'active',
  rotated_from: null,
  issued_at: '2026-11-21T09:00:00.000Z',
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
}

export const newKeyExample = { ...keyExample, key: 'cpl_live_…' }

export function keyDocument(key: ApiKey): z.infer<typeof keyComponent> {
  return {
    key_id: key.keyId,
    account_id: key.accountId,
    livemode: key.environment === 'live',
    scope: key.scope,
    plan: key.plan,
    name: key.name,
    allowed_ips: [...key.allowedIps],
    webhook_admin: key.webhookAdmin,
    status: keyStatus(key, new Date().toISOString()),
    rotated_from: key.rotatedFrom,
    issued_at: key.issuedAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    last_used_at: key.lastUsedAt,
  }
}

/** `now`: UTC, RFC 3339. */
export function keyStatus({ revokedAt, expiresAt }: ApiKey, now: string): string {
  if (revokedAt !== null && revokedAt <= now) return 'revoked'
  if (expiresAt !== null && expiresAt <= now) return 'expired'
  return revokedAt === null ? 'active' : 'ending'
}

/** The document as text, with the name opened: an operator also reads keys of other accounts. */
export function keyText(
  { personalData }: Pick<KeyParts, 'personalData'>,
  key: ApiKey,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  return personalData.openJson(JSON.stringify({ ...keyDocument(key), ...more }), key.accountId)
}

/** Who changes a key, and with which key. */
export function keyAuthor(call: KeyedCall): { readonly by: string; readonly acting: string } {
  const { keyId } = call.caller
  const { person } = call.plainPerson
  return { by: person === '' ? `key ${keyId}` : person, acting: keyId }
}

/** The account and environment that a call names; those of its key unless it is an operator's. */
export function namedTenant(
  { accountId, environment, scope }: Caller,
  {
    account_id: account = accountId,
    livemode = environment === 'live',
  }: { account_id?: string | undefined; livemode?: boolean | undefined },
): { readonly accountId: string; readonly environment: Caller['environment'] } | Refusal {
  const named = { accountId: account, environment: livemode ? 'live' : 'test' } as const
  const isOwn = named.accountId === accountId && named.environment === environment
  return isOwn || scope === 'operator'
    ? named
    : refuse('scope_required', 'Only a key with the scope operator names another account or environment.')
}

/** The key, for a caller who may see it; null for nobody's id and for keys of others. */
export const isVisible = ({ accountId, environment, scope }: Caller, key: ApiKey): boolean =>
  scope === 'operator' || (key.accountId === accountId && key.environment === environment)

/** The key of the call, as it is now. */
export async function ownKey({ database }: Pick<KeyParts, 'database'>, { keyId }: Caller): Promise<ApiKey> {
  const key = await findKey(database, keyId)
  if (key === null) throw new Error(`Key ${keyId} was admitted and does not exist`)
  return key
}

export function unknownKey(): Refusal {
  return refuse('not_found', 'There is no such key.')
}

/** The answer to a change that two persons make. */
export const needsSecondPerson = (): Refusal =>
  refuse(
    'second_person_required',
    'Two persons make this change: propose it with POST /v1/proposed-changes, and another person confirms it.',
  )

/** The answer to a change that was refused. Rejects with any other error. */
export function keyRefusal(error: unknown): Refusal {
  if (!(error instanceof AccessRefusal)) throw error
  const detail = `${error.message}.`
  switch (error.code) {
    case 'unknown_key':
      return unknownKey()
    case 'unknown_account':
      return refuse('not_found', 'There is no such account.')
    case 'beyond_rights':
      return refuse('scope_required', detail)
    case 'own_key':
    case 'key_revoked':
    case 'rights_changed':
      return refuse('key_conflict', detail)
    case 'invalid':
      return refuse('invalid_request', detail)
  }
}

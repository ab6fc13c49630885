/** The session as the API shows it. */
import type { Caller } from '../../access/index.js'
import type { Database } from '@cupel/postgres'
import { z } from 'zod'
import type { PersonSignIn } from './person-sign-in.js'

export interface SessionParts {
  readonly database: Database
  /** Null where no sign-in service is configured. */
  readonly signIn: PersonSignIn | null
}

export const sessionSchema = z
  .object({
    account_id: z.string(),
    key_id: z.string().describe('The key that the call counts as.'),
    livemode: z.boolean(),
    scope: z
      .string()
      .describe(
        'The rights of the key: read-only, read-write, admin or operator; each holds those before it.',
      ),
    plan: z.string().describe('The plan of the key, whose bucket the call draws from.'),
    webhook_admin: z.boolean().describe('True if webhook endpoints may be changed.'),
    actor: z
      .string()
      .nullable()
      .describe('Name of the person, where a sign-in service vouches for it; null otherwise.'),
    expires_at: z
      .string()
      .nullable()
      .describe('When the session ends at the latest; null if the call carries a key. UTC, RFC 3339.'),
  })
  .meta({ id: 'Session' })

export const newSessionSchema = sessionSchema
  .extend({ session_token: z.string().describe('The token; only this answer shows it.') })
  .meta({ id: 'NewSession' })

export type SessionDocument = z.infer<typeof sessionSchema>

export function sessionDocument(caller: Caller): SessionDocument {
  const { session } = caller
  return {
    account_id: caller.accountId,
    key_id: caller.keyId,
    livemode: caller.livemode,
    scope: caller.scope,
    plan: caller.plan,
    webhook_admin: caller.webhookAdmin,
    actor: session === null || session.actor === '' ? null : session.actor,
    expires_at: session?.expiresAt ?? null,
  }
}

export const sessionExample: SessionDocument = {
  account_id: 'acc_5f1c0a2b9d3e4f60718a',
  key_id: '8f2k1m0a',
  livemode: true,
  scope: 'read-write',
  plan: 'pro',
  webhook_admin: true,
  actor: null,
  expires_at: '2026-11-21T17:00:00.000Z',
}

/** Who can act in an account now: the keys that work, and the persons who are signed in. */
import { asFields, asTimes, type Queryable } from '@cupel/postgres'
import type { Environment, Scope } from '@cupel/domain'
import { SESSION_IDLE_MS } from './sessions.js'

export interface PresentKey {
  readonly keyId: string
  /** The first key in the chain of rotations of the key. */
  readonly holder: string
  /** As it is stored; empty if it has none. */
  readonly name: string
  readonly scope: Scope
}

type Tenant = { readonly accountId: string; readonly livemode: boolean }

/** The keys of this account and environment that are neither revoked nor expired, newest first. */
export async function presentKeys(
  database: Queryable,
  { accountId, livemode }: Tenant,
): Promise<readonly PresentKey[]> {
  return await database.query<PresentKey>(
    {
      name: 'access.present-keys',
      text: `WITH RECURSIVE line AS (
               SELECT key_id AS present, key_id, rotated_from FROM access.api_key
               WHERE account_id = $1 AND environment = $2
                 AND (revoked_at IS NULL OR revoked_at > clock_timestamp())
                 AND (expires_at IS NULL OR expires_at > clock_timestamp())
               UNION ALL SELECT line.present, k.key_id, k.rotated_from
               FROM access.api_key AS k JOIN line ON k.key_id = line.rotated_from)
             SELECT ${asFields('k.key_id, k.name, k.scope')}, line.key_id AS holder
             FROM line JOIN access.api_key AS k ON k.key_id = line.present
             WHERE line.rotated_from IS NULL ORDER BY k.issued_at DESC, k.key_id`,
    },
    [accountId, livemode ? 'live' : 'test'],
  )
}

/** A person with a session, anywhere in the installation. */
export interface PersonInShort {
  /** As it is stored. */
  readonly actor: string
  readonly keyId: string
  readonly accountId: string
  readonly environment: Environment
  readonly scope: Scope
  /** UTC, RFC 3339. */
  readonly begunAt: string
  /** When a call of the session was last admitted. */
  readonly usedAt: string
}

/** The persons with a session whose calls are admitted, the last used one first. */
export async function listSignedIn(
  database: Queryable,
  { limit }: { limit: number },
): Promise<readonly PersonInShort[]> {
  return await database.query<PersonInShort>(
    {
      name: 'access.signed-in',
      text: `SELECT ${asFields('s.actor, s.key_id, k.account_id, k.environment, k.scope')}, ${asTimes('begun_at, used_at')}
             FROM access.session AS s JOIN access.api_key AS k USING (key_id)
             WHERE s.subject <> '' AND s.expires_at > clock_timestamp()
               AND s.used_at > clock_timestamp() - $2::bigint * interval '1 millisecond'
               AND coalesce(least(k.revoked_at, k.expires_at), 'infinity') > clock_timestamp()
             ORDER BY s.used_at DESC, s.session_id LIMIT $1`,
    },
    [limit, SESSION_IDLE_MS],
  )
}

export interface SignedInPerson {
  readonly keyId: string
  readonly actor: string
  readonly subject: string
}

/** The persons with a session of this account and environment, the last used session first. */
export async function signedInPeople(
  database: Queryable,
  { accountId, livemode }: Tenant,
): Promise<readonly SignedInPerson[]> {
  return await database.query<SignedInPerson>(
    {
      name: 'access.signed-in-people',
      text: `SELECT ${asFields('s.key_id, s.actor, s.subject')} FROM access.session AS s JOIN access.api_key AS k USING (key_id)
             WHERE k.account_id = $1 AND k.environment = $2 AND s.subject <> '' AND s.expires_at > clock_timestamp()
             ORDER BY s.used_at DESC`,
    },
    [accountId, livemode ? 'live' : 'test'],
  )
}

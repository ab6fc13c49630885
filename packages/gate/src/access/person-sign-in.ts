/** The sign-in of a person asks the store two things: whether an ID token is new, and which keys the groups are mapped to. */
import type { Environment, Scope } from '@cupel/domain'
import { asFields, type Database, type Queryable } from '@cupel/postgres'

/** A key that a person may act with, as people recognise it. */
export interface SignInKey {
  readonly keyId: string
  readonly keyName: string
  readonly accountId: string
  readonly accountName: string
  readonly environment: Environment
  readonly scope: Scope
}

/** Rows that one sweep deletes. */
const SWEEP_ROWS = 1_000

/** Stores that the token was used; returns false if it was used before. From `uselessFrom` on the token has expired. */
export async function spendIdToken(
  database: Database,
  { digest, uselessFrom }: { readonly digest: Buffer; readonly uselessFrom: Date },
): Promise<boolean> {
  return await database.transaction({ at: 'access.session' }, async (transaction) => {
    const spend = `INSERT INTO access.spent_id_token (token_hash, useless_from) VALUES ($1, $2) ON CONFLICT DO NOTHING`
    return (await transaction.execute(spend, [digest, uselessFrom])) === 1
  })
}

/** Deletes a bounded number of expired notes; returns how many. */
export async function forgetSpentIdTokens(database: Queryable): Promise<number> {
  return await database.execute(
    `DELETE FROM access.spent_id_token WHERE token_hash = ANY (ARRAY(
       SELECT token_hash FROM access.spent_id_token WHERE useless_from <= clock_timestamp() - interval '1 hour'
       LIMIT $1 FOR UPDATE SKIP LOCKED))`,
    [SWEEP_ROWS],
  )
}

/**
 * The usable ones of the named keys, in the given order, each once. A rotated key is replaced by its newest successor, so that a rotation
 * changes no settings.
 */
export async function signInKeys(
  database: Queryable,
  keyIds: readonly string[],
): Promise<readonly SignInKey[]> {
  return await database.query<SignInKey>(
    {
      name: 'access.sign-in-keys',
      text: `WITH RECURSIVE line AS (
               SELECT named.place, k.key_id FROM unnest($1::text[]) WITH ORDINALITY AS named (key_id, place)
               JOIN access.api_key AS k USING (key_id)
               UNION ALL
               SELECT line.place, k.key_id FROM access.api_key AS k JOIN line ON k.rotated_from = line.key_id),
             newest AS (
               SELECT DISTINCT ON (line.place) line.place, k.* FROM line JOIN access.api_key AS k USING (key_id)
               WHERE (k.revoked_at IS NULL OR k.revoked_at > clock_timestamp())
                 AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
               ORDER BY line.place, k.issued_at DESC, k.key_id)
             SELECT ${asFields('k.key_id, k.account_id, k.environment, k.scope')}, k.name AS "keyName", a.name AS "accountName"
             FROM newest AS k JOIN access.account AS a USING (account_id)
             WHERE k.place = (SELECT min(place) FROM newest AS one WHERE one.key_id = k.key_id)
             ORDER BY k.place`,
    },
    [keyIds],
  )
}

import type { Queryable } from '@cupel/postgres'

/** The first key in the chain of rotations of this key. The keys of one chain have one holder. An unknown key is its own holder. */
export async function keyHolder(database: Queryable, keyId: string): Promise<string> {
  const [row] = await database.query<{ keyId: string }>(
    {
      name: 'access.key-holder',
      text: `WITH RECURSIVE line AS (
               SELECT key_id, rotated_from FROM access.api_key WHERE key_id = $1
               UNION ALL SELECT k.key_id, k.rotated_from FROM access.api_key AS k JOIN line ON k.key_id = line.rotated_from)
             SELECT key_id AS "keyId" FROM line WHERE rotated_from IS NULL`,
    },
    [keyId],
  )
  return row?.keyId ?? keyId
}

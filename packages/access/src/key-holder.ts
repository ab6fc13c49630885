import type { Queryable } from '@cupel/postgres'

/** The first key of the line of rotations that a key is in. Keys of one line have one holder. Unknown keys are their own. */
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

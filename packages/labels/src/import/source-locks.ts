/**
 * One import at a time per source, and per authority for all its source names: two imports that compare against the same state would
 * together give a wrong result.
 */
import { authorityOriginOf } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'

const LOCK_PREFIX = 'cupel.label-import/'

/**
 * Takes the locks of the sources on this connection, until it ends or `releaseSources` is called. The order is always the same, so that two
 * imports of several sources do not wait for each other.
 */
export async function lockSources(
  connection: Queryable,
  sources: readonly string[],
  onWait: () => void,
): Promise<void> {
  for (const lock of locksOf(sources)) {
    const [tried] = await connection.query<{ locked: boolean }>(
      'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked',
      [lock],
    )
    if (tried?.locked === true) continue
    onWait()
    await connection.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [lock])
  }
}

const locksOf = (sources: readonly string[]): readonly string[] =>
  [...new Set(sources.map((source) => LOCK_PREFIX + (authorityOriginOf(source) ?? source)))].sort()

/** Rejects if the connection was lost, and with it the locks. */
export async function requireLocks(connection: Queryable): Promise<void> {
  await connection.query('SELECT 1')
}

export async function releaseSources(connection: Queryable, sources: readonly string[]): Promise<void> {
  for (const lock of locksOf(sources)) {
    await connection.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [lock])
  }
}

/** What makes this installation's report ids its own: the key of their permutation and the numbers not yet used. */
import type { Queryable } from '@cupel/postgres'

/** The 32-byte key of the report id permutation. */
export async function loadReportIdKey(database: Queryable): Promise<Uint8Array> {
  const [row] = await database.query<{ report_id_key: Buffer }>(
    'SELECT report_id_key FROM access.installation',
  )
  if (row === undefined) throw new Error('access.installation is empty: the migrations of access did not run')
  return new Uint8Array(row.report_id_key)
}

/** Takes `count` report numbers that nobody else gets, whatever crashes; returns the first of them. */
export async function takeReportNumbers(database: Queryable, count: number): Promise<number> {
  const [row] = await database.query<{ first: number }>(
    'UPDATE access.report_number SET next = next + $1 RETURNING next - $1 AS first',
    [count],
  )
  if (row === undefined)
    throw new Error('access.report_number is empty: the migrations of access did not run')
  return row.first
}

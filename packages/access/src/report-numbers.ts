import type { Queryable } from '@cupel/postgres'

/** Reserves `count` consecutive report numbers and returns the first. No number is returned twice, whatever crashes. */
export async function takeReportNumbers(database: Queryable, count: number): Promise<number> {
  const [row] = await database.query<{ first: number }>(
    'UPDATE access.report_number SET next = next + $1 RETURNING next - $1 AS first',
    [count],
  )
  if (row === undefined)
    throw new Error('access.report_number is empty: the migrations of access did not run')
  return row.first
}

/** Compares two sets of tables by digests, without moving their rows. */
import type { Queryable } from '@cupel/postgres'
import type { ReadModel } from './read-model.js'

export interface TableDigest {
  readonly table: string
  readonly rows: number
  /** Sum of the rows' hashes: independent of their order. */
  readonly digest: string
}

export interface TableComparison {
  readonly table: string
  readonly rowsBefore: number
  readonly rowsAfter: number
  readonly isEqual: boolean
}

export async function digestTables(
  transaction: Queryable,
  readModel: ReadModel,
  schema: string,
): Promise<TableDigest[]> {
  await transaction.query('SET LOCAL statement_timeout = 0')
  const digests: TableDigest[] = []
  for (const table of readModel.tables) {
    if (!(await tableExists(transaction, schema, table))) continue
    const [row] = await transaction.query<{ rows: number; digest: string }>(
      `SELECT count(*) AS rows, coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)::text AS digest
       FROM ${schema}.${table} t`,
    )
    digests.push({ table, rows: row?.rows ?? 0, digest: row?.digest ?? '' })
  }
  return digests
}

/** A table that only one side has counts as empty on the other side, and is never equal. */
export function compareTables(
  before: readonly TableDigest[],
  after: readonly TableDigest[],
): TableComparison[] {
  const tables = [...new Set([...before, ...after].map((digest) => digest.table))]
  return tables.map((table) => {
    const old = before.find((digest) => digest.table === table)
    const fresh = after.find((digest) => digest.table === table)
    return {
      table,
      rowsBefore: old?.rows ?? 0,
      rowsAfter: fresh?.rows ?? 0,
      isEqual:
        old !== undefined && fresh !== undefined && old.rows === fresh.rows && old.digest === fresh.digest,
    }
  })
}

async function tableExists(transaction: Queryable, schema: string, table: string): Promise<boolean> {
  const rows = await transaction.query('SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = $2', [
    schema,
    table,
  ])
  return rows.length > 0
}

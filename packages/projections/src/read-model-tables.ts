/** Creates the tables of read models, and detects tables that were made from another definition than the one in the code. */
import { createHash } from 'node:crypto'
import type { Database, Queryable } from '@cupel/postgres'
import { readModelGroup, type ReadModel } from './read-model.js'
import { ensureWallRoles, raiseTenantWalls } from './tenant-walls.js'

const INSTALL_LOCK = 'cupel.read-models'

/** Creates the schemas that are missing. Safe to call from several processes at once, and again on every start. */
export async function installReadModels(database: Database, readModels: readonly ReadModel[]): Promise<void> {
  await database.transaction({ at: 'projector.install-tables' }, async (transaction) => {
    await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [INSTALL_LOCK])
    for (const readModel of readModels) {
      if (await schemaExists(transaction, readModel.schema)) {
        await createIndexes(transaction, readModel, readModel.schema)
        await ensureWallRoles(transaction)
        await raiseTenantWalls(transaction, readModel.schema)
        continue
      }
      await createReadModelSchema(transaction, readModel, readModel.schema)
      await recordDefinition(transaction, readModel)
      // The new tables are empty: checkpoints of an earlier schema of this name do not apply to them.
      await transaction.execute('DELETE FROM projection.checkpoint WHERE group_name = $1', [
        readModelGroup(readModel),
      ])
    }
  })
}

/** Creates the read model's tables in a schema of the given name. */
export async function createReadModelSchema(
  transaction: Queryable,
  readModel: ReadModel,
  schema: string,
): Promise<void> {
  await transaction.query(`CREATE SCHEMA ${schema}`)
  await transaction.query(`SET LOCAL search_path TO ${schema}`)
  await transaction.query(readModel.definition)
  await transaction.query('SET LOCAL search_path TO DEFAULT')
  await createIndexes(transaction, readModel, schema)
  // A rebuild may run before the first start, on a database restored without its roles.
  await ensureWallRoles(transaction)
  await raiseTenantWalls(transaction, schema)
}

/** Tables that nobody keeps: nothing of them is written to the log of the database. */
export async function leaveUnlogged(
  transaction: Queryable,
  { tables }: ReadModel,
  schema: string,
): Promise<void> {
  for (const table of tables) await transaction.query(`ALTER TABLE ${schema}.${table} SET UNLOGGED`)
}

/** Gives everybody the rights on the tables of a schema that they have on the tables of the same names in another one. */
export async function carryRights(
  transaction: Queryable,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const grants = await transaction.query<{ text: string }>(CARRIED_RIGHTS, [from, to])
  for (const { text } of grants) await transaction.query(text)
}

const CARRIED_RIGHTS = `
  SELECT format('GRANT USAGE ON SCHEMA %I TO %I', $2::text, g.rolname) AS text
  FROM pg_namespace AS n, aclexplode(n.nspacl) AS a JOIN pg_roles AS g ON g.oid = a.grantee
  WHERE n.nspname = $1 AND a.grantee <> n.nspowner AND a.privilege_type = 'USAGE'
  UNION ALL
  SELECT format('GRANT %s ON %I.%I TO %I', a.privilege_type, $2::text, c.relname, g.rolname)
  FROM pg_class AS c, aclexplode(c.relacl) AS a JOIN pg_roles AS g ON g.oid = a.grantee
  WHERE c.relnamespace = $1::regnamespace AND a.grantee <> c.relowner
    AND EXISTS (SELECT FROM pg_class AS t WHERE t.relnamespace = $2::regnamespace AND t.relname = c.relname AND t.relkind = 'r')`

async function createIndexes(
  transaction: Queryable,
  { indexes = [] }: ReadModel,
  schema: string,
): Promise<void> {
  const missing: string[] = []
  for (const index of indexes) if (!(await indexExists(transaction, schema, index))) missing.push(index)
  if (missing.length === 0) return
  await transaction.query(`SET LOCAL search_path TO ${schema}`)
  for (const index of missing) await transaction.query(index)
  await transaction.query('SET LOCAL search_path TO DEFAULT')
}

/** Checked first, because only the owner of a table may create its indexes, even if they exist. */
async function indexExists(transaction: Queryable, schema: string, index: string): Promise<boolean> {
  const name = /INDEX IF NOT EXISTS (\w+)/.exec(index)?.[1]
  if (name === undefined) return false
  const [row] = await transaction.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [
    `${schema}.${name}`,
  ])
  return row!.exists
}

/** Updates the statistics for query plans. Existing plans are made again, including those of prepared statements. */
export async function analyzeTables(
  database: Queryable,
  readModel: ReadModel,
  schema: string,
): Promise<void> {
  await database.query(`ANALYZE ${readModel.tables.map((table) => `${schema}.${table}`).join(', ')}`)
}

/** Records the definition from which the live tables were made. */
export async function recordDefinition(transaction: Queryable, readModel: ReadModel): Promise<void> {
  await transaction.query(
    `INSERT INTO projection.read_model (name, schema_name, definition_sha256) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO UPDATE SET schema_name = excluded.schema_name, definition_sha256 = excluded.definition_sha256`,
    [readModel.name, readModel.schema, definitionSha256(readModel)],
  )
}

export async function schemaExists(database: Queryable, schema: string): Promise<boolean> {
  const rows = await database.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema])
  return rows.length > 0
}

// One statement for both questions, because a projector asks them in every transaction.
const DEFINITION = {
  name: 'projection.definition',
  text: `SELECT m.definition_sha256 AS sha256
         FROM pg_namespace n LEFT JOIN projection.read_model m ON m.name = $1 WHERE n.nspname = $2`,
}

/** Whether the live tables were made from the definition in the code; `null` if there are none, also in a database without any. */
export async function hasCurrentDefinition(
  database: Queryable,
  readModel: ReadModel,
): Promise<boolean | null> {
  return (await schemaExists(database, readModel.schema)) ? await hasCurrentTables(database, readModel) : null
}

/** As hasCurrentDefinition, in an installed database. */
export async function hasCurrentTables(database: Queryable, readModel: ReadModel): Promise<boolean | null> {
  const [schema] = await database.query<{ sha256: string | null }>(DEFINITION, [
    readModel.name,
    readModel.schema,
  ])
  return schema === undefined ? null : schema.sha256 === definitionSha256(readModel)
}

const definitions = new WeakMap<ReadModel, string>()

/** Needed in every transaction of a projector, so it is computed once. */
export function definitionSha256(readModel: ReadModel): string {
  let sha256 = definitions.get(readModel)
  if (sha256 === undefined) {
    sha256 = createHash('sha256').update(`${readModel.version}\n${readModel.definition}`).digest('hex')
    definitions.set(readModel, sha256)
  }
  return sha256
}

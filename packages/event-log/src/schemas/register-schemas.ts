/** The registration job: registers every schema, and copies all versions into the table that services read. */
import { eventSchemas, type Logger } from '@cupel/contracts'
import type { Database, Queryable } from '@cupel/postgres'
import { binaryForm, schemaSha256 } from './avro.js'
import type { CatalogRow } from './schema-catalog.js'
import type { RegisteredSchema, SchemaRegistry } from './schema-registry.js'

export interface RegisterSchemasOptions {
  readonly database: Database
  readonly registry: SchemaRegistry
  readonly logger?: Logger | undefined
}

/**
 * Registers the schema of every event under FULL_TRANSITIVE and copies all versions the registry knows, so that records of earlier releases
 * can be decoded. A second run changes nothing. If it rejects with IncompatibleSchemaError, the table is unchanged.
 */
export async function registerSchemas({ database, registry, logger }: RegisterSchemasOptions): Promise<void> {
  const registered: { subject: string; versions: readonly RegisteredSchema[] }[] = []
  for (const { subject, schema } of Object.values(eventSchemas)) {
    const id = await registry.register(subject, schema)
    const versions = await registry.versions(subject)
    if (!versions.some((version) => version.id === id))
      throw new Error(`The registry gave schema ${id} for ${subject} and does not list it among its versions`)
    registered.push({ subject, versions: withOwnText(versions, id, schema) })
  }
  await database.transaction({ at: 'schemas.register' }, async (transaction) => {
    for (const { subject, versions } of registered) await storeVersions(transaction, subject, versions)
  })
  logger?.info({ subjects: registered.length }, 'Schemas are registered')
}

/** A registry may return a schema in another notation; a service looks up its built-in text. */
function withOwnText(
  versions: readonly RegisteredSchema[],
  id: number,
  schema: string,
): readonly RegisteredSchema[] {
  return versions.map((version) => (version.id === id ? { ...version, schema } : version))
}

/** Adds the missing versions. Throws if an id already stands for another schema. */
export async function storeVersions(
  transaction: Queryable,
  subject: string,
  versions: readonly RegisteredSchema[],
): Promise<void> {
  for (const { id, version, schema } of versions) {
    const added = await transaction.execute(
      'INSERT INTO log.schema (id, definition) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING',
      [id, schema],
    )
    if (added === 0) await refuseExchanged(transaction, subject, { id, version, schema })
    await transaction.execute(
      `INSERT INTO log.schema_version (subject, version, schema_id, sha256) VALUES ($1, $2, $3, $4)
       ON CONFLICT (subject, sha256) DO UPDATE SET version = excluded.version, schema_id = excluded.schema_id`,
      [subject, version, id, schemaSha256(schema)],
    )
  }
}

/** Records with this id exist: another schema would decode them wrongly. */
async function refuseExchanged(
  transaction: Queryable,
  subject: string,
  { id, schema }: RegisteredSchema,
): Promise<void> {
  const [known] = await transaction.query<{ definition: string }>(
    'SELECT definition FROM log.schema WHERE id = $1',
    [id],
  )
  if (known !== undefined && binaryForm(known.definition) === binaryForm(schema)) return
  throw new Error(
    `Schema ${id} of ${subject} is not the one this database holds under that id: it belongs to another registry`,
  )
}

/** Replaces all schemas with those of another log. Only allowed while no record names one of the replaced schemas. */
export async function replaceCatalogRows(database: Database, rows: readonly CatalogRow[]): Promise<void> {
  await database.transaction({ at: 'schemas.register' }, async (transaction) => {
    await transaction.execute('DELETE FROM log.schema_version')
    await transaction.execute('DELETE FROM log.schema')
    for (const row of rows) await addRow(transaction, row)
  })
}

/**
 * Adds schemas from a copy of the log, with their ids; existing ones stay. Throws if an id stands for another schema here: the records of
 * the copy could not be read.
 */
export async function addCatalogRows(database: Database, rows: readonly CatalogRow[]): Promise<void> {
  await database.transaction({ at: 'schemas.register' }, async (transaction) => {
    for (const row of rows) await addRow(transaction, row)
  })
}

async function addRow(
  transaction: Queryable,
  { subject, id, definition: schema }: CatalogRow,
): Promise<void> {
  const [known] = await transaction.query<{ version: number; isHere: boolean }>(
    `SELECT coalesce(max(version), 0) AS version, coalesce(bool_or(sha256 = $2), false) AS "isHere"
     FROM log.schema_version WHERE subject = $1`,
    [subject, schemaSha256(schema)],
  )
  if (known!.isHere) await refuseOtherId(transaction, subject, { id, schema })
  else await storeVersions(transaction, subject, [{ id, version: known!.version + 1, schema }])
}

/** The codec writes a schema under one id: a second one would change the meaning of later records. */
async function refuseOtherId(
  transaction: Queryable,
  subject: string,
  { id, schema }: Omit<RegisteredSchema, 'version'>,
): Promise<void> {
  const [row] = await transaction.query<{ id: number }>(
    'SELECT schema_id AS id FROM log.schema_version WHERE subject = $1 AND sha256 = $2',
    [subject, schemaSha256(schema)],
  )
  if (row?.id === id) return
  throw new Error(
    `The schema of ${subject} has the id ${row?.id} in this database, and ${id} in the records: they belong to another registry`,
  )
}

/** The registration job: registers every schema, and copies all versions into the table that services read. */
import { eventSchemas, type Logger } from '@cupel/contracts'
import type { Database, Queryable } from '@cupel/postgres'
import { binaryForm, schemaSha256 } from './avro.js'
import type { CatalogRow } from './schema-catalog.js'
import type { RegisteredSchema, RegisteredSubject, SchemaRegistry } from './schema-registry.js'

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
  const registered = await registry.register(Object.values(eventSchemas))
  const versions = registered.flatMap((one) => subjectVersions(one))
  await database.transaction({ at: 'schemas.register' }, (transaction) =>
    storeVersions(transaction, versions),
  )
  logger?.info({ subjects: registered.length }, 'Schemas are registered')
}

/** A registry may return a schema in another notation; a service looks up its built-in text. */
function subjectVersions({ subject, schema, id, versions }: RegisteredSubject): SubjectVersion[] {
  if (!versions.some((version) => version.id === id))
    throw new Error(`The registry gave schema ${id} for ${subject} and does not list it among its versions`)
  return versions.map((version) => ({ subject, ...version, ...(version.id === id ? { schema } : {}) }))
}

/** A version of a subject. */
export interface SubjectVersion extends RegisteredSchema {
  readonly subject: string
}

/** Adds the missing versions. Throws if an id already stands for another schema. */
export async function storeVersions(
  transaction: Queryable,
  versions: readonly SubjectVersion[],
): Promise<void> {
  if (versions.length === 0) return
  await storeDefinitions(transaction, new Map(versions.map((version) => [version.id, version])))
  // A registry may list a deleted version and a later one with the same schema: the later one counts.
  const rows = [
    ...new Map(
      versions.map((version) => {
        const sha256 = schemaSha256(version.schema)
        return [`${version.subject} ${sha256}`, { ...version, sha256 }]
      }),
    ).values(),
  ]
  await transaction.execute(
    `INSERT INTO log.schema_version (subject, version, schema_id, sha256)
     SELECT * FROM unnest($1::text[], $2::int[], $3::int[], $4::text[])
     ON CONFLICT (subject, sha256) DO UPDATE SET version = excluded.version, schema_id = excluded.schema_id
     WHERE (schema_version.version, schema_version.schema_id) <> (excluded.version, excluded.schema_id)`,
    [
      rows.map(({ subject }) => subject),
      rows.map(({ version }) => version),
      rows.map(({ id }) => id),
      rows.map(({ sha256 }) => sha256),
    ],
  )
}

/** Records with these ids exist: another schema would decode them wrongly. */
async function storeDefinitions(
  transaction: Queryable,
  versions: ReadonlyMap<number, SubjectVersion>,
): Promise<void> {
  const ids = [...versions.keys()]
  const added = await transaction.query<{ id: number }>(
    `INSERT INTO log.schema (id, definition) SELECT * FROM unnest($1::int[], $2::text[])
     ON CONFLICT (id) DO NOTHING RETURNING id`,
    [ids, ids.map((id) => versions.get(id)!.schema)],
  )
  if (added.length === ids.length) return
  const known = await transaction.query<{ id: number; definition: string }>(
    'SELECT id, definition FROM log.schema WHERE id = ANY ($1)',
    [ids],
  )
  for (const { id, definition } of known) {
    const { schema, subject } = versions.get(id)!
    if (definition === schema || binaryForm(definition) === binaryForm(schema)) continue
    throw new Error(
      `Schema ${id} of ${subject} is not the one this database holds under that id: it belongs to another registry`,
    )
  }
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
  else await storeVersions(transaction, [{ subject, id, version: known!.version + 1, schema }])
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

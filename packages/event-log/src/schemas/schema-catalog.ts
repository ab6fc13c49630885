/** The schemas that the registration job wrote into the database, as a copy in memory. */
import type { Database, Queryable } from '@cupel/postgres'
import { schemaSha256 } from './avro.js'

export interface SchemaCatalog {
  /** The id of exactly this schema for the subject; undefined if it is not registered. */
  idOf(subject: string, schema: string): number | undefined
  /** The schema of payloads with this id; undefined if it is not known yet. */
  schemaOf(id: number): string | undefined
  /** Reads the table again: a newer release may have registered schemas since. Concurrent calls share one read. */
  refresh(): Promise<void>
}

/** One version of a subject, with its schema. */
export interface CatalogRow {
  readonly subject: string
  readonly sha256: string
  readonly id: number
  readonly definition: string
}

/** Every schema that was ever registered. */
export async function readCatalogRows(database: Queryable): Promise<readonly CatalogRow[]> {
  return await database.query<CatalogRow & Record<string, unknown>>(
    `SELECT v.subject, v.sha256, s.id, s.definition FROM log.schema_version v JOIN log.schema s ON s.id = v.schema_id
     ORDER BY s.id, v.subject`,
  )
}

export async function loadSchemaCatalog(database: Database): Promise<SchemaCatalog> {
  const ids = new Map<string, number>()
  const schemas = new Map<number, string>()
  let refreshing: Promise<void> | null = null

  async function read(): Promise<void> {
    for (const { subject, sha256, id, definition } of await readCatalogRows(database)) {
      ids.set(`${subject} ${sha256}`, id)
      schemas.set(id, definition)
    }
  }

  const catalog: SchemaCatalog = {
    idOf: (subject, schema) => ids.get(`${subject} ${schemaSha256(schema)}`),
    schemaOf: (id) => schemas.get(id),
    refresh: () => (refreshing ??= read().finally(() => (refreshing = null))),
  }
  await catalog.refresh()
  return catalog
}

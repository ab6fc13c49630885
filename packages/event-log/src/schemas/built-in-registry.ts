/** A schema registry in the database, for installations without one: the same rules, and ids from the database. */
import type { Database, Queryable } from '@cupel/postgres'
import { avroType, schemaSha256, unreadable, type AvroType } from './avro.js'
import { storeVersions, type SubjectVersion } from './register-schemas.js'
import {
  IncompatibleSchemaError,
  type RegisteredSchema,
  type RegisteredSubject,
  type SchemaRegistry,
} from './schema-registry.js'

const LOCK = 'cupel.schemas'

export function builtInRegistry(database: Database): SchemaRegistry {
  return {
    subjects: () => subjectsOf(database),
    versions: async (subject) => (await versionsOf(database, [subject])).get(subject) ?? [],
    register: (schemas) =>
      database.transaction({ at: 'schemas.register' }, async (transaction) => {
        await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [LOCK])
        const known = await versionsOf(
          transaction,
          schemas.map(({ subject }) => subject),
        )
        let nextId = await nextIdOf(transaction)
        const added: SubjectVersion[] = []
        const registered = schemas.map(({ subject, schema }): RegisteredSubject => {
          const versions = known.get(subject) ?? []
          const sha256 = schemaSha256(schema)
          const found = versions.find((version) => version.sha256 === sha256)
          if (found !== undefined) return { subject, schema, id: found.id, versions }
          refuseIncompatible(subject, schema, versions)
          const version = { id: nextId, version: (versions.at(-1)?.version ?? 0) + 1, schema }
          nextId += 1
          added.push({ subject, ...version })
          return { subject, schema, id: version.id, versions: [...versions, version] }
        })
        await storeVersions(transaction, added)
        return registered
      }),
  }
}

interface StoredSchema extends RegisteredSchema {
  readonly sha256: string
}

async function subjectsOf(database: Queryable): Promise<readonly string[]> {
  const rows = await database.query<{ subject: string }>(
    'SELECT DISTINCT subject FROM log.schema_version ORDER BY subject',
  )
  return rows.map(({ subject }) => subject)
}

/** Every version of the subjects, oldest first, by subject. */
async function versionsOf(
  database: Queryable,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredSchema[]>> {
  const rows = await database.query<StoredSchema & { subject: string } & Record<string, unknown>>(
    `SELECT v.subject, s.id, v.version, v.sha256, s.definition AS schema
     FROM log.schema_version v JOIN log.schema s ON s.id = v.schema_id
     WHERE v.subject = ANY ($1) ORDER BY v.subject, v.version`,
    [subjects],
  )
  const versions = new Map<string, StoredSchema[]>()
  for (const { subject, ...version } of rows) {
    const earlier = versions.get(subject)
    if (earlier === undefined) versions.set(subject, [version])
    else earlier.push(version)
  }
  return versions
}

async function nextIdOf(database: Queryable): Promise<number> {
  const [row] = await database.query<{ id: number }>('SELECT coalesce(max(id), 0) + 1 AS id FROM log.schema')
  return row!.id
}

/** FULL_TRANSITIVE: every version can read the data of every other version. */
function refuseIncompatible(subject: string, schema: string, versions: readonly RegisteredSchema[]): void {
  const newer = parsed(subject, schema)
  for (const { version, schema: earlier } of versions) {
    const older = avroType(earlier)
    const backward = unreadable(newer, older)
    if (backward !== null) {
      throw new IncompatibleSchemaError(
        subject,
        `The changed schema of ${subject} cannot read records of version ${version}: ${backward}.`,
      )
    }
    const forward = unreadable(older, newer)
    if (forward !== null) {
      throw new IncompatibleSchemaError(
        subject,
        `Readers of version ${version} of ${subject} could not read records of the changed schema: ${forward}.`,
      )
    }
  }
}

function parsed(subject: string, schema: string): AvroType {
  try {
    return avroType(schema)
  } catch (cause) {
    const because = cause instanceof Error ? cause.message : String(cause)
    throw new IncompatibleSchemaError(subject, `The schema of ${subject} is not valid Avro: ${because}.`, {
      cause,
    })
  }
}

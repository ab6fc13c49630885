/** A schema registry in the database, for installations without one: the same rules, and ids from the database. */
import type { Database, Queryable } from '@cupel/postgres'
import { avroType, schemaSha256, unreadable, type AvroType } from './avro.js'
import { storeVersions } from './register-schemas.js'
import { IncompatibleSchemaError, type RegisteredSchema, type SchemaRegistry } from './schema-registry.js'

const LOCK = 'cupel.schemas'

export function builtInRegistry(database: Database): SchemaRegistry {
  return {
    versions: (subject) => versionsOf(database, subject),
    register: (subject, schema) =>
      database.transaction({ at: 'schemas.register' }, async (transaction) => {
        await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [LOCK])
        const versions = await versionsOf(transaction, subject)
        const sha256 = schemaSha256(schema)
        const known = versions.find((version) => schemaSha256(version.schema) === sha256)
        if (known !== undefined) return known.id
        refuseIncompatible(subject, schema, versions)
        const [next] = await transaction.query<{ id: number }>(
          'SELECT coalesce(max(id), 0) + 1 AS id FROM log.schema',
        )
        const version = (versions.at(-1)?.version ?? 0) + 1
        await storeVersions(transaction, subject, [{ id: next!.id, version, schema }])
        return next!.id
      }),
  }
}

async function versionsOf(database: Queryable, subject: string): Promise<RegisteredSchema[]> {
  return await database.query<RegisteredSchema & Record<string, unknown>>(
    `SELECT s.id, v.version, s.definition AS schema FROM log.schema_version v JOIN log.schema s ON s.id = v.schema_id
     WHERE v.subject = $1 ORDER BY v.version`,
    [subject],
  )
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

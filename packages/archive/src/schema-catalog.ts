/** The schemas that an archive holds, as a catalog for the event codec. */
import { schemaSha256, type SchemaCatalog } from '@cupel/event-log'
import type { ArchiveContents } from './read-archive.js'

/** No record has this id: ids of registries are positive. */
const NO_RECORD = -1

/** If the archive lacks a schema of this release, none of its records was written with it. */
export function archiveCatalog({ schemas, versions }: ArchiveContents): SchemaCatalog {
  const ids = new Map(versions.map(({ subject, sha256, schemaId }) => [`${subject} ${sha256}`, schemaId]))
  return {
    idOf: (subject, schema) => ids.get(`${subject} ${schemaSha256(schema)}`) ?? NO_RECORD,
    schemaOf: (id) => schemas.get(id),
    refresh: () => Promise.resolve(),
  }
}

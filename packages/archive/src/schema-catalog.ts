/** The schemas that an archive holds, as the codec of events takes them. */
import { schemaSha256, type SchemaCatalog } from '@cupel/event-log'
import type { ArchiveContents } from './read-archive.js'

/** No record has it: ids of registries are positive. */
const NO_RECORD = -1

/** A schema of this release that the archive does not have wrote none of its records. */
export function archiveCatalog({ schemas, versions }: ArchiveContents): SchemaCatalog {
  const ids = new Map(versions.map(({ subject, sha256, schemaId }) => [`${subject} ${sha256}`, schemaId]))
  return {
    idOf: (subject, schema) => ids.get(`${subject} ${schemaSha256(schema)}`) ?? NO_RECORD,
    schemaOf: (id) => schemas.get(id),
    refresh: () => Promise.resolve(),
  }
}

/** Archives of the log: segments, signed manifests, and a log that reads from them (docs/adr/0367). */
export { openArchiveLog, type ArchiveLogOptions } from './archive-log.js'
export { createArchive, type Created, type CreateOptions, type SegmentLimits } from './create-archive.js'
export { openFolderStore } from './folder-store.js'
export type {
  ArchivedSchema,
  ArchivedTree,
  ArchivedSchemaVersion,
  RequiredRange,
  Required,
  Segment,
} from './format/manifest.js'
export { exportParquet, UNDECODED, type ExportedParquet } from './parquet/export-parquet.js'
export { readArchiveFiles, type ArchiveFiles } from './read-files.js'
export { readManifests, unnamedFiles, type ArchiveContents, type ArchiveFault } from './read-archive.js'
export { requirementOf } from './requirement.js'
export { restoreArchive, type RestoreArchiveOptions, type RestoredArchive } from './restore-archive.js'
export { archiveCatalog } from './schema-catalog.js'
export { isS3Address } from './s3/s3-address.js'
export type { S3Connection, S3Credentials } from './s3/s3-call.js'
export { StoreRefusedError, StoreUnavailableError } from './s3/s3-errors.js'
export { openS3Store, type S3StoreOptions } from './s3/s3-store.js'
export { ArchiveError, ArchiveInUseError, type ArchiveStore, type Draft } from './store.js'

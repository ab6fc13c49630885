export * from './authentic/index.js'
export * from './port.js'
export {
  appendDeadLetter,
  deadLetterGroups,
  deadLetterTopic,
  installationTopics,
  FORGED_RECORD,
  listDeadLetters,
  resolutionsOf,
  restoreRecord,
  type DeadLetter,
} from './dead-letters.js'
export { createEventCodec, UndecodableRecordError, type EventCodec, type FieldOf } from './event-codec.js'
export { eventsOf, readable } from './events-of.js'
export { GENESIS_TOPIC } from './genesis.js'
export { keyPartition } from './key-partition.js'
export { endsOf, lastRecord, placeOf, placesOf, rangeOf, rangesOf, scan } from './scan.js'
export { missingFront, requireFront } from './missing-front.js'
export type { LogCopy } from './follow-front.js'
export { withFront } from './with-front.js'
export { eventLogMigrations } from './migrations.js'
export {
  beginRestoration,
  endRestoration,
  findRestoration,
  markRestorationWhole,
  restorationSentence,
} from './restoration.js'
export { builtInRegistry } from './schemas/built-in-registry.js'
export { addCatalogRows, registerSchemas, replaceCatalogRows } from './schemas/register-schemas.js'
export { schemaSha256 } from './schemas/avro.js'
export {
  loadSchemaCatalog,
  readCatalogRows,
  type CatalogRow,
  type SchemaCatalog,
} from './schemas/schema-catalog.js'
export { IncompatibleSchemaError, type SchemaRegistry } from './schemas/schema-registry.js'

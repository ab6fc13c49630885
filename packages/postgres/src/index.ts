export { asFields, asTimes, timeText } from './columns-as-fields.js'
export { copyLine, type BinaryRow } from './copy.js'
export { databasePeer, type DatabasePeer } from './database-peer.js'
export {
  openDatabase,
  UNNAMED,
  type Database,
  type DatabaseOptions,
  type Queryable,
  type Row,
  type Statement,
  type Transaction,
  type TransactionOptions,
} from './database.js'
export { listen, type ListeningConnection } from './listen.js'
export { isUnavailable, sqlState } from './errors.js'
export type { StatementScope } from './scoped-query.js'
export { greatestFirst, mergedRanges } from './merged-ranges.js'
export {
  migrate,
  pendingMigrations,
  readMigrations,
  type Migration,
  type MigrationSource,
} from './migrate.js'

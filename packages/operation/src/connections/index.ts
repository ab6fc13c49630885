export { certainSkewMs, measureClock, startInstallationClock } from './clock/installation-clock.js'
export { databaseRights, historyRights, type DatabaseRights, type Verb } from './generated/database-rights.js'
export { withArchivedFront } from './archived-front.js'
export { kafkaAccess } from './kafka-access.js'
export { openSignedLog } from './open-signed-log.js'
export { acceptsFault } from './require-topics.js'
export {
  logServices,
  optionalServices,
  serviceAccess,
  type AnyService,
  type LogService,
} from './service-access.js'
export { connectService, recordKeysOf, requireVerifiedConnections } from './connect-service.js'
export { watchDatabaseSize } from './watch-database-size.js'

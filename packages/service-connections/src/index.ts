export {
  certainSkewMs,
  measureClock,
  startInstallationClock,
  type ClockDifference,
  type InstallationClock,
} from './clock/installation-clock.js'
export { databaseRights, type DatabaseRights, type Verb } from './generated/database-rights.js'
export { kafkaAccess } from './kafka-access.js'
export { openSignedLog } from './open-signed-log.js'
export type { RecordSigningConfig } from '@cupel/transparency'
export { acceptsFault } from './require-topics.js'
export { logServices, serviceAccess, type LogAccess, type LogService } from './service-access.js'
export {
  connectService,
  recordKeysOf,
  requireVerifiedConnections,
  type Connections,
  type ConnectOptions,
} from './connect-service.js'

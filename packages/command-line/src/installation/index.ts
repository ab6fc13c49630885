export { type ReadArchive, archiveJson, archiveLines, readArchive, treeText } from './archive/archive-text.js'
export { NoArchiveError, openArchive, refusedArchive } from './archive/open-archive.js'
export { archivePlace, openStore } from './archive/open-store.js'
export { primaryTables } from './features.js'
export { type Connections, openLog } from './connect.js'
export {
  NoInstallationError,
  PRIVATE,
  connectionSettings,
  isServed,
  withConfig,
  withConnections,
} from './connections.js'
export {
  type ComparedWith,
  comparedWith,
  installationEvidence,
  publishedAt,
  refusedEvidence,
} from './evidence.js'
export {
  publicRights,
  rightsChanges,
  rightsOf,
  sentencesOf,
  settleRights,
  takeableRights,
} from './install/database-rights.js'
export { loadCodec, migrationSources, prepareDatabase, prepareLog } from './install/foundation.js'
export { type ServiceLogin, ensureLogin, roleState, serviceLogins } from './install/service-role.js'
export { operator } from './operator.js'
export { readPublicKeys } from './public-keys.js'
export { homePersonalDataKeys, homeRecordKeys } from './record-keys-file.js'
export { parseBrokers, requireBrokers } from './stack/run-kafka.js'
export { type Stack, openPool, startStack } from './stack/stack.js'
export { stillRunning } from './still-running.js'
export { requiredReason } from './required-reason.js'
export { ensureDefaultPolicy } from './default-policy.js'
export { probeReadiness } from './probe-readiness.js'
export { renewReadModels } from './renew-read-models.js'

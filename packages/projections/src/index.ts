export { projectionsMigrations } from './migrations.js'
export { advanceCheckpoints, loadCheckpoint, type CheckpointMove } from './checkpoint.js'
export { listCheckpoints } from './list-checkpoints.js'
export { consume, type Consumer, type ConsumeOptions } from './consume/consume.js'
export { PausedError } from './consume/handle-batch.js'
export { Unhandleable } from './consume/read-batch.js'
export { inBackground } from './consume/in-background.js'
export { inTransaction } from './consume/in-transaction.js'
export { inParallel } from './in-parallel.js'
export { isUnknownSchema } from './consume/schema-patience.js'
export { createTrouble, type Trouble } from './consume/trouble.js'
export { UnappliableRecordError } from './consume/unappliable-record.js'
export { nudge } from './nudges.js'
export { waitUntilProjected } from './wait-until-projected.js'
export type {
  PrimaryTables,
  ReferenceKey,
  Replay,
  ReplayNotes,
  ReplayParts,
  ReportFacts,
} from './primary-tables.js'
export {
  changes,
  states,
  type Columns,
  type StatedRows,
  type StatedTable,
  type Statement,
} from './stated-rows.js'
export { batchWrite, on, onPartOf, readModelGroup, type Change, type ReadModel } from './read-model.js'
export { hasCurrentDefinition, installReadModels } from './read-model-tables.js'
export { runReadModel, type RunningReadModel } from './run-read-model.js'
export {
  listProjectionStatuses,
  type ProjectionStatus,
  type StoredProjectionStatus,
} from './projection-state.js'
export {
  forgetCheckpoints,
  lowestCheckpoint,
  markFoundInLog,
  putCheckpoints,
  restartEmptied,
  unrelayedEvents,
  type PartitionPosition,
} from './restored.js'
export { unreadRange, unreadRanges } from './unread-ranges.js'
export {
  outboxBacklog,
  outboxType,
  writeOutbox,
  writeOutboxBatch,
  type OutboxEvent,
  type OutboxType,
} from './outbox.js'
export { startOutboxRelay, type OutboxRelay } from './outbox-relay.js'
export {
  beginRetirement,
  endRetirement,
  findLogRetirement,
  listRetiredMonths,
  UnstatedRetirementError,
  type MonthRetired,
} from './retired-months.js'
export {
  endRetentionRuns,
  listRetentionRuns,
  retentionFault,
  storeRetentionBegun,
  storeRetentionEnded,
} from './retention-runs.js'
export {
  holdTables,
  rebuildReadModel,
  RebuildInProgressError,
  type AcceptedDifferences,
  type RebuildResult,
} from './rebuild/rebuild-read-model.js'
export { latestTimeIn, type DifferentRow } from './rebuild/compare-tables.js'
export type { RebuildProgress } from './rebuild/build.js'
export { installTenantWalls, EVERY_ROW_ROLE, TENANT_ROLE, tenantScope } from './tenant-walls.js'
export { ForeignRowError, TENANT_FIELDS, type Tenant, queryTenant } from './tenancy.js'

export { projectionsMigrations } from './migrations.js'
export { advanceCheckpoint, advanceCheckpoints, ensureCheckpoint, loadCheckpoint } from './checkpoint.js'
export type { CheckpointMove, GroupPartition, StoredCheckpoint } from './checkpoint.js'
export { listCheckpoints } from './list-checkpoints.js'
export { consume } from './consume/consume.js'
export type { Consumer, ConsumeOptions } from './consume/consume.js'
export { PausedError } from './consume/handle-batch.js'
export type { DeadLetters } from './consume/handle-batch.js'
export { Unhandleable } from './consume/read-batch.js'
export { inBackground } from './consume/in-background.js'
export { inTransaction } from './consume/in-transaction.js'
export type { OutcomeBatch } from './consume/committer.js'
export { isUnknownSchema } from './consume/schema-patience.js'
export { createTrouble } from './consume/trouble.js'
export type { Trouble } from './consume/trouble.js'
export { UnappliableRecordError } from './consume/unappliable-record.js'
export { waitUntilProjected } from './wait-until-projected.js'
export type { WaitUntilProjectedOptions } from './wait-until-projected.js'
export { batchWrite, on, onPartOf, readModelGroup } from './read-model.js'
export type { BatchWrite, Change, ReadModel, Reducer } from './read-model.js'
export { hasCurrentDefinition, installReadModels } from './read-model-tables.js'
export { runReadModel } from './run-read-model.js'
export type { RunningReadModel, RunReadModelOptions } from './run-read-model.js'
export { listProjectionStatuses } from './projection-state.js'
export type { ProjectionState, ProjectionStatus, StoredProjectionStatus } from './projection-state.js'
export {
  forgetCheckpoints,
  lowestCheckpoint,
  markFoundInLog,
  putCheckpoints,
  restartEmptied,
  unrelayedEvents,
} from './restored.js'
export type { PartitionPosition } from './restored.js'
export { unreadRange, unreadRanges } from './unread-ranges.js'
export {
  outboxBacklog,
  outboxType,
  writeOutbox,
  writeOutboxBatch,
  type OutboxEvent,
  type OutboxType,
} from './outbox.js'
export type { OutboxTarget } from './outbox.js'
export { startOutboxRelay } from './outbox-relay.js'
export type { OutboxRelay, OutboxRelayOptions } from './outbox-relay.js'
export { rebuildReadModel, RebuildInProgressError } from './rebuild/rebuild-read-model.js'
export type { AcceptedDifferences, RebuildOptions, RebuildResult } from './rebuild/rebuild-read-model.js'
export { latestTimeIn, type DifferentRow, type TableComparison } from './rebuild/compare-tables.js'
export type { RebuildProgress } from './rebuild/build.js'
export {
  ensureWallRoles,
  installTenantWalls,
  raiseTenantWalls,
  EVERY_ROW_ROLE,
  TENANT_ROLE,
  tenantScope,
} from './tenant-walls.js'

export { projectionsMigrations } from './migrations.js'
export { advanceCheckpoints, ensureCheckpoint, loadCheckpoint } from './checkpoint.js'
export type { CheckpointMove } from './checkpoint.js'
export { listCheckpoints } from './list-checkpoints.js'
export { consume } from './consume/consume.js'
export type { Consumer, ConsumeOptions } from './consume/consume.js'
export { PausedError } from './consume/handle-batch.js'
export { Unhandleable } from './consume/read-batch.js'
export { inBackground } from './consume/in-background.js'
export { inTransaction } from './consume/in-transaction.js'
export { isUnknownSchema } from './consume/schema-patience.js'
export { createTrouble } from './consume/trouble.js'
export type { Trouble } from './consume/trouble.js'
export { UnappliableRecordError } from './consume/unappliable-record.js'
export { waitUntilProjected } from './wait-until-projected.js'
export { batchWrite, on, onPartOf, readModelGroup } from './read-model.js'
export type { Change, ReadModel } from './read-model.js'
export { hasCurrentDefinition, installReadModels } from './read-model-tables.js'
export { runReadModel } from './run-read-model.js'
export type { RunningReadModel } from './run-read-model.js'
export { listProjectionStatuses } from './projection-state.js'
export type { ProjectionStatus, StoredProjectionStatus } from './projection-state.js'
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
export { startOutboxRelay } from './outbox-relay.js'
export type { OutboxRelay, OutboxRelayOptions } from './outbox-relay.js'
export { rebuildReadModel, RebuildInProgressError } from './rebuild/rebuild-read-model.js'
export type { AcceptedDifferences, RebuildResult } from './rebuild/rebuild-read-model.js'
export { latestTimeIn, type DifferentRow } from './rebuild/compare-tables.js'
export type { RebuildProgress } from './rebuild/build.js'
export { installTenantWalls, EVERY_ROW_ROLE, TENANT_ROLE, tenantScope } from './tenant-walls.js'

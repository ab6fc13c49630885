export { projectionsMigrations } from './migrations.js'
export { advanceCheckpoint, advanceCheckpoints, ensureCheckpoint, loadCheckpoint } from './checkpoint.js'
export type { CheckpointMove, GroupPartition, StoredCheckpoint } from './checkpoint.js'
export { listCheckpoints } from './list-checkpoints.js'
export { createBackgroundCheckpoint } from './background-checkpoint.js'
export type {
  AcknowledgedRange,
  BackgroundCheckpoint,
  BackgroundCheckpointOptions,
} from './background-checkpoint.js'
export { waitUntilProjected } from './wait-until-projected.js'
export type { WaitUntilProjectedOptions } from './wait-until-projected.js'
export { batchWrite, on, readModelGroup } from './read-model.js'
export type { BatchWrite, Change, ReadModel, Reducer } from './read-model.js'
export { installReadModels } from './read-model-tables.js'
export { UnappliableRecordError } from './apply.js'
export { runReadModel } from './run-read-model.js'
export type { RunningReadModel, RunReadModelOptions } from './run-read-model.js'
export { listProjectionStatuses } from './projection-state.js'
export type { ProjectionState, ProjectionStatus, StoredProjectionStatus } from './projection-state.js'
export { outboxBacklog, writeOutbox } from './outbox.js'
export type { OutboxTarget } from './outbox.js'
export { startOutboxRelay } from './outbox-relay.js'
export type { OutboxRelay, OutboxRelayOptions } from './outbox-relay.js'

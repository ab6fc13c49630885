export { readBacklogSize, type BacklogSize } from './backlog-size.js'
export { COORDINATOR_GROUP } from './follow-jobs.js'
export { noteReleased, replayJobs } from './replay-jobs.js'
export { bulkMigrations } from './migrations.js'
export {
  countShards,
  haveShardsBeenTaken,
  listShardOwners,
  mostShards,
  setShards,
  type ShardOwner,
} from './shard-table.js'
export { startBulkCoordinator } from './start-bulk-coordinator.js'
export type { BulkCoordinatorDeps } from './start-bulk-coordinator.js'
